/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config-case.h"

#include "core/limits.h"

static void defaults_are_those_of_the_specification(void **state)
{
	struct config config;

	(void)state;
	assert_int_equal(load(&config), REASON_OK);
	assert_true(config.sandbox.host && config.sandbox.srt &&
		    config.sandbox.microsandbox);
	assert_int_equal(config.limits.memory_bytes, LIMIT_MEMORY_BYTES);
	assert_int_equal(config.limits.tasks, LIMIT_TASKS);
	assert_int_equal(config.limits.growth_bytes, LIMIT_GROWTH_BYTES);
	assert_int_equal(config.limits.growth_entries, LIMIT_GROWTH_ENTRIES);
	assert_int_equal(config.limits.output_tokens, LIMIT_OUTPUT_TOKENS);
	assert_int_equal(config.limits.connections_at_once, LIMIT_CONNECTIONS_AT_ONCE);
	assert_int_equal(config.limits.wall_clock_seconds, 0);
	assert_int_equal(config.limits.requests, 0);
	assert_int_equal(config.limits.count_tokens, 0);
	assert_int_equal(config.limits.request_bytes, 0);
	assert_int_equal(config.limits.connections, 0);
	assert_int_equal(config.files.n, 0);
}

static void later_files_win(void **state)
{
	struct config config;

	(void)state;
	temporary_file("etc/config.json", 0644,
		       "{\"limits\": {\"tasks\": 10, \"memory_mib\": 64, "
		       "\"requests\": 1}}");
	temporary_file("etc/config.d/20.json", 0644, "{\"limits\": {\"tasks\": 30}}");
	temporary_file("etc/config.d/10.json", 0644,
		       "{\"limits\": {\"tasks\": 20, \"memory_mib\": 65}}");
	temporary_file("etc/config.d/.hidden.json", 0644, "not JSON");
	temporary_file("etc/config.d/30.json~", 0644, "not JSON");
	temporary_file("user/config.json", 0600, "{\"limits\": {\"requests\": 7}}");
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(config.limits.tasks, 30);
	assert_int_equal(config.limits.memory_bytes, 65ull * 1024 * 1024);
	assert_int_equal(config.limits.requests, 7);
	assert_int_equal(config.files.n, 4);
}

static void off_for_the_machine_stays_off(void **state)
{
	struct config config;

	(void)state;
	temporary_file("etc/config.json", 0644, "{\"sandbox\": {\"srt\": false}}");
	temporary_file("etc/config.d/10.json", 0644, "{\"sandbox\": {\"srt\": true}}");
	temporary_file("user/config.json", 0600,
		       "{\"sandbox\": {\"srt\": true, \"host\": false}}");
	assert_int_equal(load(&config), REASON_OK);
	assert_false(config.sandbox.srt);
	assert_false(config.sandbox.host);
	assert_true(config.sandbox.microsandbox);
}

/* Each as the only file, refused; `part` is in what is said. */
static const struct {
	const char *text;
	const char *part;
} refused[] = {
	{"{\"limit\": {}}",
	 "line 1: `limit` is not a key that anet knows; did you mean `limits`?"},
	{"{\n\"limits\": {\n\"memory_mb\": 1}}",
	 "line 3: `limits.memory_mb` is not a key that anet knows; did you mean "
	 "`memory_mib`?"},
	{"{\"limits\": []}", "`limits` must be an object"},
	{"{\"limits\": {\"tasks\": \"8\"}}", "`limits.tasks` must be a whole number"},
	{"{\"limits\": {\"tasks\": 8.0}}", "`limits.tasks` must be a whole number"},
	{"{\"limits\": {\"tasks\": true}}", "`limits.tasks` must be a whole number"},
	{"{\"limits\": {\"tasks\": null}}", "`limits.tasks` must be a whole number"},
	{"{\"limits\": {\"tasks\": 7}}", "must be from 8 to 4194304"},
	{"{\"limits\": {\"tasks\": 4194305}}", "must be from 8 to 4194304"},
	{"{\"limits\": {\"tasks\": -1}}", "must be from 8"},
	{"{\"limits\": {\"tasks\": 18446744073709551615}}", "must be from 8"},
	{"{\"limits\": {\"memory_mib\": 15}}", "must be from 16 to 16777216"},
	{"{\"limits\": {\"memory_mib\": 16777217}}", "must be from 16 to 16777216"},
	{"{\"limits\": {\"connections_at_once\": 0}}", "must be from 1 to 32"},
	{"{\"limits\": {\"connections_at_once\": 33}}", "must be from 1 to 32"},
	{"{\"limits\": {\"output_tokens\": 0}}", "must be from 1 to 1000000"},
	{"{\"sandbox\": {\"srt\": 1}}", "`sandbox.srt` must be true or false"},
	{"{\"sandbox\": {\"str\": true}}", "did you mean `srt`?"},
	{"{\"sandbox\": true}", "`sandbox` must be an object"},
	{"{\"sandbox\": {\"microsandbox\": 1}}",
	 "`sandbox.microsandbox` must be true, false or an object"},
	{"{\"sandbox\": {\"microsandbox\": {\"cpu\": 1}}}",
	 "`sandbox.microsandbox.cpu` is not a key that anet knows; did you mean "
	 "`cpus`?"},
	{"{\"sandbox\": {\"microsandbox\": {\"cpus\": 0}}}", "must be from 1 to 255"},
	{"{\"sandbox\": {\"microsandbox\": {\"cpus\": 256}}}", "must be from 1 to 255"},
	{"{\"sandbox\": {\"microsandbox\": {\"memoryMiB\": 4294967296}}}",
	 "`sandbox.microsandbox.memoryMiB` must be from 1 to 4294967295"},
	{"{\"sandbox\": {\"microsandbox\": {\"diskGiB\": 4194304}}}",
	 "must be from 1 to 4194303"},
	{"{\"sandbox\": {\"microsandbox\": {\"image\": \"\"}}}",
	 "must be text, not empty"},
	{"{\"sandbox\": {\"mounts\": {}}}",
	 "`sandbox.mounts` must be a list of objects"},
	{"{\"sandbox\": {\"mounts\": [\"/x\"]}}",
	 "`sandbox.mounts[0]` must be an object"},
	{"{\"sandbox\": {\"mounts\": [{\"target\": \"/x\"}]}}",
	 "`sandbox.mounts[0]` has no `source`"},
	{"{\"sandbox\": {\"mounts\": [{\"source\": \"/x\"},\n"
	 "{\"source\": \"/y\", \"mode\": \"writeable\"}]}}",
	 "line 2: `sandbox.mounts[1].mode` must be one of: readonly, writable, "
	 "overlay; "
	 "did you mean `writable`?"},
	{"{\"sandbox\": {\"mounts\": [{\"source\": \"/x\", \"src\": \"/y\"}]}}",
	 "`sandbox.mounts[0].src` is not a key"},
	{"{\"sandbox\": {\"backend\": 1}}", "`sandbox.backend` must be text"},
	{"{\"sandbox\": {\"backend\": \"host\"}}", "would run without one"},
	{"{\"sandbox\": {\"backend\": \"none\"}}", "would run without one"},
	{"{\"host\": {\"user\": \"root\"}}", "`host.user` is \"root\""},
	{"{\"host\": {\"user\": \"A\"}}", "the name of an account has"},
	{"{\"host\": {\"users\": \"a\"}}", "did you mean `user`?"},
	{"{\"security\": {\"requireSandbox\": 1}}",
	 "`security.requireSandbox` must be true or false"},
	/* Nobody is led to a retired key. */
	{"{\"sandbox\": {\"backends\": 1}}",
	 "`sandbox.backends` is not a key that anet knows ["},
	{"{\"zzzzzzzz\": 1}", "`zzzzzzzz` is not a key that anet knows ["},
};

static void what_is_not_known_is_refused(void **state)
{
	struct config config;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		char text[1100];

		temporary_file("etc/config.json", 0644, refused[i].text);
		assert_int_equal(load(&config), REASON_CONFIG_INVALID);
		snprintf(text, sizeof(text), "%s [", detail.text);
		if (!strstr(text, refused[i].part))
			fail_msg("%s: no \"%s\"", text, refused[i].part);
	}
}

/* Retired keys that would give runs more; whatever they say, SPEC S1.8. */
static const struct {
	const char *text, *key;
} refused_keys[] = {
	{"{\"security\": {\"sandboxReadRoots\": []}}", "`security.sandboxReadRoots`"},
	{"{\"security\": {\"sandboxWriteRoots\": null}}",
	 "`security.sandboxWriteRoots`"},
	{"{\"sandbox\": {\"mounts\": [{\"source\": \"/x\", \"readOnly\": true}]}}",
	 "`sandbox.mounts[0].readOnly`"},
};

static void keys_that_would_give_more_are_refused(void **state)
{
	struct config config;

	(void)state;
	for (size_t i = 0; i < sizeof(refused_keys) / sizeof(refused_keys[0]); i++) {
		temporary_file("etc/config.json", 0644, refused_keys[i].text);
		assert_int_equal(load(&config), REASON_KEY_REFUSED);
		if (!strstr(detail.text, refused_keys[i].key) ||
		    !strstr(detail.text, "line 1: ") || !strstr(detail.text, "retired"))
			fail_msg("%s", detail.text);
	}
}

static void microsandbox_may_be_an_object(void **state)
{
	struct config config;

	(void)state;
	temporary_file("etc/config.json", 0644,
		       "{\"sandbox\": {\"microsandbox\": {}}}");
	assert_int_equal(load(&config), REASON_OK);
	assert_true(config.sandbox.microsandbox);
	assert_int_equal(config.sandbox.machine.cpus, 2);
	assert_int_equal(config.sandbox.machine.memory_mib, 2048);
	assert_int_equal(config.sandbox.machine.disk_gib, 10);
	assert_null(config.sandbox.machine.image);
	temporary_file(
		"user/config.json", 0600,
		"{\"sandbox\": {\"microsandbox\": {\"cpus\": 255, \"memoryMiB\": "
		"4294967295, \"diskGiB\": 4194303, \"image\": \"x:1\"}}}");
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(config.sandbox.machine.cpus, 255);
	assert_int_equal(config.sandbox.machine.memory_mib, UINT32_MAX);
	assert_int_equal(config.sandbox.machine.disk_gib, 4194303);
	assert_string_equal(config.sandbox.machine.image, "x:1");
	/* What the machine has switched off, no object switches on. */
	temporary_file("etc/config.json", 0644,
		       "{\"sandbox\": {\"microsandbox\": false}}");
	assert_int_equal(load(&config), REASON_OK);
	assert_false(config.sandbox.microsandbox);
}

static void mounts_are_objects(void **state)
{
	struct config config;

	(void)state;
	temporary_file(
		"etc/config.json", 0644,
		"{\"sandbox\": {\"mounts\": [{\"source\": \"/a\"}, {\"source\": "
		"\"~/b\", \"target\": \"/c\", \"mode\": \"writable\"}, {\"source\": "
		"\"/d\", \"mode\": \"overlay\"}]}}");
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(config.sandbox.mounts.n, 3);
	assert_string_equal(config.sandbox.mounts.list[0].source, "/a");
	assert_null(config.sandbox.mounts.list[0].target);
	assert_int_equal(config.sandbox.mounts.list[0].mode, CONFIG_MOUNT_READONLY);
	assert_string_equal(config.sandbox.mounts.list[1].source, "~/b");
	assert_string_equal(config.sandbox.mounts.list[1].target, "/c");
	assert_int_equal(config.sandbox.mounts.list[1].mode, CONFIG_MOUNT_WRITABLE);
	assert_int_equal(config.sandbox.mounts.list[2].mode, CONFIG_MOUNT_OVERLAY);
	/* A later list takes the place of the earlier one, as every value does. */
	temporary_file("user/config.json", 0600, "{\"sandbox\": {\"mounts\": []}}");
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(config.sandbox.mounts.n, 0);
}

static void bounds_are_inclusive(void **state)
{
	struct config config;

	(void)state;
	temporary_file("etc/config.json", 0644,
		       "{\"limits\": {\"tasks\": 4194304, \"memory_mib\": 16777216,"
		       "\"connections_at_once\": 1, \"growth_mib\": 0,"
		       "\"output_tokens\": 1000000, \"requests\": 1000000000}}");
	assert_int_equal(load(&config), REASON_OK);
	assert_int_equal(config.limits.tasks, 4194304);
	assert_int_equal(config.limits.memory_bytes, 1ull << 44);
	assert_int_equal(config.limits.growth_bytes, 0);
	assert_int_equal(config.limits.output_tokens, 1000000);
	assert_int_equal(config.limits.requests, 1000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(defaults_are_those_of_the_specification),
		TEST(later_files_win),
		TEST(off_for_the_machine_stays_off),
		TEST(what_is_not_known_is_refused),
		TEST(keys_that_would_give_more_are_refused),
		TEST(microsandbox_may_be_an_object),
		TEST(mounts_are_objects),
		TEST(bounds_are_inclusive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
