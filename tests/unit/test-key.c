/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "config/key.h"
#include "core/limits.h"
#include "temporary.h"

static struct arena arena;
static struct detail detail;

static struct places places(void)
{
	return (struct places){
		.uid = 4711, /* not root: only the user's own file */
		.system = arena_copy(&arena, temporary_path("etc")),
		.user = arena_copy(&arena, temporary_path("user")),
	};
}

static struct runtime runtime(void)
{
	static char *env[] = {"FIRST_KEY", "SECOND_KEY", NULL};
	static char name[] = "service";
	struct runtime made = {.name = name};

	made.credential.name = name;
	made.credential.env = env;
	return made;
}

static enum reason take(char *ret_key, size_t size)
{
	struct places here = places();
	struct runtime what = runtime();
	int fd = -1;
	enum reason reason = key_take(&arena, &here, &what, &fd, &detail);

	memset(ret_key, 0, size);
	if (reason == REASON_OK) {
		assert_true(pread(fd, ret_key, size - 1, 0) > 0);
		assert_int_equal(fcntl(fd, F_GET_SEALS) & F_SEAL_WRITE, F_SEAL_WRITE);
		close(fd);
	} else {
		assert_int_equal(fd, -1);
	}
	return reason;
}

static void the_first_variable_that_is_set_counts(void **state)
{
	char key[LIMIT_API_KEY + 8];

	(void)state;
	temporary_file("user/credentials/service", 0600, "of-the-file\n");
	setenv("FIRST_KEY", "", 1);
	setenv("SECOND_KEY", "of-the-variable", 1);
	assert_int_equal(take(key, sizeof(key)), REASON_OK);
	assert_string_equal(key, "of-the-variable");
	assert_null(getenv("FIRST_KEY"));
	assert_null(getenv("SECOND_KEY"));
	/* It is gone now. */
	assert_int_equal(take(key, sizeof(key)), REASON_OK);
	assert_string_equal(key, "of-the-file");
}

static void the_key_is_wiped_from_memory(void **state)
{
	char key[LIMIT_API_KEY + 8];
	static char entry[] = "FIRST_KEY=very-secret";

	(void)state;
	assert_int_equal(putenv(entry), 0);
	assert_int_equal(take(key, sizeof(key)), REASON_OK);
	assert_string_equal(key, "very-secret");
	assert_string_equal(entry, "FIRST_KEY=");
}

#define KEY "the-key!"

static const struct {
	const char *text;
	mode_t mode;
	bool good;
} files[] = {
	{KEY, 0600, true},	    {KEY "\n", 0600, true},
	{KEY "\n", 0400, true},	    {KEY "\n", 0640, false},
	{KEY "\n", 0604, false},    {KEY "\n", 0620, false},
	{KEY "\n", 0601, false},    {"", 0600, false},
	{"\n", 0600, false},	    {"the-key\n", 0600, false},
	{KEY "\nl\n", 0600, false}, {KEY "\n\n", 0600, false},
	{KEY " \n", 0600, false},   {" " KEY "\n", 0600, false},
	{KEY "\r\n", 0600, false},  {KEY "\tl", 0600, false},
	{KEY "\x7f", 0600, false},  {KEY "\xc3\xa4", 0600, false},
	{KEY "\"", 0600, false},    {KEY "\\", 0600, false},
};

static void files_are_checked(void **state)
{
	char key[LIMIT_API_KEY + 8];

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		temporary_file("user/credentials/service", files[i].mode,
			       files[i].text);
		if (take(key, sizeof(key)) !=
		    (files[i].good ? REASON_OK : REASON_CREDENTIAL_UNSAFE))
			fail_msg("row %zu: %s", i, detail.text);
		if (files[i].good)
			assert_string_equal(key, KEY);
		/* What is said never quotes it. */
		assert_null(strstr(detail.text, "the-key"));
	}
}

static void length_has_a_bound(void **state)
{
	static const struct {
		size_t length;
		enum reason want;
	} rows[] = {{LIMIT_API_KEY_MIN - 1, REASON_CREDENTIAL_UNSAFE},
		    {LIMIT_API_KEY_MIN, REASON_OK},
		    {LIMIT_API_KEY - 1, REASON_OK},
		    {LIMIT_API_KEY, REASON_OK},
		    {LIMIT_API_KEY + 1, REASON_CREDENTIAL_UNSAFE},
		    {4 * LIMIT_API_KEY, REASON_CREDENTIAL_UNSAFE}};
	char key[LIMIT_API_KEY + 8], text[4 * LIMIT_API_KEY + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(text, 'k', rows[i].length);
		text[rows[i].length] = 0;
		setenv("FIRST_KEY", text, 1);
		assert_int_equal(take(key, sizeof(key)), rows[i].want);
		text[rows[i].length] = '\n';
		text[rows[i].length + 1] = 0;
		temporary_file("user/credentials/service", 0600, text);
		assert_int_equal(take(key, sizeof(key)), rows[i].want);
	}
}

static void what_is_no_file_is_refused(void **state)
{
	char key[LIMIT_API_KEY + 8];

	(void)state;
	temporary_file("key", 0600, KEY "\n");
	temporary_link("user/credentials/service", "../../key");
	assert_int_equal(take(key, sizeof(key)), REASON_CREDENTIAL_UNSAFE);
	assert_non_null(strstr(detail.text, "symbolic link"));
	unlink(temporary_path("user/credentials/service"));
	temporary_directories("user/credentials/service/");
	assert_int_equal(take(key, sizeof(key)), REASON_CREDENTIAL_UNSAFE);
	rmdir(temporary_path("user/credentials/service"));
	assert_int_equal(mkfifo(temporary_path("user/credentials/service"), 0600), 0);
	assert_int_equal(take(key, sizeof(key)), REASON_CREDENTIAL_UNSAFE);
}

static void without_a_key_both_places_are_named(void **state)
{
	char key[LIMIT_API_KEY + 8];

	(void)state;
	/* Only root reads this one. */
	temporary_file("etc/credentials/service", 0600, KEY "\n");
	assert_int_equal(take(key, sizeof(key)), REASON_NO_API_KEY);
	assert_non_null(strstr(detail.text, "FIRST_KEY or SECOND_KEY"));
	assert_non_null(
		strstr(detail.text, temporary_path("user/credentials/service")));
}

static int begin(void **state)
{
	unsetenv("FIRST_KEY");
	unsetenv("SECOND_KEY");
	return temporary_make(state);
}

static int no_more(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void a_sealed_key_is_said_to_be_for_units(void **state)
{
	struct places here = places();
	struct runtime what = runtime();
	int fd = -1;

	(void)state;
	temporary_file("etc/credentials.sealed/service", 0600, "x");
	assert_int_equal(key_take(&arena, &here, &what, &fd, &detail),
			 REASON_NO_API_KEY);
	assert_null(strstr(detail.text, "sealed"));
	here.uid = 0;
	assert_int_equal(key_take(&arena, &here, &what, &fd, &detail),
			 REASON_NO_API_KEY);
	assert_non_null(
		strstr(detail.text, temporary_path("etc/credentials.sealed/service")));
	assert_non_null(strstr(detail.text, "`anet credential set --plain service`"));
	assert_non_null(strstr(detail.text, "FIRST_KEY or SECOND_KEY, or"));
	/* What is not sealed comes first. */
	temporary_file("etc/credentials/service", 0600, KEY "\n");
	assert_int_equal(key_take(&arena, &here, &what, &fd, &detail), REASON_OK);
	close(fd);
}

#define TEST(function)                                                                 \
	cmocka_unit_test_setup_teardown(function, begin, temporary_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_variable_that_is_set_counts),
		TEST(the_key_is_wiped_from_memory),
		TEST(files_are_checked),
		TEST(length_has_a_bound),
		TEST(what_is_no_file_is_refused),
		TEST(without_a_key_both_places_are_named),
		TEST(a_sealed_key_is_said_to_be_for_units),
	};

	return cmocka_run_group_tests(tests, NULL, no_more);
}
