/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/run-env.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/run.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

struct name_rule {
	const char *pattern; /* fnmatch(3), without regard to case */
	const char *why;
};

/* What decides where a run lives and what its programs load or connect to. */
static const struct name_rule fixed_names[] = {
	{"LD_*", "it makes programs load code"},
	{"*_PROXY", "anet sets it where a run may reach hosts (`egress`)"},
	{"PATH", "anet sets it"},
	{"HOME", "anet sets it"},
	{"USER", "anet sets it"},
	{"LOGNAME", "anet sets it"},
	{"PWD", "anet sets it"},
	{"ANET_*", "these names are anet's own"},
	{"SSH_AUTH_SOCK", "it names a socket of the host"},
	{"DBUS_*", "it names a socket of the host"},
	{"DISPLAY", "it names a socket of the host"},
	{"WAYLAND_DISPLAY", "it names a socket of the host"},
	{"XAUTHORITY", "it names a credential of the host"},
	{"DOCKER_HOST", "it names a socket of the host"},
	{"GPG_AGENT_INFO", "it names a socket of the host"},
	{"XDG_RUNTIME_DIR", "it names a directory of sockets of the host"},
	{NULL, NULL},
};

static const struct name_rule secret_names[] = {
	{"*_API_KEY", "a run holds no key: the gateway adds it"},
	{"*_TOKEN", "a run holds no credential"},
	{"*_SECRET", "a run holds no credential"},
	{"*_PASSWORD", "a run holds no credential"},
	{"AWS_*", "a run holds no credential"},
	{NULL, NULL},
};

static const char *match(const struct name_rule *rules, const char *name)
{
	for (; rules->pattern; rules++)
		if (fnmatch(rules->pattern, name, FNM_CASEFOLD) == 0)
			return rules->why;
	return NULL;
}

const char *run_env_check_spelling(const char *name)
{
	if (strchr(LETTERS "_", name[0]) && name[0] &&
	    strspn(name, LETTERS DIGITS "_") == strlen(name))
		return NULL;
	return "this is not the name of a variable";
}

const char *run_env_check_runtime_name(const char *name)
{
	const char *wrong = run_env_check_spelling(name);

	return wrong ? wrong : match(fixed_names, name);
}

const char *run_env_check_name(const char *name)
{
	const char *wrong = run_env_check_runtime_name(name);

	return wrong ? wrong : match(secret_names, name);
}

bool run_env_word_is_plain(const char *word)
{
	size_t length = strlen(word);

	return length >= 1 && length <= 40 &&
	       strspn(word, LETTERS DIGITS "_.@-") == length;
}

/* POSIX time zones may also be "Area/Place" and "EST5EDT,M3.2.0,M11.1.0". */
static bool zone_is_plain(const char *zone)
{
	size_t length = strlen(zone);

	return length >= 1 && length <= 64 && zone[0] != '/' && !strstr(zone, "..") &&
	       strspn(zone, LETTERS DIGITS "_+-/,.:<>") == length;
}

struct building {
	struct arena *arena;
	struct list list;
};

static bool sets(const char *entry, const char *other)
{
	size_t length = strcspn(other, "=");

	return strncmp(entry, other, length) == 0 && entry[length] == '=';
}

static void replace_or_add(struct building *env, char *entry)
{
	for (size_t i = 0; i < env->list.n; i++) {
		if (sets(env->list.items[i], entry)) {
			env->list.items[i] = entry;
			return;
		}
	}
	list_add(env->arena, &env->list, entry);
}

static void set(struct building *env, const char *name, const char *value)
{
	replace_or_add(env, arena_format(env->arena, "%s=%s", name, value));
}

static void set_number(struct building *env, const char *name, uint64_t number)
{
	/* Without a limit there is nothing to tell. */
	if (number)
		list_add(env->arena, &env->list,
			 arena_format(env->arena, "%s=%" PRIu64, name, number));
}

static void set_caller_words(struct building *env)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "TERM", "COLORTERM"};
	const char *lang = secure_getenv("LANG"), *zone = secure_getenv("TZ");

	set(env, "LANG", lang && run_env_word_is_plain(lang) ? lang : "C.UTF-8");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *word = secure_getenv(names[i]);

		if (word && run_env_word_is_plain(word))
			set(env, names[i], word);
	}
	if (zone && zone_is_plain(zone))
		set(env, "TZ", zone);
}

static void set_path(struct building *env, char *const *program_directories,
		     const char *rest)
{
	struct list path = {0};

	list_add_all(env->arena, &path, program_directories);
	list_add(env->arena, &path, arena_copy(env->arena, rest));
	set(env, "PATH", list_join(env->arena, list_items(env->arena, &path), ":"));
}

static void set_account(struct building *env, const struct run_account *account)
{
	set(env, "HOME", account->home);
	set(env, "USER", account->name);
	set(env, "LOGNAME", account->name);
	set(env, "SHELL", account->shell);
}

/* In a sandbox a host that is not reached stays so: pip would ask for 7 s, cargo
 * for 11. With none at all pip does not show the answer. */
static void set_patience(struct building *env, const struct policy *policy)
{
	set(env, "PIP_RETRIES", "1");
	set(env, "CARGO_NET_RETRY", "1");
	/* It waits for 70 s where no name is found. */
	if (policy->egress == EGRESS_NONE)
		set(env, "npm_config_fetch_retries", "0");
}

static void set_place(struct building *env, const struct policy *policy,
		      char *const *program_directories)
{
	static const struct run_account agent = {RUN_USER, RUN_HOME, "/bin/sh", false};

	set_caller_words(env);
	set_path(env, program_directories, RUN_PATH);
	set_account(env, &agent);
	set(env, "TMPDIR", "/tmp");
	set_patience(env, policy);
}

/* Names that stand for a credential, and those of anet itself. */
static bool stays_outside(const char *entry)
{
	char name[256];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(entry, "="), entry);
	return match(secret_names, name) || fnmatch("ANET_*", name, 0) == 0;
}

/* Of a run without a boundary.  It could read the caller's environment in /proc;
 * what its programs send somewhere by themselves it need not have. */
static void set_host_place(struct building *env, const struct run_account *account,
			   char *const *program_directories)
{
	const char *path = account->inherits ? secure_getenv("PATH") : NULL;

	for (char **entry = environ; account->inherits && *entry; entry++)
		if (!stays_outside(*entry))
			list_add(env->arena, &env->list,
				 arena_copy(env->arena, *entry));
	if (!account->inherits) {
		set_caller_words(env);
		set_account(env, account);
	}
	set_path(env, program_directories, path ? path : RUN_PATH);
}

static void set_session(struct building *env, const struct policy *policy)
{
	const struct policy_limits *limits = &policy->limits;

	set(env, "ANET_SESSION", policy->session);
	set(env, "ANET_AGENT", policy->agent);
	set_number(env, "ANET_LIMIT_MEMORY_BYTES", limits->memory_bytes);
	set_number(env, "ANET_LIMIT_TASKS", limits->tasks);
	set_number(env, "ANET_LIMIT_WALL_CLOCK_SECONDS", limits->wall_clock_seconds);
	set_number(env, "ANET_LIMIT_GROWTH_BYTES", limits->growth_bytes);
	set_number(env, "ANET_LIMIT_REQUESTS", limits->requests);
	set_number(env, "ANET_LIMIT_REQUEST_BYTES", limits->request_bytes);
	set_number(env, "ANET_LIMIT_COUNT_TOKENS", limits->count_tokens);
	if (policy->wire != WIRE_NONE)
		set_number(env, "ANET_LIMIT_OUTPUT_TOKENS", limits->output_tokens);
}

#define TUNNEL_PORT_(port) #port
#define TUNNEL_PORT_OF(port) TUNNEL_PORT_(port)
#define TUNNEL_PORT TUNNEL_PORT_OF(ENDPOINT_TUNNEL_PORT)

/* What the clients of other hosts look at.  An agent's own `env` may replace those of
 * programs; of a proxy it may name no other. */
static const char *const tunnel_variables[][2] = {
	/* Of http, too, so that its clients are told at once that there is only https;
	 * in both spellings, since curl and wget take the one, Node.js the other. */
	{"HTTPS_PROXY", ENDPOINT_TUNNEL_ORIGIN},
	{"https_proxy", ENDPOINT_TUNNEL_ORIGIN},
	{"HTTP_PROXY", ENDPOINT_TUNNEL_ORIGIN},
	{"http_proxy", ENDPOINT_TUNNEL_ORIGIN},
	/* The model endpoint, and what the run serves itself. */
	{"NO_PROXY", "localhost,127.0.0.1,::1"},
	{"no_proxy", "localhost,127.0.0.1,::1"},
	/* fetch() and http of Node.js 22.21 and newer. */
	{"NODE_USE_ENV_PROXY", "1"},
	/* Java looks at no *_PROXY.  It says on standard error that it took this. */
	{"JAVA_TOOL_OPTIONS",
	 "-Dhttps.proxyHost=" ENDPOINT_ADDRESS " -Dhttps.proxyPort=" TUNNEL_PORT
	 " -Dhttp.proxyHost=" ENDPOINT_ADDRESS " -Dhttp.proxyPort=" TUNNEL_PORT},
};

/* Which hosts it may reach, since most clients do not say why one was refused, and the
 * way there (SPEC S8). */
static void set_egress(struct building *env, const struct policy *policy)
{
	const struct policy_limits *limits = &policy->limits;
	struct list hosts = {0};

	if (policy->egress == EGRESS_NONE)
		return;
	for (size_t i = 0; i < policy->n_egress_hosts; i++)
		list_add(env->arena, &hosts,
			 arena_copy(env->arena, policy->egress_hosts[i]));
	set(env, "ANET_EGRESS",
	    policy->egress == EGRESS_PUBLIC
		    ? "public"
		    : list_join(env->arena, list_items(env->arena, &hosts), ","));
	set_number(env, "ANET_LIMIT_TUNNELS", limits->tunnels);
	set_number(env, "ANET_LIMIT_TUNNELS_AT_ONCE", limits->tunnels_at_once);
	set_number(env, "ANET_LIMIT_TUNNEL_SENT_BYTES", limits->tunnel_sent_bytes);
	set_number(env, "ANET_LIMIT_TUNNEL_RECEIVED_BYTES",
		   limits->tunnel_received_bytes);
	for (size_t i = 0; i < sizeof(tunnel_variables) / sizeof(tunnel_variables[0]);
	     i++)
		set(env, tunnel_variables[i][0], tunnel_variables[i][1]);
}

static void set_runtime(struct building *env, const struct template_values *values,
			const struct config_texts *texts)
{
	for (size_t i = 0; i < texts->n; i++) {
		const struct config_text *text = &texts->list[i];
		char *value = template_fill_text(env->arena, values, text, false);

		if (value)
			set(env, text->name, value);
	}
}

enum reason run_env_check_agent(const struct runtime *runtime,
				const struct agent *agent, struct detail *ret_detail)
{
	for (char **entry = agent->env; *entry; entry++)
		for (size_t i = 0; i < runtime->env.n; i++)
			if (sets(*entry, runtime->env.list[i].name))
				return explain(ret_detail, REASON_CONFIG_INVALID,
					       "agent \"%s\": `env` has %s, which "
					       "the runtime \"%s\" sets itself",
					       agent->name, runtime->env.list[i].name,
					       runtime->name);
	return REASON_OK;
}

static enum reason set_agent(struct building *env, const struct runtime *runtime,
			     const struct agent *agent, struct detail *ret_detail)
{
	enum reason reason = run_env_check_agent(runtime, agent, ret_detail);

	for (char **entry = agent->env; *entry && reason == REASON_OK; entry++)
		replace_or_add(env, *entry);
	return reason;
}

enum reason run_env_build(struct arena *arena, const struct policy *policy,
			  const struct runtime *runtime, const struct agent *agent,
			  const struct run_account *account,
			  const struct template_values *values,
			  char *const *program_directories, char ***ret_env,
			  struct detail *ret_detail)
{
	struct building env = {.arena = arena};
	enum reason reason;

	if (account)
		set_host_place(&env, account, program_directories);
	else
		set_place(&env, policy, program_directories);
	set_session(&env, policy);
	set_egress(&env, policy);
	set_runtime(&env, values, &runtime->env);
	reason = set_agent(&env, runtime, agent, ret_detail);
	if (reason == REASON_OK)
		*ret_env = list_items(arena, &env.list);
	return reason;
}
