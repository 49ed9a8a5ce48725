/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/runtime.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "config/api-base.h"
#include "config/config-keys.h"
#include "config/config.h"
#include "config/run-env.h"
#include "config/template.h"
#include "core/home-path.h"

bool host_is_loopback(const char *host)
{
	struct in_addr address;

	if (strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0)
		return true;
	return inet_pton(AF_INET, host, &address) == 1 &&
	       (ntohl(address.s_addr) >> IN_CLASSA_NSHIFT) == IN_LOOPBACKNET;
}

static const char *check_host(const char *text)
{
	return api_host_check(text, false);
}

static const char *check_name(const char *text)
{
	return agent_name_is_valid(text) ? NULL : "names have a-z, 0-9 and _ only";
}

static const char *check_file_name(const char *text)
{
	return strchr(text, '/') ? "it is a name, not a path" : NULL;
}

static const char *const wire_words[] = {[WIRE_NONE] = "none",
					 [WIRE_ANTHROPIC] = "anthropic",
					 [WIRE_OPENAI] = "openai",
					 NULL};
static const char *const scheme_words[] = {
	[RUNTIME_HTTPS] = "https", [RUNTIME_HTTP] = "http", NULL};

static const char *const api_base_words[] = {[RUNTIME_API_BASE_REQUIRED] = "required",
					     [RUNTIME_API_BASE_OPTIONAL] = "optional",
					     NULL};

#define AT(field) offsetof(struct runtime, field)

static const struct config_key credential_keys[] = {
	{"name", CONFIG_TEXT, AT(credential.name), .check = check_name},
	{"env", CONFIG_LIST, AT(credential.env), .check = run_env_check_spelling},
	{0},
};

static const struct config_key program_keys[] = {
	{"names", CONFIG_LIST, AT(program.names), .check = check_file_name},
	{"search", CONFIG_LIST, AT(program.search)},
	{"skip", CONFIG_LIST, AT(program.skip), .check = check_file_name},
	{"install", CONFIG_TEXT, AT(program.install)},
	{0},
};

static const struct config_key runtime_keys[] = {
	{"name", CONFIG_TEXT, AT(name), .check = check_name},
	{"wire", CONFIG_WORD, AT(wire), .words = wire_words},
	{"host", CONFIG_TEXT, AT(host), .check = check_host},
	{"port", CONFIG_UINT16, AT(port), .min = 1, .max = UINT16_MAX},
	{"scheme", CONFIG_WORD, AT(scheme), .words = scheme_words},
	{"base_path", CONFIG_TEXT, AT(base_path), .check = api_prefix_check},
	{"api_base", CONFIG_WORD, AT(api_base), .words = api_base_words},
	{"credential", CONFIG_SECTION, .section = credential_keys},
	{"program", CONFIG_SECTION, .section = program_keys},
	{"env", CONFIG_TEXTS, AT(env), .check = run_env_check_runtime_name},
	{"files", CONFIG_TEXTS, AT(files), .check = home_path_check},
	{"arguments", CONFIG_LIST, AT(arguments)},
	{"sandboxed", CONFIG_LIST, AT(sandboxed)},
	{"task", CONFIG_LIST, AT(task)},
	{"interactive", CONFIG_LIST, AT(interactive)},
	{"unsupported", CONFIG_TEXT, AT(unsupported)},
	{0},
};

#define OF_SESSION                                                                     \
	(1u << TEMPLATE_ENDPOINT | 1u << TEMPLATE_MODEL |                              \
	 1u << TEMPLATE_OUTPUT_TOKENS | 1u << TEMPLATE_WORKSPACE |                     \
	 1u << TEMPLATE_HOME)
/* Arguments can be read in /proc, where the key of an endpoint without a sandbox
 * must not stand. */
#define OF_ARGUMENTS OF_SESSION
#define OF_TEXTS (OF_SESSION | 1u << TEMPLATE_PLACEHOLDER_KEY)
#define OF_TASK (OF_SESSION | 1u << TEMPLATE_TASK)

static const char *check_words(struct arena *arena, const char *key, char *const *words,
			       unsigned int allowed)
{
	for (; words && *words; words++) {
		const char *wrong = template_check(arena, *words, allowed);

		if (wrong)
			return arena_format(arena, "`%s` %s", key, wrong);
	}
	return NULL;
}

static const char *check_texts(struct arena *arena, const char *key,
			       const struct config_texts *texts)
{
	for (size_t i = 0; i < texts->n; i++) {
		const char *wrong =
			template_check(arena, texts->list[i].text, OF_TEXTS);

		if (wrong)
			return arena_format(arena, "`%s`: %s %s", key,
					    SHOW(texts->list[i].name), wrong);
	}
	return NULL;
}

/* One argument of `task` is or holds the task, once. */
static const char *check_task(char *const *words)
{
	unsigned int n = 0;

	for (char *const *word = words; word && *word; word++)
		n += template_count(*word, TEMPLATE_TASK);
	return words && n != 1 ? "`task` must have ${TASK}, once" : NULL;
}

static const char *check_templates(struct arena *arena, const struct runtime *runtime)
{
	const char *wrong = check_texts(arena, "env", &runtime->env);

	if (!wrong)
		wrong = check_texts(arena, "files", &runtime->files);
	if (!wrong)
		wrong = check_words(arena, "arguments", runtime->arguments,
				    OF_ARGUMENTS);
	if (!wrong)
		wrong = check_words(arena, "sandboxed", runtime->sandboxed,
				    OF_ARGUMENTS);
	if (!wrong)
		wrong = check_words(arena, "interactive", runtime->interactive,
				    OF_ARGUMENTS);
	if (!wrong)
		wrong = check_words(arena, "task", runtime->task, OF_TASK);
	return wrong ? wrong : check_task(runtime->task);
}

/* What no single key shows to be wrong; NULL if nothing. */
static const char *check_runtime(struct arena *arena, const struct runtime *runtime,
				 const char *name)
{
	const char *wrong = check_templates(arena, runtime);

	if (!runtime->name || strcmp(runtime->name, name) != 0)
		return "its `name` must be that of the file";
	if (wrong)
		return wrong;
	if (runtime->wire == WIRE_NONE)
		return runtime->host || runtime->credential.name || runtime->api_base
			       ? "without a `wire` it can have no `host`, `api_base` "
				 "and `credential`"
			       : NULL;
	if (!runtime->credential.name)
		return "with a `wire` it needs a `credential.name`";
	/* Then each agent names its own: config/api-base.h. */
	if (!runtime->host)
		return runtime->port || runtime->base_path ||
				       runtime->scheme != RUNTIME_HTTPS
			       ? "`scheme`, `port` and `base_path` go with a `host`"
			       : NULL;
	if (runtime->api_base)
		return "it has a `host`, so that agents can name no `api_base`";
	if (runtime->scheme == RUNTIME_HTTP && !host_is_loopback(runtime->host))
		return "`scheme` http is for a loopback `host` only";
	return NULL;
}

static void fill_in(struct arena *arena, struct runtime *runtime)
{
	char ***places[] = {&runtime->credential.env, &runtime->program.names,
			    &runtime->program.search, &runtime->program.skip,
			    &runtime->arguments,      &runtime->sandboxed,
			    &runtime->task,	      &runtime->interactive};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!*places[i])
			*places[i] = arena_get(arena, sizeof(char *));
	if (!runtime->port)
		runtime->port = runtime->scheme == RUNTIME_HTTP ? 80 : 443;
}

static char *file_of(struct arena *arena, const char *directory, const char *name)
{
	return arena_format(arena, "%s/runtimes/%s.json", directory, name);
}

static enum reason load_from(struct arena *arena, char *path, const char *name,
			     struct config_notes *notes, struct runtime *ret_runtime,
			     bool *ret_found, struct detail *ret_detail)
{
	struct runtime runtime = {.path = path};
	const char *wrong;
	enum reason reason = read_by_table(arena, path, runtime_keys, &runtime, NULL,
					   notes, ret_found, ret_detail);

	if (reason != REASON_OK || !*ret_found)
		return reason;
	wrong = check_runtime(arena, &runtime, name);
	if (wrong) {
		explain(ret_detail, REASON_CONFIG_INVALID, "%s: %s", SHOW(path), wrong);
		if (notes)
			notes_add_problem(arena, notes, REASON_CONFIG_INVALID,
					  ret_detail->text);
		return REASON_CONFIG_INVALID;
	}
	fill_in(arena, &runtime);
	*ret_runtime = runtime;
	return REASON_OK;
}

enum reason runtime_load_noted(struct arena *arena, const struct places *places,
			       const char *name, struct config_notes *notes,
			       struct runtime *ret_runtime, struct detail *ret_detail)
{
	const char *const directories[] = {places->system, places->data};
	struct list names = {0};
	char **items;

	/* Other names have no file, whatever lies where they would lead. */
	for (size_t i = 0; i < 2 && agent_name_is_valid(name); i++) {
		bool found = false;
		enum reason reason =
			load_from(arena, file_of(arena, directories[i], name), name,
				  notes, ret_runtime, &found, ret_detail);

		if (reason != REASON_OK || found)
			return reason;
	}
	runtime_list(arena, places, &names);
	items = list_items(arena, &names);
	return explain(ret_detail, REASON_AGENT_UNKNOWN,
		       "there is no runtime \"%s\"; there are: %s%s", SHOW(name),
		       list_join(arena, items, ", "),
		       DID_YOU_MEAN(name, (const char *const *)items));
}

enum reason runtime_load(struct arena *arena, const struct places *places,
			 const char *name, struct runtime *ret_runtime,
			 struct detail *ret_detail)
{
	return runtime_load_noted(arena, places, name, NULL, ret_runtime, ret_detail);
}

enum reason runtime_check_strategy(const struct runtime *runtime, const char *agent,
				   enum policy_strategy strategy,
				   struct detail *ret_detail)
{
	const char *of = *agent ? " of agent \"" : "", *end = *agent ? "\"" : "";

	if (strategy == STRATEGY_HOST && runtime->files.n)
		return explain(ret_detail, REASON_FILES_NEED_SANDBOX,
			       "the runtime \"%s\"%s%s%s writes %s into the home of its "
			       "run, which with the strategy host is the account's own",
			       runtime->name, of, agent, end,
			       SHOW(runtime->files.list[0].name));
	if (strategy != STRATEGY_HOST && runtime->unsupported)
		return explain(ret_detail, REASON_AGENT_UNSUPPORTED,
			       "the runtime \"%s\"%s%s%s cannot run in a sandbox: %s",
			       runtime->name, of, agent, end, SHOW(runtime->unsupported));
	return REASON_OK;
}

bool runtime_exists(struct arena *arena, const struct places *places, const char *name)
{
	return agent_name_is_valid(name) &&
	       (access(file_of(arena, places->system, name), F_OK) == 0 ||
		access(file_of(arena, places->data, name), F_OK) == 0);
}

void runtime_list(struct arena *arena, const struct places *places, struct list *list)
{
	const char *const directories[] = {places->system, places->data};
	struct list names = {0};

	/* A directory that cannot be listed shows none. */
	for (size_t i = 0; i < 2; i++)
		(void)list_json_names(
			arena, arena_format(arena, "%s/runtimes", directories[i]),
			&names);
	for (size_t i = 0; i < names.n; i++) {
		size_t j = 0;

		while (j < i && strcmp(names.items[i], names.items[j]) != 0)
			j++;
		if (j == i)
			list_add(arena, list, names.items[i]);
	}
}
