/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cli/sessions.h"
#include "os/cgroup.h"
#include "os/cleanup.h"
#include "os/handover.h"
#include "os/session-dir.h"

/* "INSTANCE\nCGROUP\n" of a full name and a path; a byte shows that there is more. */
#define UNIT_BYTES (LIMIT_SESSION_ID + CGROUP_PATH_MAX + 3)

static bool has_unified_cgroups(void)
{
	struct statfs status;

	return statfs(CGROUP_ROOT, &status) == 0 &&
	       status.f_type == CGROUP2_SUPER_MAGIC;
}

/* The unit's record; its instance must be a name of this very session. */
static void read_unit(struct arena *arena, int directory, struct session_seen *seen)
{
	char text[UNIT_BYTES + 1], path[sizeof(CGROUP_ROOT) + UNIT_BYTES];
	auto_fd int fd = session_record_open(directory, SESSION_UNIT_FILE, 0444);
	struct session_name name;
	char *cgroup, *end;
	ssize_t got = fd < 0 ? -1 : pread(fd, text, UNIT_BYTES, 0);

	if (got <= 0)
		return;
	text[got] = 0;
	cgroup = strchr(text, '\n');
	end = cgroup ? strchr(cgroup + 1, '\n') : NULL;
	if (!end || cgroup[1] != '/')
		return;
	*cgroup++ = 0;
	*end = 0;
	if (!session_name_parse(text, &name) || strcmp(name.id, seen->name.id) != 0)
		return;
	seen->instance = arena_copy(arena, text);
	if (!has_unified_cgroups())
		return;
	snprintf(path, sizeof(path), "%s%s", CGROUP_ROOT, cgroup);
	seen->gone = access(path, F_OK) < 0 && errno == ENOENT;
}

static void read_session(struct arena *arena, struct session_seen *seen)
{
	auto_fd int directory = session_dir_open(seen->name.id);
	auto_fd int policy = -1, live = -1;

	if (directory < 0)
		return;
	read_unit(arena, directory, seen);
	policy = session_record_open(directory, SESSION_POLICY_FILE, 0444);
	seen->have_policy = policy >= 0 && policy_read(policy, &seen->policy) == 0;
	live = openat(directory, SESSION_LIVE_DIRECTORY,
		      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	seen->have_state = live >= 0 && session_state_read(live, SESSION_STATE_FILE,
							   &seen->state) == 0;
}

/* The names of a directory that are ids of sessions, in their order. */
static enum reason list_ids(struct arena *arena, const char *path, struct list *list,
			    struct detail *ret_detail)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort);

	if (n < 0 && errno == ENOENT)
		return REASON_OK;
	if (n < 0 && (errno == EACCES || errno == EPERM))
		return explain(
			ret_detail, REASON_NOT_PERMITTED,
			"%s is for root and the group `anet`, which this account "
			"is not in",
			path);
	if (n < 0)
		return explain(ret_detail, REASON_SYSTEM, "cannot list %s: %s", path,
			       strerror(errno));
	for (int i = 0; i < n; i++) {
		struct session_name name;

		if (session_name_parse(entries[i]->d_name, &name) &&
		    strcmp(name.id, entries[i]->d_name) == 0)
			list_add(arena, list, arena_copy(arena, name.id));
		free(entries[i]);
	}
	free(entries);
	return REASON_OK;
}

static bool is_seen(const struct sessions *sessions, const char *id)
{
	for (size_t i = 0; i < sessions->n_seen; i++)
		if (strcmp(sessions->seen[i].name.id, id) == 0)
			return true;
	return false;
}

static void read_outcomes(struct arena *arena, const struct list *ids,
			  struct sessions *sessions)
{
	auto_fd int root =
		open(OUTCOME_ROOT, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	sessions->outcomes =
		arena_get(arena, (ids->n + 1) * sizeof(*sessions->outcomes));
	for (size_t i = 0; i < ids->n; i++) {
		struct session_outcome *outcome =
			&sessions->outcomes[sessions->n_outcomes];

		if (is_seen(sessions, ids->items[i]) ||
		    session_state_read(root, ids->items[i], &outcome->state) < 0)
			continue;
		(void)session_name_parse(ids->items[i], &outcome->name);
		sessions->n_outcomes++;
	}
}

enum reason sessions_read(struct arena *arena, struct sessions *ret_sessions,
			  struct detail *ret_detail)
{
	struct sessions sessions = {0};
	struct list ids = {0}, ended = {0};
	enum reason reason = list_ids(arena, SESSION_ROOT, &ids, ret_detail);

	if (reason == REASON_OK)
		reason = list_ids(arena, OUTCOME_ROOT, &ended, ret_detail);
	if (reason != REASON_OK)
		return reason;
	sessions.seen = arena_get(arena, (ids.n + 1) * sizeof(*sessions.seen));
	for (; sessions.n_seen < ids.n; sessions.n_seen++) {
		struct session_seen *seen = &sessions.seen[sessions.n_seen];

		(void)session_name_parse(ids.items[sessions.n_seen], &seen->name);
		read_session(arena, seen);
	}
	read_outcomes(arena, &ended, &sessions);
	*ret_sessions = sessions;
	return REASON_OK;
}

const char *session_state_word(const struct session_seen *seen)
{
	static const char *const words[] = {
		[SESSION_STARTING] = "starting",
		[SESSION_RUNNING] = "running",
		[SESSION_ENDING] = "ending",
		[SESSION_ENDED] = "ended",
	};

	if (seen->gone)
		return "gone";
	if (!seen->have_state)
		return "starting";
	if (seen->state.stage < SESSION_STARTING || seen->state.stage > SESSION_ENDED)
		return "?";
	return words[seen->state.stage];
}
