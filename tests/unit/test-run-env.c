/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "config/run-env.h"

static struct arena arena;
static struct detail detail;

static const struct {
	const char *name;
	bool by_runtime, by_agent;
} names[] = {
	{"FOO", true, true},
	{"_x9", true, true},
	{"CLAUDE_CODE_MAX_OUTPUT_TOKENS", true, true},
	{"TMPDIR", true, true},
	{"LDFLAGS", true, true},
	{"PATHS", true, true},
	{"PROXY", true, true},
	{"TOKEN", true, true},
	{"LANG", true, true},
	{"", false, false},
	{"9A", false, false},
	{"A-B", false, false},
	{"A=B", false, false},
	{"A B", false, false},
	{"\xc3\x84", false, false},
	{"LD_PRELOAD", false, false},
	{"ld_library_path", false, false},
	{"HTTP_PROXY", false, false},
	{"https_proxy", false, false},
	{"no_proxy", false, false},
	{"ALL_PROXY", false, false},
	{"SSH_AUTH_SOCK", false, false},
	{"DBUS_SESSION_BUS_ADDRESS", false, false},
	{"DISPLAY", false, false},
	{"WAYLAND_DISPLAY", false, false},
	{"XAUTHORITY", false, false},
	{"DOCKER_HOST", false, false},
	{"GPG_AGENT_INFO", false, false},
	{"XDG_RUNTIME_DIR", false, false},
	{"PATH", false, false},
	{"HOME", false, false},
	{"USER", false, false},
	{"LOGNAME", false, false},
	{"ANET_LIMIT_TASKS", false, false},
	{"ANTHROPIC_API_KEY", true, false},
	{"GITHUB_TOKEN", true, false},
	{"github_token", true, false},
	{"CLIENT_SECRET", true, false},
	{"DB_PASSWORD", true, false},
	{"AWS_REGION", true, false},
};

static void names_are_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = names[i].name;

		if ((run_env_check_runtime_name(name) == NULL) != names[i].by_runtime ||
		    (run_env_check_name(name) == NULL) != names[i].by_agent)
			fail_msg("\"%s\"", name);
	}
}

static const struct {
	const char *word;
	bool plain;
} words[] = {
	{"C", true},
	{"C.UTF-8", true},
	{"de_DE@euro", true},
	{"xterm-256color", true},
	{"screen.xterm-new", true},
	{"0123456789012345678901234567890123456789", true},
	{"01234567890123456789012345678901234567890", false},
	{"", false},
	{"a b", false},
	{"a/b", false},
	{"../x", false},
	{"$(x)", false},
	{"a\n", false},
	{"\xc3\xa4", false},
};

static void words_are_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (run_env_word_is_plain(words[i].word) != words[i].plain)
			fail_msg("\"%s\"", words[i].word);
}

static struct runtime runtime_with(struct config_text *env)
{
	static char path[] = "claude.json", name[] = "claude";
	size_t n = 0;

	while (env[n].name)
		n++;
	return (struct runtime){.path = path, .name = name, .env = {env, n}};
}

static struct policy policy(void)
{
	return (struct policy){
		.wire = WIRE_ANTHROPIC,
		.session = "dev-abcdefgh",
		.agent = "dev",
		.model = "m-1",
		.limits = {.tasks = 256,
			   .output_tokens = 8192,
			   .request_bytes = 16u << 20},
	};
}

static enum reason build(const struct policy *with, struct config_text *runtime_env,
			 char **agent_env, char **directories, char ***ret_env)
{
	struct runtime runtime = runtime_with(runtime_env);
	struct agent agent = {.name = "dev", .env = agent_env};
	const struct template_values values = {
		.of = {
			[TEMPLATE_ENDPOINT] = "http://127.0.0.1:8118",
			[TEMPLATE_PLACEHOLDER_KEY] = "key",
			[TEMPLATE_MODEL] = with->model,
		}};

	return run_env_build(&arena, with, &runtime, &agent, NULL, &values, directories,
			     ret_env, &detail);
}

static const char *value(char **env, const char *name)
{
	size_t length = strlen(name);
	const char *found = NULL;

	for (; *env; env++) {
		if (strncmp(*env, name, length) != 0 || (*env)[length] != '=')
			continue;
		assert_null(found); /* each once */
		found = *env + length + 1;
	}
	return found;
}

static void it_is_built_from_empty(void **state)
{
	struct policy with = policy();
	char *none[] = {NULL};
	struct config_text nothing[] = {{0}};
	char **env = NULL;

	(void)state;
	clearenv();
	setenv("LANG", "de_DE.UTF-8", 1);
	setenv("LC_ALL", "bad value", 1);
	setenv("TERM", "xterm", 1);
	setenv("TZ", "Europe/Berlin", 1);
	setenv("SECRET", "x", 1);
	setenv("LC_MESSAGES", "C", 1);
	assert_int_equal(build(&with, nothing, none, none, &env), REASON_OK);
	assert_string_equal(value(env, "LANG"), "de_DE.UTF-8");
	assert_null(value(env, "LC_ALL"));
	assert_null(value(env, "SECRET"));
	assert_null(value(env, "LC_MESSAGES"));
	assert_string_equal(value(env, "TERM"), "xterm");
	assert_string_equal(value(env, "TZ"), "Europe/Berlin");
	assert_string_equal(value(env, "HOME"), "/home/agent");
	assert_string_equal(value(env, "USER"), "agent");
	assert_string_equal(value(env, "ANET_SESSION"), "dev-abcdefgh");
	assert_string_equal(value(env, "ANET_LIMIT_TASKS"), "256");
	assert_string_equal(value(env, "ANET_LIMIT_OUTPUT_TOKENS"), "8192");
	assert_null(value(env, "ANET_LIMIT_REQUESTS"));
	assert_null(value(env, "ANET_LIMIT_COUNT_TOKENS"));
	assert_string_equal(value(env, "ANET_LIMIT_REQUEST_BYTES"), "16777216");
	assert_null(value(env, "ANET_LIMIT_MEMORY_BYTES"));
}

static void what_is_odd_is_left_out(void **state)
{
	static const char *const zones[] = {"/etc/shadow", "../x", "a/../b", "", "a b"};
	struct policy with = policy();
	char *none[] = {NULL};
	struct config_text nothing[] = {{0}};
	char **env = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++) {
		clearenv();
		setenv("TZ", zones[i], 1);
		assert_int_equal(build(&with, nothing, none, none, &env), REASON_OK);
		assert_null(value(env, "TZ"));
		assert_string_equal(value(env, "LANG"), "C.UTF-8");
		assert_null(value(env, "TERM"));
	}
	setenv("TZ", "<+03>-3,M3.2.0/2:00", 1);
	assert_int_equal(build(&with, nothing, none, none, &env), REASON_OK);
	assert_string_equal(value(env, "TZ"), "<+03>-3,M3.2.0/2:00");
}

static void names_in_values_are_replaced(void **state)
{
	char url[] = "URL", url_text[] = "${ENDPOINT}/v1", m[] = "M",
	     m_text[] = "${MODEL}", json[] = "JSON",
	     json_text[] = "{\"a\": [\"x${MODEL}\"], \"b\": 1.50}";
	struct config_text runtime[] = {{url, url_text, false},
					{m, m_text, false},
					{json, json_text, true},
					{0}};
	struct policy with = policy();
	char *none[] = {NULL};
	char **env = NULL;

	(void)state;
	assert_int_equal(build(&with, runtime, none, none, &env), REASON_OK);
	assert_string_equal(value(env, "URL"), "http://127.0.0.1:8118/v1");
	assert_string_equal(value(env, "M"), "m-1");
	assert_string_equal(value(env, "JSON"), "{\"a\":[\"xm-1\"],\"b\":1.50}");
	with.model[0] = 0;
	assert_int_equal(build(&with, runtime, none, none, &env), REASON_OK);
	assert_null(value(env, "M"));
	assert_string_equal(value(env, "JSON"), "{\"a\":[],\"b\":1.50}");
}

static void the_agents_own_come_last(void **state)
{
	struct policy with = policy();
	char base[] = "BASE", one[] = "1";
	struct config_text runtime[] = {{base, one, false}, {0}};
	char *agent[] = {"LANG=fr_FR.UTF-8", "X=a=b", NULL},
	     *clash[] = {"BASE=2", NULL};
	char *directories[] = {"/opt/x/bin", NULL};
	char **env = NULL;

	(void)state;
	clearenv();
	setenv("LANG", "C", 1);
	assert_int_equal(build(&with, runtime, agent, directories, &env), REASON_OK);
	assert_string_equal(value(env, "LANG"), "fr_FR.UTF-8");
	assert_string_equal(value(env, "X"), "a=b");
	assert_memory_equal(value(env, "PATH"), "/opt/x/bin:/usr/local/bin:", 26);
	assert_int_equal(build(&with, runtime, clash, directories, &env),
			 REASON_CONFIG_INVALID);
	assert_non_null(strstr(detail.text, "BASE"));
}

static const struct {
	const char *name, *value; /* NULL: it is not set */
} of_tunnels[] = {
	{"HTTPS_PROXY", "http://127.0.0.1:8119"},
	{"https_proxy", "http://127.0.0.1:8119"},
	{"HTTP_PROXY", "http://127.0.0.1:8119"},
	{"http_proxy", "http://127.0.0.1:8119"},
	{"ALL_PROXY", NULL},
	{"NO_PROXY", "localhost,127.0.0.1,::1"},
	{"no_proxy", "localhost,127.0.0.1,::1"},
	{"NODE_USE_ENV_PROXY", "1"},
	{"JAVA_TOOL_OPTIONS", "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=8119 "
			      "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=8119"},
	{"ANET_LIMIT_TUNNELS", "256"},
	{"ANET_LIMIT_TUNNELS_AT_ONCE", "16"},
	{"ANET_LIMIT_TUNNEL_SENT_BYTES", NULL}, /* no limit */
	{"ANET_LIMIT_TUNNEL_RECEIVED_BYTES", "5"},
};

static void other_hosts_have_a_way(void **state)
{
	static const struct {
		enum policy_egress egress;
		uint16_t n;
		const char *hosts;
	} cases[] = {
		{EGRESS_NONE, 0, NULL},
		{EGRESS_LIST, 1, "a.example.org"},
		{EGRESS_LIST, 2, "a.example.org,b.example.org"},
		{EGRESS_PUBLIC, 0, "public"},
	};
	struct policy with = policy();
	char *agent[] = {"PIP_RETRIES=7", NULL}, *none[] = {NULL};
	struct config_text nothing[] = {{0}};
	char **env = NULL;

	(void)state;
	with.limits.tunnels = 256;
	with.limits.tunnels_at_once = 16;
	with.limits.tunnel_received_bytes = 5;
	strcpy(with.egress_hosts[0], "a.example.org");
	strcpy(with.egress_hosts[1], "b.example.org");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		with.egress = (uint16_t)cases[i].egress;
		with.n_egress_hosts = cases[i].n;
		assert_int_equal(build(&with, nothing, cases[i].hosts ? agent : none,
				       none, &env),
				 REASON_OK);
		/* What is not reached is not asked for again and again. */
		assert_string_equal(value(env, "CARGO_NET_RETRY"), "1");
		assert_string_equal(value(env, "PIP_RETRIES"),
				    cases[i].hosts ? "7" /* the agent's own */ : "1");
		if (cases[i].hosts) {
			assert_string_equal(value(env, "ANET_EGRESS"), cases[i].hosts);
			assert_null(value(env, "npm_config_fetch_retries"));
		} else {
			assert_null(value(env, "ANET_EGRESS"));
			assert_string_equal(value(env, "npm_config_fetch_retries"),
					    "0");
		}
		for (size_t k = 0; k < sizeof(of_tunnels) / sizeof(of_tunnels[0]);
		     k++) {
			const char *found = value(env, of_tunnels[k].name);

			if (cases[i].hosts && of_tunnels[k].value)
				assert_string_equal(found, of_tunnels[k].value);
			else
				assert_null(found);
		}
	}
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_judged),
		cmocka_unit_test(words_are_judged),
		cmocka_unit_test(it_is_built_from_empty),
		cmocka_unit_test(what_is_odd_is_left_out),
		cmocka_unit_test(names_in_values_are_replaced),
		cmocka_unit_test(the_agents_own_come_last),
		cmocka_unit_test(other_hosts_have_a_way),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
