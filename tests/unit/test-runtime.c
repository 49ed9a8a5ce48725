/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cli/doctor.h"
#include "config/runtime.h"
#include "core/limits.h"
#include "temporary.h"

static struct arena arena;
static struct detail detail;

static struct places places(void)
{
	return (struct places){
		.uid = geteuid(),
		.system = arena_copy(&arena, temporary_path("etc")),
		.data = arena_copy(&arena, temporary_path("share")),
	};
}

static enum reason load(const char *name, struct runtime *ret_runtime)
{
	struct places here = places();

	memset(&detail, 0, sizeof(detail));
	return runtime_load(&arena, &here, name, ret_runtime, &detail);
}

static void the_systems_comes_first(void **state)
{
	struct places here = places();
	struct runtime runtime;
	struct list names = {0};

	(void)state;
	temporary_file(
		"share/runtimes/r.json", 0644,
		"{\"name\": \"r\", \"wire\": \"anthropic\", \"host\": \"a.example\","
		"\"credential\": {\"name\": \"k\", \"env\": [\"K\"]}}");
	temporary_file("share/runtimes/s.json", 0644, "{\"name\": \"s\"}");
	assert_int_equal(load("r", &runtime), REASON_OK);
	assert_string_equal(runtime.host, "a.example");
	assert_int_equal(runtime.port, 443);
	assert_int_equal(runtime.wire, WIRE_ANTHROPIC);
	assert_string_equal(runtime.credential.env[0], "K");
	assert_null(runtime.program.names[0]);
	assert_int_equal(runtime.env.n, 0);
	assert_null(runtime.task[0]);
	temporary_file(
		"etc/runtimes/r.json", 0644,
		"{\"name\": \"r\", \"wire\": \"anthropic\", \"scheme\": \"http\","
		"\"host\": \"127.0.0.1\", \"base_path\": \"/v1/x\","
		"\"credential\": {\"name\": \"k\"}}");
	assert_int_equal(load("r", &runtime), REASON_OK);
	assert_string_equal(runtime.host, "127.0.0.1");
	assert_int_equal(runtime.port, 80);
	assert_string_equal(runtime.base_path, "/v1/x");
	runtime_list(&arena, &here, &names);
	assert_int_equal(names.n, 2);
	assert_true(runtime_exists(&arena, &here, "s"));
	assert_false(runtime_exists(&arena, &here, "t"));
}

#define WIRE "\"name\": \"r\", \"wire\": \"anthropic\""
#define KEY ", \"credential\": {\"name\": \"k\"}"

static const struct {
	const char *text;
	const char *part;
} refused[] = {
	{"{}", "its `name` must be that of the file"},
	{"{\"name\": \"s\"}", "its `name` must be that of the file"},
	{"{\"name\": \"r\", \"wire\": \"antropic\"}", "did you mean `anthropic`?"},
	{"{" WIRE KEY ", \"port\": 1}", "go with a `host`"},
	{"{" WIRE KEY ", \"base_path\": \"/v1\"}", "go with a `host`"},
	{"{" WIRE KEY ", \"scheme\": \"http\"}", "go with a `host`"},
	{"{" WIRE ", \"host\": \"a\"}", "needs a `credential.name`"},
	{"{\"name\": \"r\", \"host\": \"a\"}", "without a `wire`"},
	{"{\"name\": \"r\"" KEY "}", "without a `wire`"},
	{"{" WIRE KEY ", \"host\": \"A\"}", "in lower case"},
	{"{" WIRE KEY ", \"host\": \"a/b\"}", "no letter"},
	{"{" WIRE KEY ", \"host\": \"a:80\"}", "an IPv6 address"},
	{"{" WIRE KEY ", \"host\": \"a\", \"api_base\": \"optional\"}", "has a `host`"},
	{"{\"name\": \"r\", \"api_base\": \"optional\"}", "without a `wire`"},
	{"{" WIRE KEY ", \"api_base\": \"maybe\"}", "`api_base`"},
	{"{" WIRE KEY ", \"host\": \"a\", \"scheme\": \"http\"}", "loopback"},
	{"{" WIRE KEY ", \"host\": \"1.2.3.4\", \"scheme\": \"http\"}", "loopback"},
	{"{" WIRE KEY ", \"host\": \"127.0.0.1.example\", \"scheme\": \"http\"}",
	 "loopback"},
	{"{" WIRE KEY ", \"host\": \"a\", \"port\": 0}", "from 1 to 65535"},
	{"{" WIRE KEY ", \"host\": \"a\", \"port\": 65536}", "from 1 to 65535"},
	{"{" WIRE KEY ", \"host\": \"a\", \"base_path\": \"x\"}", "`base_path`"},
	{"{" WIRE KEY ", \"host\": \"a\", \"base_path\": \"/x/\"}", "`base_path`"},
	{"{" WIRE KEY ", \"host\": \"a\", \"base_path\": \"/../x\"}", "`base_path`"},
	{"{" WIRE KEY ", \"host\": \"a\", \"base_path\": \"/x?y\"}", "`base_path`"},
	{"{" WIRE KEY ", \"host\": \"a\", \"base_path\": \"/x//y\"}", "`base_path`"},
	{"{\"name\": \"r\", \"env\": {\"A\": 1}}", "neither text nor an object"},
	{"{\"name\": \"r\", \"env\": {\"A\": \"${HOMES}\"}}", "has ${HOMES}"},
	{"{\"name\": \"r\", \"env\": {\"A\": \"${TASK}\"}}", "has ${TASK}"},
	{"{\"name\": \"r\", \"env\": {\"A\": {\"${X}\": 1}}}", "has ${X}"},
	{"{\"name\": \"r\", \"files\": []}", "must be an object"},
	{"{\"name\": \"r\", \"files\": {\"a\": null}}", "neither text nor"},
	{"{\"name\": \"r\", \"files\": {\"a\": \"x\\u0000\"}}", "neither text nor"},
	{"{\"name\": \"r\", \"files\": {\"/a\": \"\"}}", "below the home"},
	{"{\"name\": \"r\", \"files\": {\"a/../../b\": \"\"}}", "below the home"},
	{"{\"name\": \"r\", \"files\": {\"\": \"\"}}", "below the home"},
	{"{\"name\": \"r\", \"files\": {\"a\": [\"${}\"]}}", "has ${}"},
	{"{\"name\": \"r\", \"arguments\": [\"${PLACEHOLDER_KEY}\"]}",
	 "has ${PLACEHOLDER_KEY}"},
	{"{\"name\": \"r\", \"sandboxed\": [\"${TASK}\"]}", "`sandboxed` has ${TASK}"},
	{"{\"name\": \"r\", \"interactive\": [\"${TASK}\"]}", "`interactive` has"},
	{"{\"name\": \"r\", \"task\": [\"${PLACEHOLDER_KEY}\", \"${TASK}\"]}",
	 "`task` has ${PLACEHOLDER_KEY}"},
	{"{\"name\": \"r\", \"task\": []}", "must have ${TASK}, once"},
	{"{\"name\": \"r\", \"task\": [\"-p\"]}", "must have ${TASK}, once"},
	{"{\"name\": \"r\", \"task\": [\"${TASK}\", \"--x=${TASK}\"]}",
	 "must have ${TASK}, once"},
	{"{\"name\": \"r\", \"unsupported\": \"\"}", "not empty"},
	{"{\"name\": \"r\", \"env\": {\"LD_PRELOAD\": \"x\"}}", "LD_PRELOAD"},
	{"{\"name\": \"r\", \"program\": {\"names\": [\"a/b\"]}}", "not a path"},
	{"{\"name\": \"r\", \"program\": {\"names\": \"a\"}}", "must be a list"},
	{"{\"name\": \"r\", \"credential\": {\"env\": [\"A B\"]}}", "not the name"},
};

static void what_cannot_be_is_refused(void **state)
{
	struct runtime runtime;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		temporary_file("share/runtimes/r.json", 0644, refused[i].text);
		if (load("r", &runtime) != REASON_CONFIG_INVALID ||
		    !strstr(detail.text, refused[i].part))
			fail_msg("%s: %s", refused[i].text, detail.text);
	}
	assert_int_equal(load("none", &runtime), REASON_AGENT_UNKNOWN);
}

static const struct {
	const char *host;
	bool want;
} hosts[] = {
	{"localhost", true},	{"127.0.0.1", true},
	{"127.255.0.1", true},	{"::1", true},
	{"128.0.0.1", false},	{"127.1", false},
	{"127.0.0.01", false},	{"localhost.x", false},
	{"127.0.0.1.x", false}, {"::ffff:127.0.0.1", false},
	{"0.0.0.0", false},	{"", false},
};

static void loopback_hosts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		if (host_is_loopback(hosts[i].host) != hosts[i].want)
			fail_msg("%s", hosts[i].host);
}

static const struct {
	const char *line;
	bool want;
} lines[] = {
	{"profile bwrap /usr/bin/bwrap flags=(unconfined) {", true},
	{"profile bwrap /usr/bin/bwrap {", true},
	{"/usr/bin/bwrap {", true},
	{"  \"/usr/bin/bwrap\" flags=(complain) {", true},
	{"profile x /usr/bin/bwrap{", true},
	{"# profile bwrap /usr/bin/bwrap {", false},
	{"  /usr/bin/bwrap px,", false},
	{"  /usr/bin/bwrap cx -> x,", false},
	{"profile bwrap /usr/bin/bwrapper {", false},
	{"profile bwrap /opt/usr/bin/bwrap {", false},
	{"profile other /usr/bin/other {", false},
	{"owner /usr/bin/bwrap {", false},
	{"", false},
};

static void profiles_that_attach(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (apparmor_line_attaches(lines[i].line, "/usr/bin/bwrap") !=
		    lines[i].want)
			fail_msg("%s", lines[i].line);
}

static int no_more(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

#define TEST(function)                                                                 \
	cmocka_unit_test_setup_teardown(function, temporary_make, temporary_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_systems_comes_first),
		TEST(what_cannot_be_is_refused),
		cmocka_unit_test(loopback_hosts),
		cmocka_unit_test(profiles_that_attach),
	};

	return cmocka_run_group_tests(tests, NULL, no_more);
}
