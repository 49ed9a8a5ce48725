/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/config.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "config/api-base.h"
#include "config/config-keys.h"
#include "config/egress.h"
#include "config/model.h"
#include "config/retired.h"
#include "config/run-env.h"
#include "config/runtime.h"
#include "core/limits.h"

static_assert(sizeof(struct config_egress) == sizeof(struct config_choice) &&
		      offsetof(struct config_egress, word) ==
			      offsetof(struct config_choice, word),
	      "the reader fills one as the other");

bool agent_name_is_valid(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	size_t length = strlen(name);

	return length >= 1 && length <= LIMIT_AGENT_NAME && strchr(letters, name[0]) &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static const char *const home_words[] = {"ephemeral", "kept", NULL};
/* In the order of the bits of enum policy_server_tools. */
static const char *const server_tool_words[] = {"web_search", "web_fetch",
						"code_execution", NULL};

const struct config_key agent_keys[] = {
	{"runtime", CONFIG_TEXT, offsetof(struct agent_file, agent.runtime)},
	{"strategy", CONFIG_TEXT, offsetof(struct agent_file, agent.strategy),
	 .unset = "srt"},
	{"model", CONFIG_TEXT, offsetof(struct agent_file, agent.model),
	 .check = model_check, .unset = "the service's cheapest"},
	{"api_base", CONFIG_TEXT, offsetof(struct agent_file, agent.api_base),
	 .check = api_base_check, .unset = "the runtime's"},
	{"workspace", CONFIG_TEXT, offsetof(struct agent_file, agent.workspace),
	 .unset = "the current directory; under systemd, the session's own"},
	MOUNTS_KEY(offsetof(struct agent_file, agent.mounts)),
	{"home", CONFIG_WORD, offsetof(struct agent_file, agent.home),
	 .words = home_words, .min = AGENT_HOME_EPHEMERAL,
	 .unset = "ephemeral; under systemd, kept"},
	{"protect", CONFIG_BOOL, offsetof(struct agent_file, agent.protect)},
	{"arguments", CONFIG_LIST, offsetof(struct agent_file, agent.arguments)},
	{"env", CONFIG_MAP, offsetof(struct agent_file, agent.env),
	 .check = run_env_check_name},
	{"egress", CONFIG_CHOICE, offsetof(struct agent_file, agent.egress),
	 .words = egress_words, .check = egress_check_host, .max = LIMIT_EGRESS_HOSTS},
	{"server_tools", CONFIG_WORDS, offsetof(struct agent_file, agent.server_tools),
	 .words = server_tool_words},
	{"limits", CONFIG_SECTION, offsetof(struct agent_file, limits),
	 .section = limit_keys},
	{"execution", CONFIG_TEXT, offsetof(struct agent_file, retired.execution),
	 .retired = retired_execution},
	{"runInSandbox", CONFIG_BOOL_GIVEN,
	 offsetof(struct agent_file, retired.run_in_sandbox),
	 .retired = retired_run_in_sandbox},
	{0},
};

/* Drops what stands earlier already: an agent may be called as its runtime is. */
static void list_once(struct list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++) {
		size_t j = 0;

		while (j < kept && strcmp(list->items[j], list->items[i]) != 0)
			j++;
		if (j == kept)
			list->items[kept++] = list->items[i];
	}
	list->n = kept;
	if (list->items)
		list->items[kept] = NULL;
}

enum reason agent_names(struct arena *arena, const struct places *places,
			struct list *list, struct detail *ret_detail)
{
	const char *const directories[] = {places->system, places->user};
	enum reason first = REASON_OK;

	for (size_t i = 0; i < 2; i++) {
		char *directory;
		int r;

		if (!directories[i])
			continue;
		directory = arena_format(arena, "%s/agents.d", directories[i]);
		r = list_json_names(arena, directory, list);
		if (r < 0 && first == REASON_OK)
			first = explain(ret_detail, REASON_CONFIG_UNREADABLE,
					"cannot list %s: %s", SHOW(directory),
					strerror(-r));
	}
	list_once(list);
	return first;
}

static enum reason unknown_agent(struct arena *arena, const struct places *places,
				 const char *name, struct detail *ret_detail)
{
	struct list names = {0};
	char **items;

	/* They only help; a directory that cannot be listed has none to show. */
	(void)agent_names(arena, places, &names, ret_detail);
	runtime_list(arena, places, &names);
	list_once(&names);
	items = list_items(arena, &names);
	return explain(ret_detail, REASON_AGENT_UNKNOWN,
		       "there is no agent and no runtime \"%s\"; there are: %s%s",
		       SHOW(name), list_join(arena, items, ", "),
		       DID_YOU_MEAN(name, (const char *const *)items));
}

/* The agent's files over what `file` holds; *ret_last is the last one that there is. */
static enum reason read_files(struct arena *arena, const struct places *places,
			      const char *name, const struct config_edit *edit,
			      struct config_notes *notes, struct agent_file *file,
			      char **ret_last, struct detail *ret_detail)
{
	const char *const directories[] = {places->system, places->user};
	enum reason first = REASON_OK;

	for (size_t i = 0; i < 2 && (first == REASON_OK || notes->complete); i++) {
		bool found = false;
		enum reason reason;
		char *path;

		if (!directories[i])
			continue;
		path = arena_format(arena, "%s/agents.d/%s.json", directories[i], name);
		reason = read_by_table(arena, path, agent_keys, file, edit, notes,
				       &found, ret_detail);
		if (found)
			*ret_last = path;
		if (first == REASON_OK)
			first = reason;
	}
	return first;
}

static enum reason no_runtime(struct arena *arena, struct config_notes *notes,
			      const char *path, struct detail *ret_detail)
{
	explain(ret_detail, REASON_CONFIG_INVALID, "%s: the agent has no `runtime`",
		SHOW(path));
	notes_add_problem(arena, notes, REASON_CONFIG_INVALID, ret_detail->text);
	return REASON_CONFIG_INVALID;
}

static void fill_in(struct arena *arena, const char *name, struct agent *agent)
{
	agent->name = arena_copy(arena, name);
	if (!agent->runtime)
		agent->runtime = arena_copy(arena, name);
	if (!agent->arguments)
		agent->arguments = arena_get(arena, sizeof(char *));
	if (!agent->env)
		agent->env = arena_get(arena, sizeof(char *));
}

static void take_retired(struct arena *arena, const char *backend,
			 struct config_notes *notes, struct agent_file *file)
{
	const struct config_origin *origin = notes_find_origin(
		notes, file->retired.execution ? "execution" : "runInSandbox");

	file->agent.strategy = retired_strategy(arena, &file->retired, backend);
	if (origin)
		notes_set_origin(arena, notes, "strategy", origin->path, origin->line);
}

/* `edit` may be NULL. */
static enum reason load(struct arena *arena, const struct places *places,
			const char *name, const struct config_edit *edit,
			struct config_notes *notes, struct config *config,
			struct agent *ret_agent, struct detail *ret_detail)
{
	struct agent_file file = {.limits = config->limits, .agent.protect = true};
	char *last = NULL;
	enum reason reason;

	if (!agent_name_is_valid(name))
		return explain(
			ret_detail, REASON_AGENT_UNKNOWN,
			"no agent can be called \"%s\": names are a-z, then a-z, 0-9 "
			"and _, at most %d",
			SHOW(name), LIMIT_AGENT_NAME);
	reason = read_files(arena, places, name, edit, notes, &file, &last, ret_detail);
	if (reason != REASON_OK && !notes->complete)
		return reason;
	if (!last && !runtime_exists(arena, places, name))
		return reason != REASON_OK
			       ? reason
			       : unknown_agent(arena, places, name, ret_detail);
	if (last && !file.agent.runtime)
		return no_runtime(arena, notes, last, ret_detail);
	if (!file.agent.strategy)
		take_retired(arena, config->retired_backend, notes, &file);
	list_add_all(arena, &config->warnings, list_items(arena, &notes->warnings));
	config->limits = file.limits;
	file.agent.path = last;
	fill_in(arena, name, &file.agent);
	*ret_agent = file.agent;
	return reason;
}

enum reason agent_load_noted(struct arena *arena, const struct places *places,
			     const char *name, struct config_notes *notes,
			     struct config *config, struct agent *ret_agent,
			     struct detail *ret_detail)
{
	return load(arena, places, name, NULL, notes, config, ret_agent, ret_detail);
}

enum reason agent_load_edited(struct arena *arena, const struct places *places,
			      const char *name, const struct config_edit *edit,
			      struct config *config, struct agent *ret_agent,
			      struct detail *ret_detail)
{
	struct config_notes notes = {0};

	return load(arena, places, name, edit, &notes, config, ret_agent, ret_detail);
}

enum reason agent_load(struct arena *arena, const struct places *places,
		       const char *name, struct config *config, struct agent *ret_agent,
		       struct detail *ret_detail)
{
	return agent_load_edited(arena, places, name, NULL, config, ret_agent,
				 ret_detail);
}
