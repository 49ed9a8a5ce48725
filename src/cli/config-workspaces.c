/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories that the configuration names, against each other and against what anet
 * keeps: a session in the one could read and write what belongs to the other.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/config-check.h"
#include "core/path.h"
#include "os/explain.h"
#include "os/session-dir.h"

/* The name without links; one that is not there keeps the name that it has. */
static const char *resolved(struct arena *arena, const char *path)
{
	char buffer[PATH_MAX];

	return arena_copy(arena, realpath(path, buffer) ? buffer : path);
}

static bool touch(const char *one, const char *other)
{
	return path_is_inside(one, other) || path_is_inside(other, one);
}

/* What no workspace may touch; those that there are not are NULL. */
#define N_OWN 10
static void find_own(const struct config_check *check, const char *ret_own[N_OWN])
{
	struct arena *arena = check->arena;
	const struct places *places = check->places;
	const char *const own[N_OWN] = {
		WORK_ROOT,
		HOST_WORK_ROOT,
		HOME_ROOT,
		RUN_ANET,
		places->system,
		places->user,
		places->runtime,
		places->cache ? arena_format(arena, "%s/anet", places->cache) : NULL,
		places->home ? arena_format(arena, "%s/.local/state/anet", places->home)
			     : NULL,
		places->home ? arena_format(arena, "%s/.local/share/anet", places->home)
			     : NULL,
	};

	for (size_t i = 0; i < N_OWN; i++)
		ret_own[i] = own[i] ? resolved(arena, own[i]) : NULL;
}

static void check_own(struct config_check *check, const struct agent *agent,
		      const char *path)
{
	const char *own[N_OWN];

	find_own(check, own);
	for (size_t i = 0; i < N_OWN; i++)
		if (own[i] && touch(path, own[i])) {
			config_check_problem(
				check, REASON_NEVER_VISIBLE,
				"the workspace %s of agent \"%s\" is, contains or lies "
				"inside %s, where anet keeps its own",
				SHOW(path), agent->name, SHOW(own[i]));
			return;
		}
}

void config_check_workspace(struct config_check *check, const struct agent *agent,
			    struct config_workspace *ret_workspace)
{
	char path[PATH_MAX];
	const char *asked = agent->workspace;
	struct stat status;

	if (asked)
		asked = places_expand(check->arena, check->places, asked);
	/* One that is relative is below wherever `anet run` is called. */
	if (!asked || asked[0] != '/')
		return;
	if (!realpath(asked, path) || stat(path, &status) < 0) {
		/* What this caller may not see, others check. */
		if (errno != EACCES)
			config_check_problem(check, REASON_WORKSPACE_INVALID,
					     "the workspace %s of agent \"%s\": %s",
					     SHOW(asked), agent->name, strerror(errno));
		return;
	}
	if (!S_ISDIR(status.st_mode)) {
		config_check_problem(check, REASON_WORKSPACE_INVALID,
				     "the workspace %s of agent \"%s\" is not a "
				     "directory",
				     SHOW(asked), agent->name);
		return;
	}
	check_own(check, agent, path);
	*ret_workspace =
		(struct config_workspace){agent->name, arena_copy(check->arena, path)};
}

void config_check_apart(struct config_check *check,
			const struct config_workspace *workspaces, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			const struct config_workspace *in = &workspaces[i];
			const struct config_workspace *out = &workspaces[j];

			/* The same one is shared by who names it twice. */
			if (strcmp(in->path, out->path) == 0 ||
			    !path_is_inside(in->path, out->path))
				continue;
			config_check_problem(
				check, REASON_WORKSPACE_INVALID,
				"the workspace %s of agent \"%s\" lies inside %s, the "
				"workspace of agent \"%s\"",
				SHOW(in->path), in->agent, SHOW(out->path), out->agent);
		}
}

void config_check_roots(struct config_check *check)
{
	static const char *const roots[] = {WORK_ROOT, HOST_WORK_ROOT, HOME_ROOT};
	const size_t n = sizeof(roots) / sizeof(roots[0]);

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			const char *one = resolved(check->arena, roots[i]);
			const char *other = resolved(check->arena, roots[j]);

			if (touch(one, other))
				config_check_problem(
					check, REASON_DIRECTORY_UNSAFE,
					"%s and %s lead to %s and %s, of which one "
					"holds the other: what sessions of different "
					"strategies keep must lie apart",
					roots[i], roots[j], SHOW(one), SHOW(other));
		}
}
