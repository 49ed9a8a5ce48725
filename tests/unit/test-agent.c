/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config-case.h"

#include "core/limits.h"

static void an_agent_is_read_over_the_configuration(void **state)
{
	struct config config;
	struct agent agent;

	(void)state;
	temporary_file("etc/agents.d/dev.json", 0644,
		       "{\"runtime\": \"claude\", \"model\": \"opus\","
		       "\"limits\": {\"tasks\": 99}, \"server_tools\": "
		       "[\"web_search\", \"code_execution\"], \"egress\": \"none\"}");
	temporary_file("user/agents.d/dev.json", 0600,
		       "{\"model\": \"sonnet\", \"workspace\": \"~/x\","
		       "\"env\": {\"A\": \"1\", \"B\": \"\"}}");
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(load_agent("dev", &config, &agent), REASON_OK);
	assert_string_equal(agent.name, "dev");
	assert_string_equal(agent.runtime, "claude");
	assert_string_equal(agent.model, "sonnet");
	assert_string_equal(agent.workspace, "~/x");
	assert_string_equal(agent.env[0], "A=1");
	assert_string_equal(agent.env[1], "B=");
	assert_null(agent.env[2]);
	assert_int_equal(agent.server_tools,
			 SERVER_TOOL_WEB_SEARCH | SERVER_TOOL_CODE_EXECUTION);
	assert_int_equal(config.limits.tasks, 99);
	assert_int_equal(config.limits.memory_bytes, LIMIT_MEMORY_BYTES);
}

static void a_runtime_is_an_agent(void **state)
{
	struct config config;
	struct agent agent;

	(void)state;
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(load_agent("claude", &config, &agent), REASON_OK);
	assert_string_equal(agent.runtime, "claude");
	assert_null(agent.model);
	assert_null(agent.env[0]);
}

static void unknown_agents_are_named(void **state)
{
	static const struct {
		const char *name, *part;
	} unknown[] = {
		{"clade", "did you mean `claude`?"},
		{"Claude", "no agent can be called"},
		{"a-b", "no agent can be called"},
		{"", "no agent can be called"},
		{"../claude", "no agent can be called"},
		{"abcdefghijklmnopqrstuvwxyz0123456", "no agent can be called"},
	};
	struct config config;
	struct agent agent;

	(void)state;
	assert_int_equal(load(&config), REASON_OK);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		assert_int_equal(load_agent(unknown[i].name, &config, &agent),
				 REASON_AGENT_UNKNOWN);
		assert_non_null(strstr(detail.text, unknown[i].part));
	}
	/* 32 are allowed. */
	assert_true(agent_name_is_valid("abcdefghijklmnopqrstuvwxyz012345"));
	assert_false(agent_name_is_valid("abcdefghijklmnopqrstuvwxyz0123456"));
	assert_false(agent_name_is_valid("0a"));
	assert_false(agent_name_is_valid("_a"));
	assert_true(agent_name_is_valid("a_0"));
}

static const struct {
	const char *text;
	const char *part;
} bad_agents[] = {
	{"{}", "has no `runtime`"},
	{"{\"runtime\": \"\"}", "`runtime` must be text, not empty"},
	{"{\"runtime\": \"claude\", \"model\": \"a b\"}", "`model` is \"a b\""},
	{"{\"runtime\": \"claude\", \"env\": {\"LD_PRELOAD\": \"x\"}}", "LD_PRELOAD"},
	{"{\"runtime\": \"claude\", \"env\": {\"X\": 1}}", "\"X\", which is no text"},
	{"{\"runtime\": \"claude\", \"env\": {\"X\": \"a\\u0000b\"}}",
	 "which is no text"},
	{"{\"runtime\": \"claude\", \"env\": []}", "`env` must be an object of texts"},
	{"{\"runtime\": \"claude\", \"egress\": \"pypi.org\"}",
	 "`egress` must be a list of texts, or one of: none, public"},
	{"{\"runtime\": \"claude\", \"egress\": \"publik\"}", "did you mean `public`?"},
	{"{\"runtime\": \"claude\", \"egress\": true}",
	 "`egress` must be a list of texts"},
	{"{\"runtime\": \"claude\", \"egress\": {\"pypi.org\": true}}",
	 "`egress` must be a list of texts"},
	{"{\"runtime\": \"claude\", \"egress\": [1]}", "`egress[0]` must be text"},
	{"{\"runtime\": \"claude\", \"egress\": [\"\"]}", "`egress[0]` must be text"},
	{"{\"runtime\": \"claude\", \"egress\": [\"pypi.org\", \"*.org\"]}",
	 "`egress[1]` is \"*.org\": wildcards are not accepted"},
	{"{\"runtime\": \"claude\", \"egress\": [\"pypi.org:443\"]}", "without port"},
	{"{\"runtime\": \"claude\", \"egress\": [\"a.org\", \"b.org\", \"a.org\"]}",
	 "`egress[2]` is \"a.org\" again"},
	{"{\"runtime\": \"claude\", \"egress\": [\"none\"]}", "this word stands alone"},
	{"{\"runtime\": \"claude\", \"egress\": [\"a.org\\u0000b\"]}",
	 "`egress[0]` must be text"},
	{"{\"runtime\": \"claude\", \"server_tools\": [\"web_serch\"]}",
	 "did you mean `web_search`?"},
	{"{\"runtime\": \"claude\", \"server_tools\": \"web_search\"}",
	 "must be a list of: web_search, web_fetch, code_execution"},
	{"{\"runtime\": \"claude\", \"sandbox\": {}}", "`sandbox` is not a key"},
	{"{\"runtime\": \"claude\", \"strategy\": 1}", "`strategy` must be text"},
	{"{\"runtime\": \"claude\", \"strategi\": \"srt\"}",
	 "did you mean `strategy`?"},
	{"{\"runtime\": \"claude\", \"home\": \"keep\"}",
	 "`home` must be one of: ephemeral, kept; did you mean `kept`?"},
	{"{\"runtime\": \"claude\", \"protect\": \"yes\"}",
	 "`protect` must be true or false"},
	{"{\"runtime\": \"claude\", \"api_base\": \"ftp://x\"}", "`api_base` is"},
	{"{\"runtime\": \"claude\", \"mounts\": [{\"source\": 1}]}",
	 "`mounts[0].source` must be text"},
	{"{\"runtime\": \"claude\", \"runInSandbox\": \"no\"}",
	 "`runInSandbox` must be true or false"},
	{"{\"runtime\": \"claude\", \"execution\": true}", "`execution` must be text"},
	{"{\"runtime\": \"claude\", \"runtime\": \"command\"}",
	 "the object has the key \"runtime\" twice"},
};

static void all_keys_of_an_agent(void **state)
{
	struct config config;
	struct agent agent;

	(void)state;
	temporary_file(
		"etc/agents.d/dev.json", 0644,
		"{\"runtime\": \"claude\", \"strategy\": \"microsandbox\", \"home\": "
		"\"kept\", \"protect\": false, \"api_base\": "
		"\"https://example.org/v1\","
		"\"mounts\": [{\"source\": \"/a\", \"mode\": \"writable\"}],"
		"\"arguments\": [\"-p\", \"x\"]}");
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(load_agent("dev", &config, &agent), REASON_OK);
	assert_string_equal(agent.strategy, "microsandbox");
	assert_int_equal(agent.home, AGENT_HOME_KEPT);
	assert_false(agent.protect);
	assert_string_equal(agent.api_base, "https://example.org/v1");
	assert_int_equal(agent.mounts.n, 1);
	assert_int_equal(agent.mounts.list[0].mode, CONFIG_MOUNT_WRITABLE);
	assert_string_equal(agent.arguments[1], "x");
	assert_string_equal(agent.path, temporary_path("etc/agents.d/dev.json"));
	temporary_file("etc/agents.d/plain.json", 0644, "{\"runtime\": \"claude\"}");
	assert_int_equal(load_agent("plain", &config, &agent), REASON_OK);
	assert_null(agent.strategy);
	assert_int_equal(agent.home, AGENT_HOME_DEFAULT);
	assert_true(agent.protect);
	assert_null(agent.api_base);
	assert_int_equal(agent.mounts.n, 0);
}

static void an_edit_is_read_in_the_place_of_the_file(void **state)
{
	static const char text[] = "{\"runtime\": \"command\"}rest";
	struct places here = places();
	struct config_edit edit = {
		.path = arena_copy(&arena, temporary_path("user/agents.d/dev.json")),
		.text = text,
		.length = strlen(text) - strlen("rest"),
	};
	struct config config;
	struct agent agent;

	(void)state;
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(agent_load_edited(&arena, &here, "dev", &edit, &config, &agent,
					   &detail),
			 REASON_OK);
	assert_string_equal(agent.runtime, "command");
	temporary_file("user/agents.d/dev.json", 0600,
		       "{\"runtime\": \"claude\", \"model\": \"opus\"}");
	assert_int_equal(agent_load_edited(&arena, &here, "dev", &edit, &config, &agent,
					   &detail),
			 REASON_OK);
	assert_null(agent.model);
	edit.length = strlen(text);
	assert_int_equal(agent_load_edited(&arena, &here, "dev", &edit, &config, &agent,
					   &detail),
			 REASON_CONFIG_INVALID);
	edit.text = NULL;
	assert_int_equal(agent_load_edited(&arena, &here, "dev", &edit, &config, &agent,
					   &detail),
			 REASON_AGENT_UNKNOWN);
	/* The other file is read as it is. */
	temporary_file("etc/agents.d/dev.json", 0644, "{\"runtime\": \"claude\"}");
	assert_int_equal(agent_load_edited(&arena, &here, "dev", &edit, &config, &agent,
					   &detail),
			 REASON_OK);
}

static void agents_with_a_file_are_listed_once(void **state)
{
	struct places here = places();
	struct list names = {0};

	(void)state;
	temporary_file("etc/agents.d/b.json", 0644, "{}");
	temporary_file("etc/agents.d/a.json", 0644, "{}");
	temporary_file("user/agents.d/c.json", 0600, "{}");
	temporary_file("user/agents.d/b.json", 0600, "{}");
	assert_int_equal(agent_names(&arena, &here, &names, &detail), REASON_OK);
	assert_string_equal(list_join(&arena, list_items(&arena, &names), " "),
			    "a b c");
}

static void agents_are_checked(void **state)
{
	struct config config;
	struct agent agent;

	(void)state;
	assert_int_equal(load(&config), REASON_OK);
	for (size_t i = 0; i < sizeof(bad_agents) / sizeof(bad_agents[0]); i++) {
		temporary_file("etc/agents.d/bad.json", 0644, bad_agents[i].text);
		assert_int_equal(load_agent("bad", &config, &agent),
				 REASON_CONFIG_INVALID);
		if (!strstr(detail.text, bad_agents[i].part))
			fail_msg("%s: no \"%s\"", detail.text, bad_agents[i].part);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_agent_is_read_over_the_configuration),
		TEST(a_runtime_is_an_agent),
		TEST(unknown_agents_are_named),
		TEST(agents_are_checked),
		TEST(all_keys_of_an_agent),
		TEST(an_edit_is_read_in_the_place_of_the_file),
		TEST(agents_with_a_file_are_listed_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
