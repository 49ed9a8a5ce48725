/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet agent remove and rename: with what sessions have kept under the name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/agent.h"
#include "cli/sessions.h"
#include "os/report.h"

/* "UNIT" of a session of the agent that lives; NULL: none.  Only root's agents are
 * started by units. */
static const char *living_unit(struct agent_request *request)
{
	struct sessions sessions;
	struct detail unused;

	if (request->places.uid != 0 ||
	    sessions_read(&request->arena, &sessions, &unused) != REASON_OK)
		return NULL;
	for (size_t i = 0; i < sessions.n_seen; i++) {
		const struct session_seen *seen = &sessions.seen[i];

		if (!seen->gone && strcmp(seen->name.agent, request->name) == 0)
			return seen->unit ? seen->unit
					  : arena_copy(&request->arena, seen->name.id);
	}
	return NULL;
}

/* Whether the file is there, whatever it is. */
static bool is_there(const struct config_store *store, const char *path)
{
	struct stat status;

	return store->fd >= 0 && fstatat(store->fd, strrchr(path, '/') + 1, &status,
					 AT_SYMLINK_NOFOLLOW) == 0;
}

/* Why there is no file to remove or rename. */
static enum reason no_file(struct agent_request *request)
{
	struct arena *arena = &request->arena;
	struct config config;
	struct agent agent;
	enum reason reason =
		config_load(arena, &request->places, &config, &request->detail);

	if (reason == REASON_OK)
		reason = agent_load(arena, &request->places, request->name, &config,
				    &agent, &request->detail);
	if (reason != REASON_OK)
		return reason;
	if (!agent.path)
		return explain(&request->detail, REASON_AGENT_UNKNOWN,
			       "\"%s\" is a runtime, and no agent", request->name);
	return explain(&request->detail, REASON_NEEDS_ROOT,
		       "agent \"%s\" is in %s, which is not yours to change here",
		       request->name, SHOW(agent.path));
}

static enum reason check_name(struct agent_request *request, const char *name)
{
	if (agent_name_is_valid(name))
		return REASON_OK;
	return explain(&request->detail, REASON_USAGE,
		       "no agent can be called \"%s\": names are a-z, then a-z, 0-9 "
		       "and _, at most %d",
		       SHOW(name), LIMIT_AGENT_NAME);
}

/* REASON_OK if the answer was yes. */
static enum reason ask(struct agent_request *request, const char *path)
{
	char answer[16] = "";

	if (request->yes)
		return REASON_OK;
	if (!isatty(STDIN_FILENO))
		return explain(&request->detail, REASON_USAGE,
			       "`anet agent remove` asks on a terminal, and there is "
			       "none: `--yes` removes without asking");
	fprintf(stderr, "Remove agent \"%s\", %s? [y/N] ", request->name, SHOW(path));
	if (fgets(answer, sizeof(answer), stdin) &&
	    (strcmp(answer, "y\n") == 0 || strcmp(answer, "yes\n") == 0))
		return REASON_OK;
	return explain(&request->detail, REASON_INTERRUPTED,
		       "agent \"%s\" stays: the answer was not `y`", request->name);
}

static void tell_what_stays(struct agent_request *request)
{
	struct arena *arena = &request->arena;
	const char *unit = living_unit(request);
	const char *of_system = arena_format(arena, "%s/agents.d/%s.json",
					     request->places.system, request->name);
	struct agent_kept *kept;
	struct detail detail;
	size_t n = 0;
	enum reason reason = agent_kept_find(arena, &request->places, request->name,
					     NULL, &kept, &n, &detail);

	if (request->places.uid != 0 && access(of_system, F_OK) == 0)
		printf("The machine's, %s, is still there.\n", SHOW(of_system));
	if (unit)
		printf("%s goes on until it ends.\n", SHOW(unit));
	for (size_t i = 0; i < n; i++)
		printf("What its sessions have kept stays: %s/%s\n", SHOW(kept[i].root),
		       kept[i].name);
	if (reason != REASON_OK)
		printf("What its sessions have kept was not looked for: %s.\n",
		       detail.text);
}

enum reason agent_remove(struct agent_request *request)
{
	struct arena *arena = &request->arena;
	struct config_store store;
	const char *path;
	enum reason reason = check_name(request, request->name);

	if (reason != REASON_OK)
		return reason;
	path = config_store_path(arena, &request->places, STORE_AGENTS, request->name);
	/* Not while the directory is locked. */
	if (path && access(path, F_OK) == 0)
		reason = ask(request, path);
	if (reason == REASON_OK)
		reason = config_store_open(arena, &request->places, STORE_AGENTS, false,
					   &store, &request->detail);
	if (reason != REASON_OK)
		return reason;
	reason = path && is_there(&store, path)
			 ? config_store_remove(&store, request->name, &request->detail)
			 : no_file(request);
	config_store_close(&store);
	if (reason != REASON_OK)
		return reason;
	printf("Agent \"%s\" is removed, with %s.\n", request->name, SHOW(path));
	tell_what_stays(request);
	return REASON_OK;
}

/* Nobody has the new name, and nobody runs under the old one. */
static enum reason check_rename(struct agent_request *request)
{
	struct arena *arena = &request->arena;
	const char *const directories[] = {request->places.system,
					   request->places.user};
	const char *unit = living_unit(request);
	struct stat status;

	if (unit)
		return explain(&request->detail, REASON_SESSION_EXISTS,
			       "%s runs: `systemctl stop %s` ends it", SHOW(unit),
			       SHOW(unit));
	for (size_t i = 0; i < 2; i++) {
		const char *path;

		if (!directories[i])
			continue;
		path = arena_format(arena, "%s/agents.d/%s.json", directories[i],
				    request->other);
		if (lstat(path, &status) == 0)
			return explain(&request->detail, REASON_AGENT_EXISTS,
				       "there is an agent \"%s\" already, in %s",
				       request->other, SHOW(path));
	}
	return REASON_OK;
}

/* A user's file may say only what is different from the machine's: under another name
 * it is no agent. */
static enum reason check_alone(struct agent_request *request,
			       const struct config_store *store)
{
	struct arena *arena = &request->arena;
	struct config_file_text file;
	struct config_edit edit;
	struct config config;
	struct agent agent;
	struct detail why;
	enum reason reason =
		config_store_read(arena, store, request->name, &file, &request->detail);

	if (reason == REASON_OK)
		reason =
			config_load(arena, &request->places, &config, &request->detail);
	if (reason != REASON_OK)
		return reason;
	edit = (struct config_edit){
		.path = config_store_path(arena, &request->places, STORE_AGENTS,
					  request->other),
		.text = file.text,
		.length = strlen(file.text),
	};
	reason = agent_load_edited(arena, &request->places, request->other, &edit,
				   &config, &agent, &request->detail);
	if (reason == REASON_OK)
		return REASON_OK;
	why = request->detail;
	return explain(&request->detail, reason, "nothing is renamed: %.1000s",
		       why.text);
}

/* First what was kept: a session that is started meanwhile is still the old agent's,
 * and finds nothing of its own. */
static enum reason move(struct agent_request *request, const struct config_store *store)
{
	struct agent_kept *kept = NULL, *back;
	struct detail unused;
	size_t n = 0;
	enum reason reason =
		agent_kept_find(&request->arena, &request->places, request->name,
				request->other, &kept, &n, &request->detail);

	if (reason == REASON_OK)
		reason = agent_kept_move(kept, n, &request->detail);
	if (reason != REASON_OK)
		return reason;
	reason = config_store_rename(store, request->name, request->other,
				     &request->detail);
	if (reason == REASON_OK) {
		for (size_t i = 0; i < n; i++)
			printf("What its sessions have kept is in %s/%s.\n",
			       SHOW(kept[i].root), kept[i].other);
		return REASON_OK;
	}
	back = arena_get(&request->arena, (n + 1) * sizeof(*back));
	for (size_t i = 0; i < n; i++)
		back[i] =
			(struct agent_kept){kept[i].root, kept[i].other, kept[i].name};
	(void)agent_kept_move(back, n, &unused);
	return reason;
}

enum reason agent_rename(struct agent_request *request)
{
	struct arena *arena = &request->arena;
	struct config_store store;
	const char *path;
	enum reason reason = check_name(request, request->name);

	if (reason == REASON_OK)
		reason = check_name(request, request->other);
	if (reason == REASON_OK)
		reason = config_store_open(arena, &request->places, STORE_AGENTS, false,
					   &store, &request->detail);
	if (reason != REASON_OK)
		return reason;
	path = config_store_path(arena, &request->places, STORE_AGENTS, request->name);
	if (!path || !is_there(&store, path))
		reason = no_file(request);
	if (reason == REASON_OK)
		reason = check_rename(request);
	if (reason == REASON_OK)
		reason = check_alone(request, &store);
	if (reason == REASON_OK)
		reason = move(request, &store);
	config_store_close(&store);
	if (reason == REASON_OK)
		printf("Agent \"%s\" is called \"%s\" now, in %s.\n", request->name,
		       request->other,
		       SHOW(config_store_path(arena, &request->places, STORE_AGENTS,
					      request->other)));
	return reason;
}
