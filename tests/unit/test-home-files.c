/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "config/home-files.h"
#include "core/home-path.h"
#include "core/limits.h"
#include "init/home-files.h"
#include "temporary.h"

static struct arena arena;

static const struct {
	const char *path;
	bool usable;
} paths[] = {
	{"a", true},	   {".a", true},      {"a/b.c/d", true},
	{"...", true},	   {"..a/b", true},   {"a b/\xc3\xa4", true},
	{"", false},	   {"/", false},      {"/a", false},
	{"a/", false},	   {"a//b", false},   {".", false},
	{"..", false},	   {"./a", false},    {"../a", false},
	{"a/../b", false}, {"a/./b", false},  {"a/..", false},
	{"a\nb", false},   {"a/\x7f", false}, {"a/b/../../..", false},
};

static void paths_are_judged(void **state)
{
	char path[LIMIT_HOME_FILE_PATH + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!home_path_check(paths[i].path) != paths[i].usable)
			fail_msg("\"%s\"", paths[i].path);
	memset(path, 'a', sizeof(path));
	for (size_t i = 100; i < sizeof(path); i += 100)
		path[i] = '/';
	path[LIMIT_HOME_FILE_PATH] = 0;
	assert_null(home_path_check(path));
	path[LIMIT_HOME_FILE_PATH] = 'a';
	path[LIMIT_HOME_FILE_PATH + 1] = 0;
	assert_non_null(home_path_check(path));
	/* A temporary name beside it must fit as well. */
	memset(path, 'a', 201);
	path[201] = 0;
	assert_non_null(home_path_check(path));
}

static enum reason make(size_t n, size_t bytes, struct run_record *ret_record)
{
	const struct template_values values = {.of = {[TEMPLATE_MODEL] = "m"}};
	struct config_texts files = {arena_get(&arena, n * sizeof(struct config_text)),
				     n};
	struct detail detail;

	for (size_t i = 0; i < n; i++) {
		char *text = arena_get(&arena, bytes + 1);

		memset(text, 'x', bytes);
		files.list[i] = (struct config_text){arena_format(&arena, "f%02zu", i),
						     text, false};
	}
	return home_files_make(&arena, "r.json", &files, &values, ret_record, &detail);
}

static void they_have_a_bound(void **state)
{
	struct run_record record = {0};
	size_t bytes = LIMIT_HOME_FILE_BYTES / LIMIT_HOME_FILES - sizeof("f00") - 1;

	(void)state;
	assert_int_equal(make(LIMIT_HOME_FILES, bytes, &record), REASON_OK);
	assert_int_equal(record.n_files, LIMIT_HOME_FILES);
	assert_string_equal(record.files[63].path, "f63");
	assert_int_equal(make(LIMIT_HOME_FILES, bytes + 1, &record),
			 REASON_CONFIG_INVALID);
	assert_int_equal(make(LIMIT_HOME_FILES + 1, 1, &record), REASON_CONFIG_INVALID);
}

static char got[LIMIT_DETAIL + 1];

static enum reason write_file(const char *path, const char *text)
{
	return home_file_write(temporary_path("home"), path, text, got, sizeof(got));
}

static void holds(const char *name, const char *text)
{
	char read_back[256] = "";
	int fd = open(temporary_path(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(status.st_nlink, 1);
	assert_int_equal(read(fd, read_back, sizeof(read_back) - 1), strlen(text));
	assert_string_equal(read_back, text);
	close(fd);
}

/* Nothing under a temporary name is left behind. */
static int names_in(const char *name)
{
	DIR *directory = opendir(temporary_path(name));
	int n = 0;

	assert_non_null(directory);
	while (readdir(directory))
		n++;
	closedir(directory);
	return n - 2;
}

static void files_and_directories_are_made(void **state)
{
	struct stat status;

	(void)state;
	assert_int_equal(mkdir(temporary_path("home"), 0700), 0);
	umask(0);
	assert_int_equal(write_file("a", "one"), REASON_OK);
	assert_int_equal(write_file("d/e/f", "two"), REASON_OK);
	assert_int_equal(write_file("d/e/f", ""), REASON_OK);
	holds("home/a", "one");
	holds("home/d/e/f", "");
	assert_int_equal(stat(temporary_path("home/a"), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(stat(temporary_path("home/d/e"), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	assert_int_equal(names_in("home/d/e"), 1);
}

static void what_is_in_its_place_goes(void **state)
{
	(void)state;
	assert_int_equal(mkdir(temporary_path("home"), 0700), 0);
	temporary_file("outside", 0644, "outside");
	temporary_link("home/link", temporary_path("outside"));
	temporary_link("home/loop", "loop");
	assert_int_equal(link(temporary_path("outside"), temporary_path("home/hard")),
			 0);
	assert_int_equal(mkfifo(temporary_path("home/fifo"), 0600), 0);
	temporary_file("home/old", 0400, "old");
	for (const char *const *name =
		     (const char *const[]){"link", "loop", "hard", "fifo", "old", NULL};
	     *name; name++) {
		char path[32];

		assert_int_equal(write_file(*name, "new"), REASON_OK);
		snprintf(path, sizeof(path), "home/%s", *name);
		holds(path, "new");
	}
	holds("outside", "outside");
	assert_int_equal(names_in("home"), 5);
}

static const struct {
	const char *path;
	const char *part;
} in_the_way[] = {
	{"link/f", "a link or a file is in the place of a directory"},
	{"link/deeper/f", "a link or a file"},
	{"dangling/f", "a link or a file"},
	{"file/f", "a link or a file"},
	{"fifo/f", "a link or a file"},
	{"directory", "a directory is in its place"},
};

static void what_is_in_the_way_refuses(void **state)
{
	(void)state;
	assert_int_equal(mkdir(temporary_path("outside"), 0755), 0);
	assert_int_equal(mkdir(temporary_path("outside/deeper"), 0755), 0);
	temporary_link("home/link", temporary_path("outside"));
	temporary_link("home/dangling", temporary_path("nothing"));
	temporary_file("home/file", 0600, "x");
	assert_int_equal(mkfifo(temporary_path("home/fifo"), 0600), 0);
	temporary_file("home/directory/x", 0600, "x");
	for (size_t i = 0; i < sizeof(in_the_way) / sizeof(in_the_way[0]); i++)
		if (write_file(in_the_way[i].path, "new") != REASON_HOME_FILES ||
		    !strstr(got, in_the_way[i].part))
			fail_msg("%s: %s", in_the_way[i].path, got);
	assert_int_equal(names_in("outside"), 1);
	assert_int_equal(names_in("outside/deeper"), 0);
	assert_int_equal(names_in("home"), 5);
	holds("home/directory/x", "x");
	holds("home/file", "x");
}

static void no_home_refuses(void **state)
{
	(void)state;
	assert_int_equal(write_file("a", "x"), REASON_HOME_FILES);
	temporary_link("home", temporary_path("."));
	assert_int_equal(write_file("a", "x"), REASON_HOME_FILES);
	assert_int_equal(names_in("."), 1);
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
#define IN_TEMPORARY(test)                                                             \
	cmocka_unit_test_setup_teardown(test, temporary_make, temporary_remove)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_judged),
		cmocka_unit_test(they_have_a_bound),
		IN_TEMPORARY(files_and_directories_are_made),
		IN_TEMPORARY(what_is_in_its_place_goes),
		IN_TEMPORARY(what_is_in_the_way_refuses),
		IN_TEMPORARY(no_home_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
