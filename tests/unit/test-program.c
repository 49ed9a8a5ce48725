/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "config/program.h"
#include "config/shebang.h"
#include "temporary.h"

static struct arena arena;
static struct detail detail;

static const struct {
	const char *line;
	const char *want; /* interpreter and arguments; NULL: no script of ours */
} shebangs[] = {
	{"#!/bin/sh\n", "/bin/sh"},
	{"#!/bin/sh", "/bin/sh"},
	{"#! \t/bin/sh \t\nx", "/bin/sh"},
	{"#!/bin/sh -eu\n", "/bin/sh -eu"},
	{"#!/bin/sh -e -u \n", "/bin/sh [-e -u]"},
	{"#!/usr/bin/env node\n", "node"},
	{"#!/usr/bin/env  node \n", "node"},
	{"#!/usr/bin/env -S node --title=x -q\n", "node --title=x -q"},
	{"#!/usr/bin/env -Snode\n", "node"},
	{"#!/bin/env python3\n", "python3"},
	{"#!/usr/bin/env\n", "/usr/bin/env"},
	{"#!/usr/bin/env -i node\n", NULL},
	{"#!/usr/bin/env A=b node\n", NULL},
	{"#!/usr/bin/env -S\n", NULL},
	{"#!/usr/bin/env -S A=b node\n", NULL},
	{"#!node\n", NULL},
	{"#!./node\n", NULL},
	{"#!\n", NULL},
	{"#! \n", NULL},
	{"#!", NULL},
	{"#", NULL},
	{"", NULL},
	{"\177ELF", NULL},
	{" #!/bin/sh\n", NULL},
};

/* "a b [c d]": words, those with a blank in brackets. */
static void join(const struct shebang *shebang, char *ret_text, size_t size)
{
	size_t used = (size_t)snprintf(ret_text, size, "%s", shebang->interpreter);

	for (char **word = shebang->arguments; *word; word++)
		used += (size_t)snprintf(ret_text + used, size - used,
					 strchr(*word, ' ') ? " [%s]" : " %s", *word);
}

static void first_lines_are_parsed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shebangs) / sizeof(shebangs[0]); i++) {
		struct shebang shebang;
		char text[128];
		bool got = shebang_parse(&arena, shebangs[i].line,
					 strlen(shebangs[i].line), &shebang);

		if (got != (shebangs[i].want != NULL))
			fail_msg("%s: %d", shebangs[i].line, got);
		if (!got)
			continue;
		join(&shebang, text, sizeof(text));
		assert_string_equal(text, shebangs[i].want);
	}
}

static void every_beginning_of_a_line_is_safe(void **state)
{
	static const char line[] = "#!/usr/bin/env -S node --a\n";

	(void)state;
	for (size_t length = 0; length < sizeof(line); length++) {
		char *copy = malloc(length + 1);
		struct shebang shebang;

		assert_non_null(copy);
		memcpy(copy, line, length);
		(void)shebang_parse(&arena, copy, length, &shebang);
		free(copy);
	}
}

static void a_line_that_was_cut_is_none(void **state)
{
	struct shebang shebang;
	char line[256];

	(void)state;
	memset(line, 'x', sizeof(line));
	memcpy(line, "#!/", 3);
	assert_false(shebang_parse(&arena, line, 256, &shebang));
	assert_true(shebang_parse(&arena, line, 255, &shebang));
	line[100] = 0;
	assert_false(shebang_parse(&arena, line, 255, &shebang));
}

static const struct {
	const char *path;
	const char *root;
} packages[] = {
	{"/a/node_modules/@s/n/bin/x", "/a/node_modules/@s/n"},
	{"/a/node_modules/n/x", "/a/node_modules/n"},
	{"/a/node_modules/n/node_modules/m/x", "/a/node_modules/n/node_modules/m"},
	{"/node_modules/n/x", "/node_modules/n"},
	{"/a/node_modules/x", NULL},
	{"/a/node_modules/@s/x", NULL},
	{"/a/node_modules", NULL},
	{"/a/my_node_modules/n/x", NULL},
	{"/a/b", NULL},
};

static void package_roots(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
		const char *root = npm_package_root(&arena, packages[i].path);

		if (packages[i].root)
			assert_string_equal(root, packages[i].root);
		else
			assert_null(root);
	}
}

static void system_paths(void **state)
{
	(void)state;
	assert_true(path_is_system("/usr/bin/x"));
	assert_true(path_is_system("/bin/x"));
	assert_true(path_is_system("/lib64/x"));
	assert_false(path_is_system("/usr"));
	assert_false(path_is_system("/usrx/y"));
	assert_false(path_is_system("/opt/usr/x"));
	assert_false(path_is_system("/home/x/usr/bin/y"));
}

static struct places places(void)
{
	return (struct places){
		.uid = geteuid(),
		.home = arena_copy(&arena, temporary_path("home")),
	};
}

static void searches_are_expanded(void **state)
{
	struct places here = places();
	struct list found = {0};

	(void)state;
	temporary_directories("home/.nvm/v9.1.0/bin/");
	temporary_directories("home/.nvm/v22.3.0/bin/");
	temporary_directories("home/.nvm/v10.20.0/bin/");
	temporary_directories("home/.nvm/.hidden/bin/");
	search_expand(&arena, &here, "~/.nvm/*/bin", &found);
	assert_int_equal(found.n, 3);
	assert_string_equal(found.items[0], temporary_path("home/.nvm/v22.3.0/bin"));
	assert_string_equal(found.items[1], temporary_path("home/.nvm/v10.20.0/bin"));
	assert_string_equal(found.items[2], temporary_path("home/.nvm/v9.1.0/bin"));
	found = (struct list){0};
	search_expand(&arena, &here, "/opt", &found);
	search_expand(&arena, &here, "~", &found);
	search_expand(&arena, &here, "relative/bin", &found);
	search_expand(&arena, &here, "/nonexistent/*/bin", &found);
	search_expand(&arena, &here, "~other/bin", &found);
	assert_int_equal(found.n, 2);
	assert_string_equal(found.items[0], "/opt");
	assert_string_equal(found.items[1], here.home);
	here.home = NULL;
	search_expand(&arena, &here, "~/bin", &found);
	assert_int_equal(found.n, 2);
}

/* A runtime "r" whose program is "tool", looked for in PATH and ~/bin. */
static struct runtime runtime(void)
{
	static char *names[] = {"tool", NULL}, *search[] = {"~/bin", "~/v/*/bin", NULL},
		    *skip[] = {"shim", NULL}, name[] = "r";
	struct runtime made = {.name = name};

	made.program.names = names;
	made.program.search = search;
	made.program.skip = skip;
	return made;
}

static enum reason find(struct program *ret_program)
{
	struct places here = places();
	struct runtime what = runtime();

	memset(&detail, 0, sizeof(detail));
	return program_find(&arena, &here, &what, temporary_path("home/work"),
			    ret_program, &detail);
}

#define ELF "\177ELF and so on"

static void a_native_program_is_mounted_alone(void **state)
{
	struct program program;

	(void)state;
	setenv("PATH", temporary_path("home/bin"), 1);
	temporary_file("opt/versions/1.2.3", 0755, ELF);
	temporary_link("home/bin/tool", temporary_path("opt/versions/1.2.3"));
	assert_int_equal(find(&program), REASON_OK);
	assert_string_equal(program.path, temporary_path("home/bin/tool"));
	assert_string_equal(program.argv[0], temporary_path("opt/versions/1.2.3"));
	assert_null(program.argv[1]);
	assert_string_equal(program.mounts[0], program.argv[0]);
	assert_null(program.mounts[1]);
	assert_string_equal(program.directories[0], temporary_path("opt/versions"));
}

static void a_package_is_mounted_with_its_native_sibling(void **state)
{
	struct program program;

	(void)state;
	setenv("PATH", "/nonexistent", 1);
	temporary_file("home/lib/node_modules/@s/tool/cli.js", 0755,
		       "#!/usr/bin/env node\n");
	temporary_file("home/lib/node_modules/@s/tool-linux/tool", 0755, ELF);
	temporary_file("home/lib/node_modules/@s/toolbox/x", 0755, ELF);
	temporary_file("home/v/v1/bin/node", 0755, ELF);
	temporary_link("home/v/v1/bin/tool",
		       "../../../lib/node_modules/@s/tool/cli.js");
	/* Another node, which is not beside the link. */
	temporary_file("home/bin/node", 0755, ELF);
	assert_int_equal(find(&program), REASON_OK);
	assert_string_equal(program.argv[0], temporary_path("home/v/v1/bin/node"));
	assert_string_equal(program.argv[1],
			    temporary_path("home/lib/node_modules/@s/tool/cli.js"));
	assert_null(program.argv[2]);
	assert_string_equal(program.mounts[0],
			    temporary_path("home/lib/node_modules/@s/tool"));
	assert_string_equal(program.mounts[1],
			    temporary_path("home/lib/node_modules/@s/tool-linux"));
	assert_string_equal(program.mounts[2], program.argv[0]);
	assert_null(program.mounts[3]);
}

static void a_script_of_the_shell_needs_no_mount_but_itself(void **state)
{
	struct program program;

	(void)state;
	setenv("PATH", temporary_path("home/bin"), 1);
	temporary_file("home/bin/tool", 0755, "#!/bin/sh -e\necho x\n");
	assert_int_equal(find(&program), REASON_OK);
	assert_string_equal(program.argv[0], "/bin/sh");
	assert_string_equal(program.argv[1], "-e");
	assert_string_equal(program.argv[2], temporary_path("home/bin/tool"));
	assert_string_equal(program.mounts[0], program.argv[2]);
	assert_null(program.mounts[1]);
}

static void what_cannot_be_used_is_passed_over(void **state)
{
	struct program program;

	(void)state;
	setenv("PATH", ":relative:.", 1);
	temporary_directories("home/bin/tool/");
	assert_int_equal(find(&program), REASON_RUNTIME_NOT_INSTALLED);
	assert_non_null(strstr(detail.text, "looked in PATH, ~/bin, ~/v/*/bin"));

	rmdir(temporary_path("home/bin/tool"));
	temporary_file("home/bin/tool", 0755, "stub");
	assert_int_equal(find(&program), REASON_RUNTIME_NOT_INSTALLED);
	assert_non_null(strstr(detail.text, "neither an ELF program nor a script"));

	temporary_file("home/bin/tool", 0755, "#!/usr/bin/env none-such\n");
	assert_int_equal(find(&program), REASON_RUNTIME_NOT_INSTALLED);
	assert_non_null(strstr(detail.text, "needs none-such"));

	unlink(temporary_path("home/bin/tool"));
	temporary_file("home/bin/shim", 0755, ELF);
	temporary_link("home/bin/tool", "shim");
	assert_int_equal(find(&program), REASON_RUNTIME_NOT_INSTALLED);
	assert_non_null(strstr(detail.text, "only the launcher shim"));

	/* The next place has a good one. */
	temporary_file("home/v/v2/bin/tool", 0755, ELF);
	assert_int_equal(find(&program), REASON_OK);
	assert_string_equal(program.argv[0], temporary_path("home/v/v2/bin/tool"));
}

static void a_file_that_cannot_be_executed_is_none(void **state)
{
	struct program program;

	(void)state;
	setenv("PATH", temporary_path("home/bin"), 1);
	temporary_file("home/bin/tool", 0644, ELF);
	assert_int_equal(find(&program), REASON_RUNTIME_NOT_INSTALLED);
}

static void nothing_is_taken_from_the_workspace(void **state)
{
	struct program program;
	char *path = arena_format(&arena, "%s:%s:%s", temporary_path("home/work/bin"),
				  temporary_path("link"), temporary_path("home/bin"));

	(void)state;
	setenv("PATH", path, 1);
	temporary_file("home/work/bin/tool", 0755, ELF);
	temporary_file("home/work/bin/node", 0755, ELF);
	temporary_link("link", temporary_path("home/work/bin"));
	assert_int_equal(find(&program), REASON_RUNTIME_NOT_INSTALLED);

	/* A file of it, and an interpreter. */
	temporary_link("home/bin/tool", "../work/bin/tool");
	assert_int_equal(find(&program), REASON_RUNTIME_NOT_INSTALLED);
	assert_non_null(strstr(detail.text, "/home/bin/tool lies in the workspace"));
	temporary_file("home/bin/tool", 0755, "#!/usr/bin/env node\n");
	assert_int_equal(find(&program), REASON_RUNTIME_NOT_INSTALLED);
	assert_non_null(strstr(detail.text, "needs node"));

	/* What only begins with the same name is another directory. */
	temporary_file("home/workshop/node", 0755, ELF);
	setenv("PATH", temporary_path("home/workshop"), 1);
	assert_int_equal(find(&program), REASON_OK);
	assert_string_equal(program.argv[0], temporary_path("home/workshop/node"));
}

#define TEST(function)                                                                 \
	cmocka_unit_test_setup_teardown(function, temporary_make, temporary_remove)

static int no_more(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_lines_are_parsed),
		cmocka_unit_test(every_beginning_of_a_line_is_safe),
		cmocka_unit_test(a_line_that_was_cut_is_none),
		cmocka_unit_test(package_roots),
		cmocka_unit_test(system_paths),
		TEST(searches_are_expanded),
		TEST(a_native_program_is_mounted_alone),
		TEST(a_package_is_mounted_with_its_native_sibling),
		TEST(a_script_of_the_shell_needs_no_mount_but_itself),
		TEST(what_cannot_be_used_is_passed_over),
		TEST(a_file_that_cannot_be_executed_is_none),
		TEST(nothing_is_taken_from_the_workspace),
	};

	return cmocka_run_group_tests(tests, NULL, no_more);
}
