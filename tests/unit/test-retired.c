/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config-case.h"

#include "config/retired.h"

#define BACKEND "sandbox.backend is retired"
#define REQUIRE "security.requireSandbox is retired and read as sandbox.host: false"

/* Old settings, SPEC S1.8: what they come to, and what is told. */
static const struct {
	const char *system, *drop_in, *user; /* NULL: no such file */
	bool host, srt;
	const char *backend;
	size_t warnings;
	const char *part; /* of the first warning */
} settings[] = {
	{"{\"sandbox\": {\"backend\": \"srt\"}}", NULL, NULL, true, true, "srt", 1,
	 "etc/config.json, line 1: " BACKEND},
	{"{\"sandbox\": {\"backend\": \"microsandbox\"}}", NULL,
	 "{\"sandbox\": {\n\"backend\": \"srt\"}}", true, true, "srt", 2, BACKEND},
	{"{\"sandbox\": {\"backend\": \"gone\", \"srt\": false}}", NULL, NULL, true,
	 false, "gone", 1, BACKEND},
	/* true beats host: true, in whatever file and order. */
	{"{\"security\": {\"requireSandbox\": true}}", NULL, NULL, false, true, NULL, 1,
	 "delete it from this file"},
	{"{\"security\": {\"requireSandbox\": true}, \"sandbox\": {\"host\": true}}",
	 NULL, NULL, false, true, NULL, 1, REQUIRE},
	{"{\"sandbox\": {\"host\": true}, \"security\": {\"requireSandbox\": true}}",
	 NULL, NULL, false, true, NULL, 1, REQUIRE},
	{"{\"security\": {\"requireSandbox\": true}}",
	 "{\"sandbox\": {\"host\": true}}", "{\"sandbox\": {\"host\": true}}", false,
	 true, NULL, 1, REQUIRE},
	{NULL, "{\"security\": {\"requireSandbox\": true}}",
	 "{\"sandbox\": {\"host\": true}}", false, true, NULL, 1, "10.json, line 1: "},
	{"{\"security\": {\"requireSandbox\": true}}", NULL,
	 "{\"security\": {\"requireSandbox\": false}}", false, true, NULL, 2, REQUIRE},
	{"{\"sandbox\": {\"host\": true}}", NULL,
	 "{\"security\": {\"requireSandbox\": true}}", false, true, NULL, 1, REQUIRE},
	{"{\"security\": {\"requireSandbox\": false}}", NULL, NULL, true, true, NULL, 1,
	 "security.requireSandbox is retired and says nothing"},
	{"{\"sandbox\": {\"host\": false}, \"security\": {\"requireSandbox\": false}}",
	 NULL, NULL, false, true, NULL, 1, "retired"},
	{"{\"security\": {}}", NULL, NULL, true, true, NULL, 0, NULL},
};

static void write_or_remove(const char *name, const char *text)
{
	if (text)
		temporary_file(name, 0644, text);
	else
		unlink(temporary_path(name));
}

static void old_settings_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct config config;

		write_or_remove("etc/config.json", settings[i].system);
		write_or_remove("etc/config.d/10.json", settings[i].drop_in);
		write_or_remove("user/config.json", settings[i].user);
		assert_int_equal(load(&config), REASON_OK);
		assert_int_equal(config.sandbox.host, settings[i].host);
		assert_int_equal(config.sandbox.srt, settings[i].srt);
		if (settings[i].backend)
			assert_string_equal(config.retired_backend,
					    settings[i].backend);
		else
			assert_null(config.retired_backend);
		if (config.warnings.n != settings[i].warnings)
			fail_msg("%zu: %zu warnings", i, config.warnings.n);
		if (settings[i].part &&
		    !strstr(config.warnings.items[0], settings[i].part))
			fail_msg("%zu: %s", i, config.warnings.items[0]);
	}
}

/* Old agents: backend of config.json, the two files, the strategy. */
static const struct {
	const char *backend, *system, *user;
	const char *strategy; /* NULL: none was saved */
	size_t warnings;
} agents[] = {
	{NULL, "{\"runtime\": \"claude\"}", NULL, NULL, 0},
	{"microsandbox", "{\"runtime\": \"claude\"}", NULL, NULL, 1},
	{NULL, "{\"runtime\": \"claude\", \"runInSandbox\": true}", NULL, "srt", 1},
	{NULL, "{\"runtime\": \"claude\", \"runInSandbox\": false}", NULL, "host", 1},
	{"microsandbox", "{\"runtime\": \"claude\", \"runInSandbox\": true}", NULL,
	 "microsandbox", 2},
	{"gone", "{\"runtime\": \"claude\", \"runInSandbox\": true}", NULL, "gone", 2},
	{"microsandbox", "{\"runtime\": \"claude\", \"runInSandbox\": false}", NULL,
	 "host", 2},
	{"microsandbox",
	 "{\"runtime\": \"claude\", \"runInSandbox\": true, \"strategy\": \"srt\"}",
	 NULL, "srt", 2},
	{NULL, "{\"runtime\": \"claude\", \"execution\": \"microsandbox\"}", NULL,
	 "microsandbox", 1},
	{NULL,
	 "{\"runtime\": \"claude\", \"execution\": \"srt\", \"runInSandbox\": false}",
	 NULL, "srt", 2},
	{NULL,
	 "{\"runtime\": \"claude\", \"execution\": \"host\", \"strategy\": \"srt\"}",
	 NULL, "srt", 1},
	/* An old word never wins over a new one, whatever file it is in. */
	{NULL, "{\"runtime\": \"claude\", \"strategy\": \"srt\"}",
	 "{\"runInSandbox\": false}", "srt", 1},
	{NULL, "{\"runtime\": \"claude\", \"strategy\": \"srt\"}",
	 "{\"execution\": \"host\"}", "srt", 1},
};

static void old_agents_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(agents) / sizeof(agents[0]); i++) {
		struct config config;
		struct agent agent;

		write_or_remove(
			"etc/config.json",
			agents[i].backend
				? arena_format(&arena,
					       "{\"sandbox\": {\"backend\": \"%s\"}}",
					       agents[i].backend)
				: NULL);
		write_or_remove("etc/agents.d/old.json", agents[i].system);
		write_or_remove("user/agents.d/old.json", agents[i].user);
		assert_int_equal(load(&config), REASON_OK);
		assert_int_equal(load_agent("old", &config, &agent), REASON_OK);
		if (!agents[i].strategy)
			assert_null(agent.strategy);
		else if (!agent.strategy ||
			 strcmp(agent.strategy, agents[i].strategy) != 0)
			fail_msg("%zu: %s", i, agent.strategy);
		if (config.warnings.n != agents[i].warnings)
			fail_msg("%zu: %zu warnings", i, config.warnings.n);
	}
}

static void a_marker_requires_a_sandbox(void **state)
{
	static const char *const markers[] = {"run/" REQUIRE_SANDBOX_FILE,
					      "user-run/" REQUIRE_SANDBOX_FILE};
	struct config config;

	(void)state;
	temporary_file("etc/config.json", 0644, "{\"sandbox\": {\"host\": true}}");
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(load(&config), REASON_OK);
		assert_true(config.sandbox.host);
		temporary_file(markers[i], 0644, "");
		assert_int_equal(load(&config), REASON_OK);
		assert_false(config.sandbox.host);
		assert_true(config.sandbox.srt);
		assert_int_equal(unlink(temporary_path(markers[i])), 0);
	}
}

static size_t untold(const struct config *config, const struct places *here)
{
	char **list = retired_untold(&arena, here, config);
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

static void warnings_are_told_once(void **state)
{
	struct places here = places();
	struct config config;

	(void)state;
	temporary_file("etc/config.json", 0644,
		       "{\"sandbox\": {\"backend\": \"srt\"}, \"security\": "
		       "{\"requireSandbox\": true}}");
	temporary_directories("user-run/x");
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(untold(&config, &here), 2);
	assert_int_equal(untold(&config, &here), 0);
	/* A new one is told, the old ones are not told again. */
	temporary_file("user/config.json", 0600,
		       "{\"sandbox\": {\"backend\": \"srt\"}}");
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(untold(&config, &here), 1);
	assert_int_equal(untold(&config, &here), 0);
	/* Where it cannot be noted, nothing fails and all are told. */
	here.runtime = "/proc/nothing";
	assert_int_equal(untold(&config, &here), 3);
	assert_int_equal(untold(&config, &here), 3);
	here.runtime = NULL;
	assert_int_equal(untold(&config, &here), 3);
}

static void the_strategy_of_an_old_word_comes_from_its_line(void **state)
{
	struct places here = places();
	struct config_notes notes = {.complete = true};
	const struct config_origin *origin;
	struct config config;
	struct agent agent;

	(void)state;
	temporary_file("etc/agents.d/old.json", 0644,
		       "{\"runtime\": \"claude\",\n\"runInSandbox\": false}");
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(agent_load_noted(&arena, &here, "old", &notes, &config, &agent,
					  &detail),
			 REASON_OK);
	origin = notes_find_origin(&notes, "strategy");
	assert_non_null(origin);
	assert_int_equal(origin->line, 2);
	assert_null(notes_find_origin(&notes, "model"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(old_settings_are_read),
		TEST(old_agents_are_read),
		TEST(a_marker_requires_a_sandbox),
		TEST(warnings_are_told_once),
		TEST(the_strategy_of_an_old_word_comes_from_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
