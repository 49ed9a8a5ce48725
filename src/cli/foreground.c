/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/foreground.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_AGENT "command"

/* What anet-session cannot know: where the environment puts the caller's
 * configuration, sockets and the cache of the probe. */
static enum reason check_own_places(struct preparation *run, const char *workspace)
{
	const char *const own[] = {
		run->places.user,
		run->places.runtime,
		run->places.cache
			? arena_format(&run->arena, "%s/anet", run->places.cache)
			: NULL,
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		char resolved[PATH_MAX];

		if (!own[i] || !realpath(own[i], resolved))
			continue;
		if (path_is_inside(workspace, resolved) ||
		    path_is_inside(resolved, workspace))
			return explain(
				&run->detail, REASON_NEVER_VISIBLE,
				"the workspace %s is, contains or lies inside %s",
				SHOW(workspace), SHOW(resolved));
	}
	return REASON_OK;
}

/* The directory to work in, links resolved. */
static enum reason find_workspace(struct preparation *run, const char *asked)
{
	const char *path = asked ? asked : run->agent.workspace;
	char resolved[PATH_MAX];
	struct stat status;

	if (!asked && path)
		path = places_expand(&run->arena, &run->places, path);
	if (path && !*path)
		return explain(&run->detail, REASON_WORKSPACE_INVALID,
			       "the name of the workspace is empty");
	if (!realpath(path ? path : ".", resolved))
		return explain(&run->detail, REASON_WORKSPACE_INVALID,
			       "%s cannot be the workspace: %s",
			       path ? SHOW(path) : "the current directory",
			       strerror(errno));
	if (stat(resolved, &status) < 0 || !S_ISDIR(status.st_mode))
		return explain(&run->detail, REASON_WORKSPACE_INVALID,
			       "%s cannot be the workspace: it is not a directory",
			       SHOW(resolved));
	run->record.workspace = arena_copy(&run->arena, resolved);
	return check_own_places(run, resolved);
}

static enum reason load_agent(struct preparation *run, const char *agent)
{
	places_find(&run->arena, &run->places);
	return preparation_load(run, agent ? agent : DEFAULT_AGENT);
}

enum reason foreground_load(struct preparation *run, const char *agent,
			    const char *workspace, char *const *words)
{
	enum reason reason = load_agent(run, agent);

	if (reason == REASON_OK)
		reason = find_workspace(run, workspace);
	if (reason == REASON_OK)
		reason = preparation_program(run, words);
	return reason == REASON_OK ? preparation_policy(run) : reason;
}

enum reason foreground_load_policy(struct preparation *run, const char *agent)
{
	enum reason reason = load_agent(run, agent);

	return reason == REASON_OK ? preparation_policy(run) : reason;
}
