/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a run keeps on disk: a directory that the operator chose, or those that
 * anet makes, below roots that only root can enter.
 */
#include "prepare/prepare.h"

#include <limits.h>
#include <stdlib.h>

#include "config/assigned.h"
#include "config/resolve.h"
#include "core/path.h"
#include "core/run.h"
#include "os/session-dir.h"

/* ProtectSystem=full of the unit: what would fail at the run's first write. */
static enum reason check_writable(struct preparation *p, const char *path)
{
	static const char *const system[] = {"/usr", "/boot", "/efi", "/etc"};

	for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++)
		if (path_is_inside(path, system[i]))
			return explain(&p->detail, REASON_WORKSPACE_INVALID,
				       "the workspace %s of agent \"%s\" lies in %s, "
				       "which no session that systemd starts can write",
				       SHOW(path), p->agent.name, system[i]);
	return REASON_OK;
}

enum reason check_apart_from_home(struct preparation *p, const char *what,
				  const char *path)
{
	if (!path_is_inside(path, RUN_HOME) && !path_is_inside(RUN_HOME, path))
		return REASON_OK;
	return explain(&p->detail, REASON_WORKSPACE_INVALID,
		       "the %s %s of agent \"%s\" is, contains or lies inside " RUN_HOME
		       ", where each session has the home that it keeps: "
		       "move it elsewhere",
		       what, SHOW(path), p->agent.name);
}

/* The roots of what anet assigns are no place for what an operator chooses: what
 * is there belongs to one session. */
static enum reason check_chosen(struct preparation *p, const char *path)
{
	static const char *const roots[] = {WORK_ROOT, HOST_WORK_ROOT, HOME_ROOT};
	enum reason reason;

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		char resolved[PATH_MAX];
		const char *root = realpath(roots[i], resolved) ? resolved : roots[i];

		if (path_is_inside(path, root) || path_is_inside(root, path))
			return explain(&p->detail, REASON_NEVER_VISIBLE,
				       "the workspace %s of agent \"%s\" is, contains "
				       "or lies inside %s, where anet keeps the files "
				       "of sessions apart from each other",
				       SHOW(path), p->agent.name, root);
	}
	/* What the unit and the mounts of a sandbox cannot do. */
	if (p->policy.strategy == STRATEGY_HOST)
		return REASON_OK;
	reason = check_apart_from_home(p, "workspace", path);
	return reason == REASON_OK ? check_writable(p, path) : reason;
}

static enum reason choose_workspace(struct preparation *p, const char *path)
{
	struct resolve_words words = {.reason = REASON_WORKSPACE_INVALID, .directory = true};
	const char *resolved = NULL;
	enum reason reason;

	if (path[0] == '~')
		return explain(
			&p->detail, REASON_WORKSPACE_INVALID,
			"the workspace %s of agent \"%s\" begins with `~`, and a "
			"session that systemd starts has no home directory: "
			"write the whole path",
			SHOW(path), p->agent.name);
	if (path[0] != '/')
		return explain(&p->detail, REASON_WORKSPACE_INVALID,
			       "the workspace \"%s\" of agent \"%s\" does not begin "
			       "with `/`: write the whole path",
			       SHOW(path), p->agent.name);
	words.what = arena_format(&p->arena, "the workspace %s of agent \"%s\"", SHOW(path),
				  p->agent.name);
	reason = resolve_owned(&p->arena, path, &words, &resolved, &p->detail);
	if (reason != REASON_OK)
		return reason;
	p->record.workspace = arena_copy(&p->arena, resolved);
	return check_chosen(p, resolved);
}

enum reason assign_workspace(struct start *start)
{
	struct preparation *p = &start->preparation;
	bool host = p->policy.strategy == STRATEGY_HOST;
	/* Without a boundary it is reached by its path: what is above can be passed,
	 * not listed. */
	const struct assigned assigned = {
		.root = host ? HOST_WORK_ROOT : WORK_ROOT,
		.names = {start->name.agent, start->name.interaction},
		.account = host ? p->config.host_user : WORK_ACCOUNT,
		.mode = host ? 0711 : 0700,
	};
	const char *path = NULL;
	enum reason reason;

	if (p->agent.workspace)
		return choose_workspace(p, p->agent.workspace);
	reason = assigned_make(&p->arena, &assigned, &path, &p->detail);
	if (reason != REASON_OK)
		return reason;
	p->record.workspace = arena_copy(&p->arena, path);
	p->record.workspace_flags = RUN_MOUNT_ASSIGNED;
	return REASON_OK;
}

enum reason assign_home(struct start *start)
{
	const struct assigned assigned = {
		.root = HOME_ROOT,
		.names = {start->name.id},
		.account = WORK_ACCOUNT,
		.mode = 0700,
	};
	struct preparation *p = &start->preparation;

	/* Without a boundary it is the account's own; else one that is not kept is
	 * made and forgotten by the sandbox. */
	if (p->policy.strategy == STRATEGY_HOST ||
	    p->agent.home == AGENT_HOME_EPHEMERAL)
		return REASON_OK;
	return assigned_make(&p->arena, &assigned, &p->home, &p->detail);
}
