/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/protected.h"
#include "os/protected.h"
#include "os/view.h"

static size_t row_of(const char *path)
{
	for (size_t i = 0; i < PROTECTED_COUNT; i++)
		if (strcmp(protected_path(i), path) == 0)
			return i;
	fail_msg("no row %s", path);
	return 0;
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < PROTECTED_COUNT; i++) {
		const char *path = protected_path(i);

		assert_true(path[0] && path[0] != '/' && strlen(path) < 64);
		assert_null(strstr(path, ".."));
		assert_null(strstr(path, "//"));
		assert_true(protected_reader(i)[0]);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(path, protected_path(k));
	}
}

#define ABSENT                                                                         \
	{                                                                              \
		.kind = PROTECTED_ABSENT                                               \
	}
#define FILE_(n)                                                                       \
	{                                                                              \
		.kind = PROTECTED_OTHER, .dev = 1, .ino = n                            \
	}
#define DIRECTORY(n)                                                                   \
	{                                                                              \
		.kind = PROTECTED_DIRECTORY, .dev = 1, .ino = n                        \
	}

static void test_changes(void **state)
{
	static const struct {
		const char *name, *path;
		struct protected_state was, is;
		uint32_t was_repository, is_repository;
		bool read_only, told;
	} rows[] = {
		{"absent", ".envrc", ABSENT, ABSENT, 0, 0, false, false},
		{"made", ".envrc", ABSENT, FILE_(2), 0, 0, false, true},
		{"same", ".envrc", FILE_(2), FILE_(2), 0, 0, true, false},
		{"replaced", ".envrc", FILE_(2), FILE_(3), 0, 0, true, true},
		{"removed", ".envrc", FILE_(2), ABSENT, 0, 0, true, false},
		{"file to directory", ".vscode", FILE_(2), DIRECTORY(2), 0, 0, true,
		 true},
		{"hidden",
		 ".vscode",
		 DIRECTORY(2),
		 {.kind = PROTECTED_HIDDEN},
		 0,
		 0,
		 true,
		 true},
		{"changed by its other name",
		 ".envrc",
		 {.kind = PROTECTED_OTHER, .dev = 1, .ino = 2, .changed = 5},
		 {.kind = PROTECTED_OTHER, .dev = 1, .ino = 2, .changed = 6},
		 0,
		 0,
		 true,
		 true},
		{"a new repository: its rows say it", ".git", ABSENT, DIRECTORY(2), 0,
		 0, false, false},
		{"a new file .git", ".git", ABSENT, FILE_(2), 0, 0, false, true},
		{".git as a directory", ".git", DIRECTORY(2), DIRECTORY(2), 0, 0, false,
		 false},
		{".git replaced", ".git", DIRECTORY(2), DIRECTORY(3), 0, 0, false,
		 true},
		{".git as a file", ".git", FILE_(2), FILE_(2), 0, 0, true, false},
		{"some config", "config", FILE_(2), FILE_(3), 0, 0, false, false},
		{"a repository's config", "config", FILE_(2), FILE_(3), 1, 1, true,
		 true},
		{"made a repository", "HEAD", FILE_(2), FILE_(2), 0, 1, false, true},
		{"a repository's HEAD", "HEAD", FILE_(2), FILE_(3), 1, 1, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct protected_states was = {.repository = rows[i].was_repository};
		struct protected_states is = {.repository = rows[i].is_repository};
		size_t row = row_of(rows[i].path);

		print_message("%s\n", rows[i].name);
		was.rows[row] = rows[i].was;
		is.rows[row] = rows[i].is;
		assert_int_equal(protected_is_read_only(&was, row), rows[i].read_only);
		assert_true(protected_changes(&was, &is) ==
			    (rows[i].told ? UINT64_C(1) << row : 0));
	}
}

static void test_names(void **state)
{
	char text[40];

	(void)state;
	protected_names(UINT64_C(1) << row_of(".envrc"), text, sizeof(text));
	assert_string_equal(text, ".envrc");
	protected_names(UINT64_C(1) << row_of(".envrc") | UINT64_C(1) << row_of(".git"),
			text, sizeof(text));
	assert_string_equal(text, ".git and .envrc");
	protected_names((UINT64_C(1) << PROTECTED_COUNT) - 1, text, sizeof(text));
	assert_true(strlen(text) < sizeof(text) && strstr(text, " more"));
}

static void test_find(void **state)
{
	struct view_entry entries[] = {
		{.kind = VIEW_PRIVATE, .target = "/tmp"},
		{.kind = VIEW_SYSTEM, .target = "/usr"},
		{.kind = VIEW_MOUNT, .target = "/home/a"},
		{.kind = VIEW_WORKSPACE, .target = "/home/a/w"},
		{.kind = VIEW_PROTECTED, .target = "/home/a/w/.git"},
	};
	const struct view view = {.entries = entries, .n = 5};
	static const struct {
		const char *path;
		int entry; /* -1: none */
	} rows[] = {
		{"/", -1},	    {"/home", -1},	   {"/home/a", 2},
		{"/home/ab", -1},   {"/home/a/x", 2},	   {"/home/a/w", 3},
		{"/home/a/wx", 2},  {"/home/a/w/.git", 4}, {"/home/a/w/.gitx", 3},
		{"/usr/bin/sh", 1}, {"/tmp/x", 0},	   {"/usrx", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct view_entry *found = view_find(&view, rows[i].path);

		print_message("%s\n", rows[i].path);
		assert_ptr_equal(found,
				 rows[i].entry < 0 ? NULL : &entries[rows[i].entry]);
	}
	assert_ptr_equal(view_find_below(&view, "/home"), &entries[2]);
	assert_null(view_find_below(&view, "/tmp"));
	assert_ptr_equal(view_workspace(&view), &entries[3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
