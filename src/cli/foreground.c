/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/foreground.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/assigned.h"
#include "core/path.h"
#include "os/session-dir.h"
#include "os/session-unit.h"
#include "strategies/selection.h"

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

/* The boundary: what needs no probe comes before all work, the probe last. */
static enum reason select_strategy(struct preparation *run, bool with_probe)
{
	struct strategies table;
	const struct selection_case of = {
		.places = &run->places,
		.table = with_probe ? &table : NULL,
		.config = &run->config,
		.agent = &run->agent,
		.runtime = &run->runtime,
		.require_sandbox = run->require_sandbox,
	};
	enum reason reason;

	if (with_probe)
		strategies_cached(&run->arena, &run->places, &run->config,
				  selection_name(&run->agent), &table);
	reason = selection_check_start(&run->arena, &of, &run->strategy,
				       &run->detail);
	if (reason == REASON_OK && run->strategy == STRATEGY_MICROSANDBOX)
		reason = explain(&run->detail, REASON_NEEDS_SYSTEMD,
				 "agent \"%s\" runs in a virtual machine, which `anet run` "
				 "does not start: `systemctl start " SESSION_UNIT_TEMPLATE
				 "@%s`",
				 run->agent.name, run->agent.name);
	/* Not refused: not looked at yet. */
	if (reason == REASON_NO_STRATEGY && !with_probe) {
		run->strategy = STRATEGY_SRT;
		return REASON_OK;
	}
	return reason;
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
		reason = select_strategy(run, false);
	if (reason == REASON_OK)
		reason = find_workspace(run, workspace);
	if (reason == REASON_OK)
		reason = preparation_program(run, words);
	return reason == REASON_OK ? preparation_policy(run) : reason;
}

enum reason foreground_load_policy(struct preparation *run, const char *agent)
{
	enum reason reason = load_agent(run, agent);

	if (reason == REASON_OK)
		reason = select_strategy(run, false);
	return reason == REASON_OK ? preparation_policy(run) : reason;
}

enum reason foreground_probe(struct preparation *run)
{
	return select_strategy(run, true);
}

/* A home that outlives the run; in the foreground there is none unless the agent's
 * file says so. */
enum reason foreground_home(struct preparation *run)
{
	const struct assigned assigned = {
		.root = HOME_ROOT,
		.names = {arena_format(&run->arena, "%s-main", run->agent.name)},
		.account = WORK_ACCOUNT,
		.mode = 0700,
	};

	if (run->strategy == STRATEGY_HOST || run->agent.home != AGENT_HOME_KEPT)
		return REASON_OK;
	if (run->places.uid == 0)
		return assigned_make(&run->arena, &assigned, &run->home,
				     &run->detail);
	return assigned_make_own(&run->arena, run->places.home, run->agent.name,
				 &run->home, &run->detail);
}
