/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of `anet agent add` and `set`.
 */
#include <getopt.h>
#include <string.h>

#include "cli/agent.h"
#include "cli/settings.h"
#include "config/json-edit.h"

static const struct setting settings[] = {
	{"runtime", NULL, "runtime", SETTING_TEXT},
	{"strategy", NULL, "strategy", SETTING_TEXT},
	{"model", NULL, "model", SETTING_TEXT},
	{"api-base", NULL, "api_base", SETTING_TEXT},
	{"workspace", NULL, "workspace", SETTING_DIRECTORY},
	{"mount", NULL, "mounts", SETTING_MOUNT},
	{"home", NULL, "home", SETTING_TEXT},
	{"protect", NULL, "protect", SETTING_TRUTH},
	{"limit", NULL, "limits", SETTING_NUMBER_OF},
	{"env", NULL, "env", SETTING_TEXT_OF},
	{"egress", NULL, "egress", SETTING_EGRESS},
	{"server-tool", NULL, "server_tools", SETTING_LIST},
};

#define N_SETTINGS (sizeof(settings) / sizeof(settings[0]))

enum {
	JSON = 'j',
	YES = 'y',
	HELP = 'h',
	UNSET = 'u',
};

const struct option *agent_options(struct arena *arena)
{
	static const struct option others[] = {
		{"unset", required_argument, NULL, UNSET},
		{"json", no_argument, NULL, JSON},
		{"yes", no_argument, NULL, YES},
		{"help", no_argument, NULL, HELP},
		{0},
	};

	return settings_options(arena, settings, N_SETTINGS, others);
}

bool agent_option_is_change(int answer)
{
	return answer >= SETTING_FIRST || answer == UNSET;
}

static enum reason take_unset(struct agent_request *request, const char *argument)
{
	/* What no option sets may go as well. */
	static const char *const more[] = {"arguments", "execution", "runInSandbox"};
	const char *names[N_SETTINGS + 4] = {NULL};
	char *key = arena_copy(&request->arena, argument);
	char *dot = strchr(key, '.');
	size_t n = 0;

	for (size_t i = 0; i < N_SETTINGS; i++)
		names[n++] = settings[i].key;
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
		changes_add(&request->arena, &request->changes, dot ? key : NULL,
			    dot ? dot : key, NULL);
		return REASON_OK;
	}
	return explain(&request->detail, REASON_USAGE,
		       "an agent has no `%s` that could be unset%s", SHOW(argument),
		       DID_YOU_MEAN(key, names));
}

enum reason agent_take_option(struct agent_request *request, int answer,
			      const char *argument)
{
	if (answer == UNSET)
		return take_unset(request, argument);
	return setting_take(&request->arena, &settings[answer - SETTING_FIRST],
			    argument, &request->changes, &request->detail);
}

void agent_take_words(struct agent_request *request, char *const *words)
{
	for (; *words; words++)
		changes_add_element(&request->arena, &request->changes, NULL,
				    "arguments", json_quote(&request->arena, *words));
}
