/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "config/package.h"
#include "temporary.h"

static struct arena arena;

static const struct {
	const char *version, *other;
	bool lower;
} versions[] = {
	{"20.20.2", "22", true},	{"22.0.0", "22", false},
	{"22", "22.0.0", false},	{"22", "22.1", true},
	{"22.9.0", "22.22.3", true},	{"22.22.3", "22.22.3", false},
	{"22.23", "22.22.3", false},	{"v20.1.0", "20.1.1", true},
	{"v24.1.0", "v22", false},	{"9.0.0", "10.0.0", true},
	{"1.2.3-beta", "1.2.3", false},
};

static void versions_are_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (version_is_lower(versions[i].version, versions[i].other) !=
		    versions[i].lower)
			fail_msg("%s, %s", versions[i].version, versions[i].other);
}

static struct program script(const char *interpreter, const char *path)
{
	struct list argv = {0};

	if (interpreter)
		list_add(&arena, &argv, arena_copy(&arena, interpreter));
	list_add(&arena, &argv, arena_copy(&arena, temporary_path(path)));
	return (struct program){.argv = argv.items};
}

static const struct {
	const char *text; /* of package.json; NULL: there is none */
	const char *version, *node;
} packages[] = {
	{"{\"version\": \"1.2.3\", \"engines\": {\"node\": \">=22.22.3\"}}", "1.2.3",
	 "22.22.3"},
	{"{\"version\": \"1.2.3-rc.1+x\", \"engines\": {\"node\": \">= 20\"}}", "1.2.3",
	 "20"},
	{"{\"version\": \"v2.0\", \"engines\": {\"node\": \"^20 || >=22\"}}", "2.0",
	 NULL},
	{"{\"version\": \"2\", \"engines\": {\"node\": \">=20 <23\"}}", "2", NULL},
	{"{\"version\": \"2\", \"engines\": [\"node >= 0.4\"]}", "2", NULL},
	{"{\"version\": 2, \"engines\": {\"node\": 20}}", NULL, NULL},
	{"{\"version\": \"\\u001b[31m\"}", NULL, NULL},
	{"{\"version\": \"1.2.3\", \"version\": \"4\"}", NULL, NULL},
	{"[]", NULL, NULL},
	{"", NULL, NULL},
	{NULL, NULL, NULL},
};

static void same(const char *what, const char *got, const char *want)
{
	if (!got != !want || (got && strcmp(got, want) != 0))
		fail_msg("%s: %s, not %s", what, got ? got : "NULL",
			 want ? want : "NULL");
}

static void a_package_says_what_it_is(void **state)
{
	static const char place[] = "node_modules/@scope/tool/package.json";
	struct program program = script(NULL, "node_modules/@scope/tool/bin/cli.js");

	(void)state;
	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
		struct package package;

		if (packages[i].text)
			temporary_file(place, 0644, packages[i].text);
		else
			unlink(temporary_path(place));
		package = package_of(&arena, &program);
		same(packages[i].text, package.version, packages[i].version);
		same(packages[i].text, package.node, packages[i].node);
	}
	/* Others could write it. */
	temporary_file(place, 0666, packages[0].text);
	assert_null(package_of(&arena, &program).version);
}

static void an_interpreter_has_a_version(void **state)
{
	struct program program;

	(void)state;
	program = script("/h/.nvm/versions/node/v22.1.0/bin/node", "x");
	same("nvm", package_interpreter_version(&arena, &program), "22.1.0");
	program = script("/usr/bin/node", "x");
	same("the system's", package_interpreter_version(&arena, &program), NULL);
	program = script("/opt/3.11/bin/python3", "x");
	same("another", package_interpreter_version(&arena, &program), NULL);
	program = script(NULL, "v1.2/node");
	same("none", package_interpreter_version(&arena, &program), NULL);
	temporary_file("node_modules/node/package.json", 0644,
		       "{\"version\": \"22.23.3\"}");
	program = script(temporary_path("node_modules/node/bin/node"), "x");
	same("a package", package_interpreter_version(&arena, &program), "22.23.3");
}

static int end(void **state)
{
	arena_free(&arena);
	return temporary_remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_numbers),
		cmocka_unit_test(a_package_says_what_it_is),
		cmocka_unit_test(an_interpreter_has_a_version),
	};

	return cmocka_run_group_tests(tests, temporary_make, end);
}
