/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/outside.h"
#include "cli/output.h"
#include "cli/why-resolve.h"
#include "cli/why.h"
#include "os/cleanup.h"
#include "os/visible.h"

static const char *verdict_of(const struct view_entry *entry)
{
	switch (entry->kind) {
	case VIEW_PROTECTED:
		/* What leads there is only kept from being moved away. */
		return entry->writable ? "writable" : "protected";
	case VIEW_HOME:
	case VIEW_PRIVATE:
		return "private";
	case VIEW_MADE:
	case VIEW_LINK:
		return "made by anet";
	case VIEW_MASKED:
		return "masked";
	case VIEW_SYSTEM:
	case VIEW_PROGRAM:
	case VIEW_MOUNT:
	case VIEW_WORKSPACE:
		break;
	}
	return entry->writable ? "writable" : "read-only";
}

/* The line of the mount that leads to this source. */
static const char *mount_origin(struct why *why, const struct config_mounts *mounts,
				const char *key, const char *source)
{
	struct preparation *run = &why->run;

	for (size_t i = 0; i < mounts->n; i++) {
		const char *path = places_expand(&run->arena, &run->places,
						 mounts->list[i].source);
		char canonical[PATH_MAX];

		if (path && realpath(path, canonical) && strcmp(canonical, source) == 0)
			return why_origin(why,
					  arena_format(&run->arena, "%s[%zu]", key, i));
	}
	return NULL;
}

/* The line of configuration that put it there. */
static const char *config_of(struct why *why, const struct view_entry *entry)
{
	const char *line = NULL;

	if (entry->kind == VIEW_WORKSPACE)
		return why_origin(why, "workspace");
	if (entry->kind == VIEW_PROTECTED)
		return why_origin(why, "protect");
	if (entry->kind == VIEW_HOME)
		return why_origin(why, "home");
	if (entry->kind == VIEW_MOUNT)
		line = mount_origin(why, &why->run.agent.mounts, "mounts",
				    entry->source);
	if (entry->kind == VIEW_MOUNT && !line)
		line = mount_origin(why, &why->run.config.sandbox.mounts,
				    "sandbox.mounts", entry->source);
	return line;
}

/* What a mount of this path would take, or why none is taken. */
static void add_remedy(struct why *why, const char *path)
{
	char canonical[PATH_MAX], detail[LIMIT_DETAIL + 1] = "";
	struct arena *arena = &why->run.arena;
	struct visible_homes homes;
	struct outside outside;
	auto_fd int fd = -1;

	if (outside_read(arena, &outside) < 0)
		return;
	fd = outside_open(&outside, path, canonical);
	why_add(why, "outside",
		fd >= 0 ? "it is there on this machine"
		: fd == -EXDEV
			? "it lies on a filesystem that is not looked at: of the "
			  "network, of programs, or mounted on demand"
			: "it is not there on this machine either");
	if (fd < 0)
		return;
	visible_homes_find(&homes);
	if (visible_check(fd, canonical, &homes, false, detail, sizeof(detail)) !=
	    REASON_OK) {
		why_add(why, "code", reason_code(REASON_NEVER_VISIBLE));
		why_add(why, "never_visible", escaped(arena, detail));
		return;
	}
	why_add(why, "remedy",
		arena_format(arena,
			     "`mounts` of the agent, or `sandbox.mounts`: "
			     "{ \"source\": \"%s\" }",
			     escaped(arena, canonical)));
}

static const char *presence_text(const struct resolved *at)
{
	if (at->presence == PRESENCE_RUN)
		return "only the run can see";
	return at->presence == PRESENCE_YES ? "yes" : "no";
}

static void describe(struct why *why, const struct resolved *at)
{
	struct arena *arena = &why->run.arena;
	const struct view_entry *entry = at->entry;
	/* In a short list of directories nothing else is. */
	bool hidden =
		at->presence == PRESENCE_NO &&
		(!entry || entry->way == VIEW_DIRECTORY || entry->way == VIEW_DEV);

	if (hidden) {
		why->verdict = "not visible";
		why_add(why, "rule",
			entry ? entry->rule
			      : "nothing that runs of this agent see is it or contains "
				"it");
	} else if (!entry || (at->leads_to && entry->way != VIEW_BIND &&
			      strcmp(entry->target, at->path) != 0)) {
		why->verdict = "made by anet";
		why->allowed = true;
		why_add(why, "rule",
			at->leads_to && strcmp(at->path, "/") != 0
				? arena_format(arena,
					       "an empty directory that leads to %s",
					       escaped(arena, at->leads_to->target))
				: "the run's own root: what else is seen lies in it");
	} else {
		why->verdict = verdict_of(entry);
		why->allowed = true;
		why_add(why, "rule", entry->rule);
		why_add(why, "of", escaped(arena, entry->target));
	}
	why_add(why, "inside", at->linked ? escaped(arena, at->path) : NULL);
	why_add(why, "exists", presence_text(at));
	why_add(why, "error", at->error ? strerror(at->error) : NULL);
	why_add(why, "config", !hidden && entry ? config_of(why, entry) : NULL);
	why_add(why, "permissions",
		at->have_status
			? arena_format(arena,
				       "%04o, uid %u, gid %u outside; they count as "
				       "well",
				       (unsigned int)at->status.st_mode & 07777,
				       at->status.st_uid, at->status.st_gid)
			: NULL);
	if (hidden)
		add_remedy(why, at->wanted);
}

enum reason why_path(struct why *why, const char *name)
{
	struct preparation *run = &why->run;
	char detail[LIMIT_DETAIL + 1] = "";
	struct resolved at;
	struct view view;
	enum reason reason;
	const char *path = name[0] == '/' ? name
					  : arena_format(&run->arena, "%s/%s",
							 run->record.workspace, name);

	why->kind = "path";
	why->subject = name;
	if (run->strategy == STRATEGY_HOST) {
		why->verdict = "no boundary";
		why->allowed = true;
		why_add(why, "rule",
			"the strategy `host` hides nothing from a run: only "
			"the permissions of its account count");
		why_add(why, "config", why_origin(why, "strategy"));
		return REASON_OK;
	}
	run->policy.supervisor_uid = run->policy.run_uid = geteuid();
	reason = preparation_record(run, 0);
	if (reason != REASON_OK)
		return reason;
	reason = view_build(&run->record, &run->policy, &view, detail, sizeof(detail));
	if (reason != REASON_OK)
		return explain(&run->detail, reason, "%s", detail);
	view_resolve(&view, path, &at);
	describe(why, &at);
	view_free(&view);
	return REASON_OK;
}
