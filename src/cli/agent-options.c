/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of `anet agent add` and `set`: each names a member of the agent's file.
 * What the values may be is for the reader of configuration to say.
 */
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/agent.h"
#include "config/json-edit.h"

/* Above all characters. */
#define FIRST 256
#define DIGITS "0123456789"

enum kind {
	TEXT,
	DIRECTORY, /* text, from here when it does not begin with `/` or `~` */
	EGRESS,
	TRUTH,
	MEMBER, /* NAME=TEXT, of a section */
	NUMBER, /* NAME=NUMBER, of a section */
	LIST,	/* one more of a list */
	MOUNT,	/* the same: SOURCE[:TARGET][:MODE] */
	UNSET,
};

static const struct {
	const char *option, *key;
	enum kind kind;
} rows[] = {
	{"runtime", "runtime", TEXT},
	{"strategy", "strategy", TEXT},
	{"model", "model", TEXT},
	{"api-base", "api_base", TEXT},
	{"workspace", "workspace", DIRECTORY},
	{"mount", "mounts", MOUNT},
	{"home", "home", TEXT},
	{"protect", "protect", TRUTH},
	{"limit", "limits", NUMBER},
	{"env", "env", MEMBER},
	{"egress", "egress", EGRESS},
	{"server-tool", "server_tools", LIST},
	{"unset", NULL, UNSET},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

const struct option *agent_options(void)
{
	static const struct option others[] = {
		{"json", no_argument, NULL, 'j'},
		{"yes", no_argument, NULL, 'y'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	static struct option options[N_ROWS + sizeof(others) / sizeof(others[0])];

	for (size_t i = 0; i < N_ROWS; i++)
		options[i] = (struct option){rows[i].option, required_argument, NULL,
					     FIRST + (int)i};
	memcpy(options + N_ROWS, others, sizeof(others));
	return options;
}

bool agent_option_is_change(int answer)
{
	return answer >= FIRST;
}

static struct agent_change *find(const struct agent_request *request,
				 const char *section, const char *key)
{
	for (size_t i = 0; i < request->n_changes; i++) {
		struct agent_change *change = &request->changes[i];

		if (strcmp(change->key, key) == 0 && !change->section == !section &&
		    (!section || strcmp(change->section, section) == 0))
			return change;
	}
	return NULL;
}

void agent_change(struct agent_request *request, const char *section, const char *key,
		  const char *value)
{
	struct agent_change *change = find(request, section, key);

	if (change) {
		change->value = value;
		return;
	}
	if (request->n_changes == request->room) {
		size_t room = request->room ? 2 * request->room : 16;
		struct agent_change *grown =
			arena_get(&request->arena, room * sizeof(*grown));

		if (request->n_changes)
			memcpy(grown, request->changes,
			       request->n_changes * sizeof(*grown));
		request->changes = grown;
		request->room = room;
	}
	request->changes[request->n_changes++] =
		(struct agent_change){section, key, value};
}

const struct agent_change *agent_find_change(const struct agent_request *request,
					     const char *key)
{
	return find(request, NULL, key);
}

/* What the line has of a list so far, and one more. */
static void add_to_list(struct agent_request *request, const char *key,
			const char *value)
{
	const struct agent_change *before = find(request, NULL, key);
	const char *list = before ? before->value : NULL;

	agent_change(request, NULL, key,
		     list ? arena_format(&request->arena, "%.*s, %s]",
					 (int)strlen(list) - 1, list, value)
			  : arena_format(&request->arena, "[%s]", value));
}

/* As a session would find it, wherever that is started. */
static const char *from_here(struct arena *arena, const char *path)
{
	char resolved[PATH_MAX];

	if (!*path || path[0] == '/' || path[0] == '~')
		return path;
	if (realpath(path, resolved))
		return arena_copy(arena, resolved);
	return getcwd(resolved, sizeof(resolved))
		       ? arena_format(arena, "%s/%s", resolved, path)
		       : path;
}

static void take_mount(struct agent_request *request, const char *argument)
{
	static const char *const modes[] = {":readonly", ":writable", ":overlay"};
	struct arena *arena = &request->arena;
	char *source = arena_copy(arena, argument), *target;
	const char *mode = "";
	const char *place = "";

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		size_t length = strlen(source), n = strlen(modes[i]);

		if (length > n && strcmp(source + length - n, modes[i]) == 0) {
			source[length - n] = 0;
			mode = arena_format(arena, ", \"mode\": \"%s\"", modes[i] + 1);
			break;
		}
	}
	target = strstr(source, ":/");
	if (target) {
		*target++ = 0;
		place = arena_format(arena, ", \"target\": %s",
				     json_quote(arena, target));
	}
	add_to_list(request, "mounts",
		    arena_format(arena, "{\"source\": %s%s%s}",
				 json_quote(arena, from_here(arena, source)), place,
				 mode));
}

/* The digits as they are; whatever else there is, for the reader to refuse. */
static const char *number(struct arena *arena, const char *text)
{
	bool plain = *text && strspn(text, DIGITS) == strlen(text) &&
		     (text[0] != '0' || !text[1]);

	return plain ? text : json_quote(arena, text);
}

static enum reason take_member(struct agent_request *request, size_t row,
			       const char *argument)
{
	struct arena *arena = &request->arena;
	const char *equals = strchr(argument, '=');

	if (!equals || equals == argument)
		return explain(&request->detail, REASON_USAGE,
			       "`--%s %s` must be NAME=%s", rows[row].option,
			       SHOW(argument),
			       rows[row].kind == NUMBER ? "NUMBER" : "VALUE");
	agent_change(request, rows[row].key,
		     arena_copy_bytes(arena, argument, (size_t)(equals - argument)),
		     rows[row].kind == NUMBER ? number(arena, equals + 1)
					      : json_quote(arena, equals + 1));
	return REASON_OK;
}

static enum reason take_unset(struct agent_request *request, const char *argument)
{
	/* What no option sets may go as well. */
	static const char *const more[] = {"arguments", "execution", "runInSandbox"};
	const char *names[N_ROWS + 3] = {NULL};
	char *key = arena_copy(&request->arena, argument);
	char *dot = strchr(key, '.');
	size_t n = 0;

	for (size_t i = 0; i < N_ROWS; i++)
		if (rows[i].key)
			names[n++] = rows[i].key;
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		names[n++] = more[i];
	if (dot)
		*dot++ = 0;
	/* As the option is written. */
	for (char *at = key; (at = strchr(at, '-'));)
		*at = '_';
	for (size_t i = 0; i < n; i++) {
		bool section =
			strcmp(names[i], "limits") == 0 || strcmp(names[i], "env") == 0;

		if (strcmp(names[i], key) != 0 || (dot && (!section || !*dot)))
			continue;
		agent_change(request, dot ? key : NULL, dot ? dot : key, NULL);
		return REASON_OK;
	}
	return explain(&request->detail, REASON_USAGE,
		       "an agent has no `%s` that could be unset%s", SHOW(argument),
		       DID_YOU_MEAN(key, names));
}

enum reason agent_take_option(struct agent_request *request, int answer,
			      const char *argument)
{
	struct arena *arena = &request->arena;
	size_t row = (size_t)(answer - FIRST);
	const char *key = rows[row].key;
	bool truth;

	switch (rows[row].kind) {
	case EGRESS:
		if (strcmp(argument, "none") != 0)
			return explain(&request->detail, REASON_EGRESS_UNSUPPORTED,
				       "`--egress %s` asks for hosts that this build "
				       "cannot open to a run",
				       SHOW(argument));
		break;
	case DIRECTORY:
		argument = from_here(arena, argument);
		break;
	case TRUTH:
		truth = strcmp(argument, "true") == 0 || strcmp(argument, "false") == 0;
		agent_change(request, NULL, key,
			     truth ? argument : json_quote(arena, argument));
		return REASON_OK;
	case MEMBER:
	case NUMBER:
		return take_member(request, row, argument);
	case LIST:
		add_to_list(request, key, json_quote(arena, argument));
		return REASON_OK;
	case MOUNT:
		take_mount(request, argument);
		return REASON_OK;
	case UNSET:
		return take_unset(request, argument);
	case TEXT:
		break;
	}
	agent_change(request, NULL, key, json_quote(arena, argument));
	return REASON_OK;
}

void agent_take_words(struct agent_request *request, char *const *words)
{
	for (; *words; words++)
		add_to_list(request, "arguments", json_quote(&request->arena, *words));
}
