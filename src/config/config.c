/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/config.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config-table.h"
#include "config/model.h"
#include "config/run-env.h"
#include "config/runtime.h"
#include "core/limits.h"

#define MIB (1024ull * 1024)
/* Above every machine, and far from where a product with MIB wraps. */
#define MAX_MIB (16ull * 1024 * 1024)
#define MAX_COUNT 1000000000ull
#define YEAR (366ull * 24 * 3600)
/* pid_max of a 64-bit kernel, proc_sys_kernel(5). */
#define MAX_TASKS 4194304

#define LIMIT(name_, field, type_, min_, max_, unit_)                                  \
	{                                                                              \
		.name = (name_), .type = (type_),                                      \
		.offset = offsetof(struct policy_limits, field), .min = (min_),        \
		.max = (max_), .unit = (unit_)                                         \
	}

/* Where 0 is allowed it means: no limit. */
static const struct config_key limit_keys[] = {
	LIMIT("memory_mib", memory_bytes, CONFIG_UINT64, 16, MAX_MIB, MIB),
	LIMIT("tasks", tasks, CONFIG_UINT64, 8, MAX_TASKS, 1),
	LIMIT("wall_clock_seconds", wall_clock_seconds, CONFIG_UINT64, 0, YEAR, 1),
	LIMIT("growth_mib", growth_bytes, CONFIG_UINT64, 0, MAX_MIB, MIB),
	LIMIT("growth_entries", growth_entries, CONFIG_UINT64, 0, MAX_COUNT, 1),
	LIMIT("requests", requests, CONFIG_UINT64, 0, MAX_COUNT, 1),
	LIMIT("count_tokens", count_tokens, CONFIG_UINT64, 0, MAX_COUNT, 1),
	LIMIT("request_mib", request_bytes, CONFIG_UINT64, 0, MAX_MIB, MIB),
	LIMIT("connections", connections, CONFIG_UINT64, 0, MAX_COUNT, 1),
	LIMIT("connections_at_once", connections_at_once, CONFIG_UINT32, 1,
	      LIMIT_CONNECTIONS_AT_ONCE, 1),
	LIMIT("output_tokens", output_tokens, CONFIG_UINT32, 1, 1000000, 1),
	{0},
};

static const struct config_key sandbox_keys[] = {
	{"host", CONFIG_BOOL_ONCE, offsetof(struct config_sandbox, host)},
	{"srt", CONFIG_BOOL_ONCE, offsetof(struct config_sandbox, srt)},
	{"microsandbox", CONFIG_BOOL_ONCE,
	 offsetof(struct config_sandbox, microsandbox)},
	{0},
};

static const struct config_key config_keys[] = {
	{"sandbox", CONFIG_SECTION, offsetof(struct config, sandbox),
	 .section = sandbox_keys},
	{"limits", CONFIG_SECTION, offsetof(struct config, limits),
	 .section = limit_keys},
	{0},
};

/* SPEC S2.8, S6.10: what an operator's own agent costs is not limited unless he
 * says so; what it can take from the machine is. */
static const struct config defaults = {
	.sandbox = {.host = true, .srt = true, .microsandbox = true},
	.limits =
		{
			.memory_bytes = LIMIT_MEMORY_BYTES,
			.tasks = LIMIT_TASKS,
			.growth_bytes = LIMIT_GROWTH_BYTES,
			.growth_entries = LIMIT_GROWTH_ENTRIES,
			.connections_at_once = LIMIT_CONNECTIONS_AT_ONCE,
			.output_tokens = LIMIT_OUTPUT_TOKENS,
		},
};

/* Reads one file by a table, if it is there. */
static enum reason read_file(struct arena *arena, const char *path,
			     const struct config_key *keys, void *target,
			     bool *ret_found, struct detail *ret_detail)
{
	struct json_file file;
	enum reason reason = json_file_read(arena, path, &file, ret_detail);

	*ret_found = file.root != NULL;
	if (reason == REASON_OK && file.root)
		reason = config_table_read(arena, &file, keys, target, ret_detail);
	json_file_free(&file);
	return reason;
}

static enum reason read_config(struct arena *arena, char *path, struct config *config,
			       struct detail *ret_detail)
{
	bool found = false;
	enum reason reason =
		read_file(arena, path, config_keys, config, &found, ret_detail);

	if (found)
		list_add(arena, &config->files, path);
	return reason;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int list_json_names(struct arena *arena, const char *directory, struct list *list)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	size_t before = list->n;

	if (!entries)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while ((entry = readdir(entries))) {
		size_t length = strlen(entry->d_name);

		if (entry->d_name[0] == '.' || length <= strlen(".json") ||
		    strcmp(entry->d_name + length - strlen(".json"), ".json") != 0)
			continue;
		list_add(arena, list,
			 arena_copy_bytes(arena, entry->d_name,
					  length - strlen(".json")));
	}
	closedir(entries);
	if (list->n > before)
		qsort(list->items + before, list->n - before, sizeof(char *),
		      compare_names);
	return 0;
}

static enum reason read_drop_ins(struct arena *arena, const struct places *places,
				 struct config *config, struct detail *ret_detail)
{
	char *directory = arena_format(arena, "%s/config.d", places->system);
	struct list names = {0};
	int r = list_json_names(arena, directory, &names);

	if (r < 0)
		return explain(ret_detail, REASON_CONFIG_UNREADABLE,
			       "cannot list %s: %s", SHOW(directory), strerror(-r));
	for (size_t i = 0; i < names.n; i++) {
		enum reason reason = read_config(
			arena,
			arena_format(arena, "%s/%s.json", directory, names.items[i]),
			config, ret_detail);

		if (reason != REASON_OK)
			return reason;
	}
	return REASON_OK;
}

enum reason config_load(struct arena *arena, const struct places *places,
			struct config *ret_config, struct detail *ret_detail)
{
	struct config config = defaults;
	enum reason reason;

	reason = read_config(arena,
			     arena_format(arena, "%s/config.json", places->system),
			     &config, ret_detail);
	if (reason == REASON_OK)
		reason = read_drop_ins(arena, places, &config, ret_detail);
	if (reason == REASON_OK && places->user)
		reason = read_config(
			arena, arena_format(arena, "%s/config.json", places->user),
			&config, ret_detail);
	if (reason == REASON_OK)
		*ret_config = config;
	return reason;
}

bool agent_name_is_valid(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	size_t length = strlen(name);

	return length >= 1 && length <= LIMIT_AGENT_NAME && strchr(letters, name[0]) &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

struct agent_file {
	struct agent agent;
	struct policy_limits limits;
};

static const char *const egress_words[] = {"none", NULL};
/* In the order of the bits of enum policy_server_tools. */
static const char *const server_tool_words[] = {"web_search", "web_fetch",
						"code_execution", NULL};

static const struct config_key agent_keys[] = {
	{"runtime", CONFIG_TEXT, offsetof(struct agent_file, agent.runtime)},
	{"model", CONFIG_TEXT, offsetof(struct agent_file, agent.model),
	 .check = model_check},
	{"workspace", CONFIG_TEXT, offsetof(struct agent_file, agent.workspace)},
	{"limits", CONFIG_SECTION, offsetof(struct agent_file, limits),
	 .section = limit_keys},
	{"arguments", CONFIG_LIST, offsetof(struct agent_file, agent.arguments)},
	{"env", CONFIG_MAP, offsetof(struct agent_file, agent.env),
	 .check = run_env_check_name},
	{"egress", CONFIG_WORD, offsetof(struct agent_file, agent.egress),
	 .words = egress_words},
	{"server_tools", CONFIG_WORDS, offsetof(struct agent_file, agent.server_tools),
	 .words = server_tool_words},
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

static enum reason unknown_agent(struct arena *arena, const struct places *places,
				 const char *name, struct detail *ret_detail)
{
	struct list names = {0};
	char **items;

	/* They only help; a directory that cannot be listed has none to show. */
	(void)list_json_names(arena, arena_format(arena, "%s/agents.d", places->system),
			      &names);
	if (places->user)
		(void)list_json_names(arena,
				      arena_format(arena, "%s/agents.d", places->user),
				      &names);
	runtime_list(arena, places, &names);
	list_once(&names);
	items = list_items(arena, &names);
	return explain(ret_detail, REASON_AGENT_UNKNOWN,
		       "there is no agent and no runtime \"%s\"; there are: %s%s",
		       SHOW(name), list_join(arena, items, ", "),
		       DID_YOU_MEAN(name, (const char *const *)items));
}

enum reason agent_load(struct arena *arena, const struct places *places,
		       const char *name, struct config *config, struct agent *ret_agent,
		       struct detail *ret_detail)
{
	const char *const directories[] = {places->system, places->user};
	struct agent_file file = {.limits = config->limits, .agent.protect = true};
	const char *last = NULL; /* of the files that there are */

	if (!agent_name_is_valid(name))
		return explain(
			ret_detail, REASON_AGENT_UNKNOWN,
			"no agent can be called \"%s\": names are a-z, then a-z, 0-9 "
			"and _, at most %d",
			SHOW(name), LIMIT_AGENT_NAME);
	for (size_t i = 0; i < 2; i++) {
		bool found = false;
		enum reason reason;
		char *path;

		if (!directories[i])
			continue;
		path = arena_format(arena, "%s/agents.d/%s.json", directories[i], name);
		reason = read_file(arena, path, agent_keys, &file, &found, ret_detail);
		if (reason != REASON_OK)
			return reason;
		if (found)
			last = path;
	}
	if (!last && !runtime_exists(arena, places, name))
		return unknown_agent(arena, places, name, ret_detail);
	if (last && !file.agent.runtime)
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "%s: the agent has no `runtime`", SHOW(last));
	config->limits = file.limits;
	*ret_agent = file.agent;
	ret_agent->name = arena_copy(arena, name);
	if (!ret_agent->runtime)
		ret_agent->runtime = arena_copy(arena, name);
	if (!ret_agent->arguments)
		ret_agent->arguments = arena_get(arena, sizeof(char *));
	if (!ret_agent->env)
		ret_agent->env = arena_get(arena, sizeof(char *));
	return REASON_OK;
}
