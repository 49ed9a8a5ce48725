/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "config/json-file.h"
#include "temporary.h"

static struct arena arena;
static struct detail detail;

static const struct {
	const char *in;
	const char *out; /* NULL: a comment has no end, at `end` */
	size_t end;
} comments[] = {
	{"{}", "{}"},
	{"{} // x", "{}     "},
	{"{} // x\n{}", "{}     \n{}"},
	{"/* x */{}", "       {}"},
	{"/**/{}", "    {}"},
	{"/***/{}", "     {}"},
	{"/* \n */{}", "   \n   {}"},
	{"/* // */{}", "        {}"},
	{"// /* x\n{}", "       \n{}"},
	{"{\"a\": \"//\"}", "{\"a\": \"//\"}"},
	{"{\"a\": \"/* */\"}", "{\"a\": \"/* */\"}"},
	{"{\"a\\\"//\": 1}", "{\"a\\\"//\": 1}"},
	{"{\"a\\\\\"//\": 1}", "{\"a\\\\\"       "},
	{"{} /", "{} /"},
	{"{} / /", "{} / /"},
	{"/* x", NULL, 0},
	{"{} /*/", NULL, 3},
	{"{} /* *", NULL, 3},
};

static void comments_become_blanks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(comments) / sizeof(comments[0]); i++) {
		size_t length = strlen(comments[i].in), got;
		char text[64];

		memcpy(text, comments[i].in, length + 1);
		got = json_blank_comments(text, length);
		if (comments[i].out) {
			assert_int_equal(got, length);
			assert_string_equal(text, comments[i].out);
		} else {
			assert_int_equal(got, comments[i].end);
		}
	}
}

static enum reason read_as(const char *text, mode_t mode, struct json_file *ret_file)
{
	temporary_file("file.json", mode, text);
	memset(&detail, 0, sizeof(detail));
	return json_file_read(&arena, temporary_path("file.json"), ret_file, &detail);
}

static const struct {
	const char *text;
	const char *part; /* of the detail */
} refused[] = {
	{"", "line 1"},
	{"[]", "not one JSON object"},
	{"{", "line 1"},
	{"{\n\"a\": 1,\n}", "line 3"},
	{"{\n// x\n\"a\": 1,\n\"a\": 2\n}",
	 "line 4: the object has the key \"a\" twice"},
	{"{\n\"a\": 1,\n\"\\u0061\": 2\n}", "line 3: the object has the key"},
	{"{} {}", "line 1"},
	{"{\n/* x", "line 2: this comment has no end"},
	{"{\"a\": '1'}", "line 1"},
	{"\xef\xbb\xbf{}", "UTF-8"},
	{"{\"\xff\": 1}", "UTF-8"},
	{"{\"a\": 1e999}", "number"},
	{"{a: 1}", "line 1"},
};

static void says_where_it_is_wrong(void **state)
{
	struct json_file file;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(read_as(refused[i].text, 0644, &file),
				 REASON_CONFIG_INVALID);
		if (!strstr(detail.text, refused[i].part))
			fail_msg("%s: no \"%s\"", detail.text, refused[i].part);
		assert_null(file.root);
	}
}

static void only_the_owner_may_write_it(void **state)
{
	static const mode_t bad[] = {0664, 0646, 0666, 0622};
	static const mode_t good[] = {0600, 0644, 0400, 0444};
	struct json_file file;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(read_as("{}", bad[i], &file),
				 REASON_CONFIG_UNREADABLE);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(read_as("{}", good[i], &file), REASON_OK);
		assert_non_null(file.root);
		json_file_free(&file);
	}
}

static void what_is_no_file_is_refused(void **state)
{
	struct json_file file;

	(void)state;
	assert_int_equal(json_file_read(&arena, temporary, &file, &detail),
			 REASON_CONFIG_UNREADABLE);
	assert_int_equal(mkfifo(temporary_path("fifo"), 0600), 0);
	assert_int_equal(json_file_read(&arena, temporary_path("fifo"), &file, &detail),
			 REASON_CONFIG_UNREADABLE);
	/* Not as if there were none: it may forbid something. */
	temporary_link("dangling", "nowhere");
	assert_int_equal(
		json_file_read(&arena, temporary_path("dangling"), &file, &detail),
		REASON_CONFIG_UNREADABLE);
	temporary_link("loop", "loop");
	assert_int_equal(json_file_read(&arena, temporary_path("loop"), &file, &detail),
			 REASON_CONFIG_UNREADABLE);
}

static void what_is_not_there_is_empty(void **state)
{
	struct json_file file;

	(void)state;
	assert_int_equal(json_file_read(&arena, temporary_path("none"), &file, &detail),
			 REASON_OK);
	assert_null(file.root);
	/* A file where a directory should be. */
	temporary_file("file", 0600, "");
	assert_int_equal(
		json_file_read(&arena, temporary_path("file/x"), &file, &detail),
		REASON_OK);
	assert_null(file.root);
}

static void length_has_a_bound(void **state)
{
	static const struct {
		size_t size;
		enum reason want;
	} sizes[] = {{JSON_FILE_MAX - 1, REASON_OK},
		     {JSON_FILE_MAX, REASON_OK},
		     {JSON_FILE_MAX + 1, REASON_CONFIG_UNREADABLE}};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *text = malloc(sizes[i].size + 1);
		struct json_file file;

		assert_non_null(text);
		memset(text, ' ', sizes[i].size);
		text[0] = '{';
		text[sizes[i].size - 1] = '}';
		text[sizes[i].size] = 0;
		assert_int_equal(read_as(text, 0600, &file), sizes[i].want);
		json_file_free(&file);
		free(text);
	}
}

static void finds_the_line_of_a_key(void **state)
{
	static const char text[] = "{ // \"b\": 1\n"
				   "  \"a\": {\"b\": [1, {\"c\": 2}],\n"
				   "         \"c\": \"b\\\"\"},\n"
				   "  \"b\": -1.5e3, \"d\": {\n"
				   "     \"e\"\n"
				   "      : true,\n"
				   "     \"a\": null },\n"
				   "  \"c\": 1\n"
				   "}";
	static const struct {
		const char *section, *key;
		unsigned int line;
	} keys[] = {
		{NULL, "a", 2},
		{"a", "b", 2},
		{"a", "c", 3},
		{NULL, "b", 4},
		{NULL, "d", 4},
		{"d", "e", 5},
		{"d", "a", 7},
		{NULL, "c", 8},
		/* What is not there: where it would be. */
		{"d", "x", 4},
		{NULL, "x", 1},
	};
	struct json_file file;

	(void)state;
	assert_int_equal(read_as(text, 0600, &file), REASON_OK);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct json_place section = {.key = keys[i].section};
		const struct json_place key = {keys[i].section ? &section : NULL,
					       keys[i].key, 0};

		assert_int_equal(json_file_line(&file, &key), keys[i].line);
	}
	json_file_free(&file);
}

static int end(void **state)
{
	arena_free(&arena);
	return temporary_remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comments_become_blanks),
		cmocka_unit_test(says_where_it_is_wrong),
		cmocka_unit_test(only_the_owner_may_write_it),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(what_is_not_there_is_empty),
		cmocka_unit_test(length_has_a_bound),
		cmocka_unit_test(finds_the_line_of_a_key),
	};

	return cmocka_run_group_tests(tests, temporary_make, end);
}
