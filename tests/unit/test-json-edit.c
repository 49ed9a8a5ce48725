/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <json-c/json.h>

#include "config/json-edit.h"
#include "config/json-file.h"

static const struct {
	const char *text, *section, *key, *value, *want;
} edits[] = {
	/* A value is replaced where it stands. */
	{"{\"a\": 1}", NULL, "a", "2", "{\"a\": 2}"},
	{"{\"a\":1,\"b\":2}", NULL, "b", "\"x\"", "{\"a\":1,\"b\":\"x\"}"},
	{"{\"a\": {\"x\": [1, {}]}, \"b\": 2}", NULL, "a", "3", "{\"a\": 3, \"b\": 2}"},
	{"{\n\t\"a\": \"one\", // first\n\t\"b\": 2 // second\n}\n", NULL, "a",
	 "\"two\"", "{\n\t\"a\": \"two\", // first\n\t\"b\": 2 // second\n}\n"},
	{"// top\n{\"a\": 1} // end", NULL, "a", "2", "// top\n{\"a\": 2} // end"},
	{"{\"\\u0061\": 1}", NULL, "a", "2", "{\"\\u0061\": 2}"},
	{"{\"a\\\"b\": 1, \"b\": 2}", NULL, "b", "3", "{\"a\\\"b\": 1, \"b\": 3}"},
	{"{\"x\": \"\\\"a\\\": 1\", \"a\": 2}", NULL, "a", "3",
	 "{\"x\": \"\\\"a\\\": 1\", \"a\": 3}"},
	{"{/* \"a\": 1, */ \"a\": 2}", NULL, "a", "3", "{/* \"a\": 1, */ \"a\": 3}"},
	{"{\"x\": {\"a\": 1}, \"a\": 2}", NULL, "a", "3",
	 "{\"x\": {\"a\": 1}, \"a\": 3}"},
	{"{\"a\": true/**/}", NULL, "a", "false", "{\"a\": false/**/}"},
	{"{\"a\" /* k */ : /* v */ 1 /* w */}", NULL, "a", "2",
	 "{\"a\" /* k */ : /* v */ 2 /* w */}"},
	{"{\"a\": \"\303\251\"}", NULL, "a", "\"\303\274\"", "{\"a\": \"\303\274\"}"},

	/* A new one comes last, indented as the first one. */
	{"{}", NULL, "a", "1", "{\n\t\"a\": 1\n}"},
	{"{\n}\n", NULL, "a", "1", "{\n\t\"a\": 1\n}\n"},
	{"{ // nothing\n}\n", NULL, "a", "1", "{ // nothing\n\t\"a\": 1\n}\n"},
	{"{/* x */}", NULL, "a", "1", "{/* x */\n\t\"a\": 1\n}"},
	{"{\"a\": 1}", NULL, "b", "2", "{\"a\": 1, \"b\": 2}"},
	{"{ \"a\": 1 }", NULL, "b", "2", "{ \"a\": 1, \"b\": 2 }"},
	{"{\n  \"a\": 1\n}\n", NULL, "b", "2", "{\n  \"a\": 1,\n  \"b\": 2\n}\n"},
	{"{\n\t\"a\": 1 // one\n}\n", NULL, "b", "2",
	 "{\n\t\"a\": 1, // one\n\t\"b\": 2\n}\n"},
	{"{\n\t\"a\": 1\n\t// no more\n}\n", NULL, "b", "2",
	 "{\n\t\"a\": 1,\n\t// no more\n\t\"b\": 2\n}\n"},
	{"{\"a\": 1 /* one */ }", NULL, "b", "2", "{\"a\": 1, /* one */ \"b\": 2 }"},
	{"{\"a\": 1 // one\n}", NULL, "b", "2", "{\"a\": 1, // one\n\"b\": 2\n}"},
	{"{\"a\": [\n1]}", NULL, "b", "2", "{\"a\": [\n1],\n\"b\": 2}"},
	{"{\r\n\t\"a\": 1\r\n}\r\n", NULL, "b", "2",
	 "{\r\n\t\"a\": 1,\n\t\"b\": 2\r\n}\r\n"},
	{"{\"a\": 1}", NULL, "q\"\n", "2", "{\"a\": 1, \"q\\\"\\n\": 2}"},

	/* One goes, with its line and its comma. */
	{"{\"a\": 1}", NULL, "a", NULL, "{}"},
	{"{\"a\": 1, \"b\": 2}", NULL, "a", NULL, "{\"b\": 2}"},
	{"{\"a\": 1, \"b\": 2}", NULL, "b", NULL, "{\"a\": 1}"},
	{"{\"a\": 1, \"b\": 2, \"c\": 3}", NULL, "b", NULL, "{\"a\": 1, \"c\": 3}"},
	{"{\n\t\"a\": 1,\n\t\"b\": 2\n}\n", NULL, "a", NULL, "{\n\t\"b\": 2\n}\n"},
	{"{\n\t\"a\": 1,\n\t\"b\": 2\n}\n", NULL, "b", NULL, "{\n\t\"a\": 1\n}\n"},
	{"{\n\t\"a\": 1\n}\n", NULL, "a", NULL, "{\n}\n"},
	{"{\n\t// of b\n\t\"b\": 2, // two\n\t\"c\": 3\n}\n", NULL, "b", NULL,
	 "{\n\t// of b\n\t// two\n\t\"c\": 3\n}\n"},
	{"{\n\t\"a\": 1, // one\n\t\"b\": 2 // two\n}\n", NULL, "b", NULL,
	 "{\n\t\"a\": 1 // one\n\t// two\n}\n"},
	{"{\"a\": 1 /* x */, \"b\": 2}", NULL, "a", NULL, "{/* x */ \"b\": 2}"},
	{"{\"a\": 1 /* x */, /* y */ \"b\": 2}", NULL, "b", NULL,
	 "{\"a\": 1 /* x */ /* y */ }"},
	{"{\"a\": 1}", NULL, "b", NULL, "{\"a\": 1}"},

	/* In a section. */
	{"{\"s\": {\"a\": 1}}", "s", "a", "2", "{\"s\": {\"a\": 2}}"},
	{"{\"a\": 1, \"s\": {\"a\": 1}}", "s", "a", "2",
	 "{\"a\": 1, \"s\": {\"a\": 2}}"},
	{"{\"a\": 1}", "s", "a", "2", "{\"a\": 1, \"s\": {\"a\": 2}}"},
	{"{\n\t\"a\": 1\n}\n", "s", "a", "2",
	 "{\n\t\"a\": 1,\n\t\"s\": {\"a\": 2}\n}\n"},
	{"{\n\t\"s\": {\n\t\t\"a\": 1\n\t}\n}\n", "s", "b", "2",
	 "{\n\t\"s\": {\n\t\t\"a\": 1,\n\t\t\"b\": 2\n\t}\n}\n"},
	{"{\n\t\"s\": {}\n}\n", "s", "b", "2", "{\n\t\"s\": {\n\t\t\"b\": 2\n\t}\n}\n"},
	{"{\"s\": {\"a\": 1, \"b\": 2}}", "s", "a", NULL, "{\"s\": {\"b\": 2}}"},
	{"{\"r\": 0, \"s\": {\"a\": 1}}", "s", "a", NULL, "{\"r\": 0}"},
	{"{\n\t\"r\": 0,\n\t\"s\": {\n\t\t\"a\": 1\n\t}\n}\n", "s", "a", NULL,
	 "{\n\t\"r\": 0\n}\n"},
	{"{\"s\": {\"a\": 1 /* why */}}", "s", "a", NULL, "{\"s\": {/* why */}}"},
	{"{\"s\": {\"a\": 1}}", "s", "b", NULL, "{\"s\": {\"a\": 1}}"},
	{"{\"r\": 0}", "s", "b", NULL, "{\"r\": 0}"},

	/* In a section of a section. */
	{"{}", "s.t", "a", "1", "{\n\t\"s\": {\"t\": {\"a\": 1}}\n}"},
	{"{\"s\": {}}", "s.t", "a", "1", "{\"s\": {\n\t\"t\": {\"a\": 1}\n}}"},
	{"{\"s\": {\"b\": 2}}", "s.t", "a", "1",
	 "{\"s\": {\"b\": 2, \"t\": {\"a\": 1}}}"},
	{"{\"t\": {\"a\": 0}, \"s\": {\"t\": {\"a\": 1}}}", "s.t", "a", "2",
	 "{\"t\": {\"a\": 0}, \"s\": {\"t\": {\"a\": 2}}}"},
	{"{\"s\": {\"t\": {\"a\": 1, \"b\": 2}}}", "s.t", "a", NULL,
	 "{\"s\": {\"t\": {\"b\": 2}}}"},
	{"{\"r\": 0, \"s\": {\"t\": {\"a\": 1}}}", "s.t", "a", NULL, "{\"r\": 0}"},
	{"{\"s\": {\"b\": 2, \"t\": {\"a\": 1}}}", "s.t", "a", NULL,
	 "{\"s\": {\"b\": 2}}"},
	{"{\"s\": {/* why */ \"t\": {\"a\": 1}}}", "s.t", "a", NULL,
	 "{\"s\": {/* why */ }}"},
	{"{\"s\": {\"t\": {}}}", "s.t", "a", NULL, "{}"},
	{"{\"s\": {}}", "s.t.u", "a", NULL, "{}"},
	{"{}", "s.t.u", "a", "1", "{\n\t\"s\": {\"t\": {\"u\": {\"a\": 1}}}\n}"},
	{"{\"s.t\": {\"a\": 1}}", "s.t", "a", "2",
	 "{\"s.t\": {\"a\": 1}, \"s\": {\"t\": {\"a\": 2}}}"},

	/* What cannot be. */
	{"{\"s\": {\"t\": 1}}", "s.t", "a", "1", NULL},
	{"{\"s\": 1}", "s.t", "a", "1", NULL},
	{"[]", NULL, "a", "1", NULL},
	{"", NULL, "a", "1", NULL},
	{"{\"s\": 1}", "s", "a", "1", NULL},
	{"{\"s\": [1]}", "s", "a", NULL, NULL},
	{"{\"a\": 1", NULL, "a", "1", NULL},
};

static struct arena arena;

static void test_edits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		char *got = json_edit(&arena, edits[i].text, edits[i].section,
				      edits[i].key, edits[i].value);

		if (!got != !edits[i].want || (got && strcmp(got, edits[i].want) != 0))
			fail_msg("%s\n(%s.%s = %s)\n%s", edits[i].text,
				 edits[i].section ? edits[i].section : "", edits[i].key,
				 edits[i].value, got);
	}
	arena_free(&arena);
}

static struct json_object *parse(const char *text)
{
	char *plain = arena_copy(&arena, text);

	json_blank_comments(plain, strlen(plain));
	return json_tokener_parse(plain);
}

/* The same on the values: what the new text must mean. */
static struct json_object *model(const char *text, const char *section, const char *key,
				 const char *value)
{
	struct json_object *root = parse(text), *object = root;

	if (section && !json_object_object_get_ex(root, section, &object) && value) {
		object = json_object_new_object();
		json_object_object_add(root, section, object);
	}
	if (object && value)
		json_object_object_add(object, key, json_tokener_parse(value));
	else if (object)
		json_object_object_del(object, key);
	return root;
}

static const char *const layouts[] = {
	"{\"r\": \"x\", \"a\": 1, \"s\": {\"a\": 2, \"b\": 3}, \"z\": [1, {\"a\": 4}]}",
	"{\n\t\"r\": \"x\",\n\t\"a\": 1,\n\t\"s\": {\n\t\t\"a\": 2,\n\t\t\"b\": "
	"3\n\t},\n\t\"z\": []\n}\n",
	"// 0\n{ // 1\n\t// 2\n\t\"r\": \"x\", // 3\n\t/* 4 */ \"a\" : 1 /* 6 "
	"*/ , /* 7 */\n\t\"s\": {/* 8 */ \"a\": 2, // 9 }\n\t\"b\": 3 // 10 \"\n}\n// "
	"11\n}// 12",
	"{/* 1 */\"r\":\"x\"/* 2 */,/* 3 */\"a\":1/* 4 */,/* 5 */\"z\":2/* 6 */}/* 7 "
	"*/",
	"{}",
	"{\"s\": {}, \"a\": 1}",
};

/* Each comment is there after as it was before: none is inside a member. */
static size_t count_comments(const char *text)
{
	char *plain = arena_copy(&arena, text);
	size_t bytes = 0;

	json_blank_comments(plain, strlen(plain));
	for (size_t i = 0; text[i]; i++)
		bytes += text[i] != plain[i];
	return bytes;
}

static void test_meaning(void **state)
{
	static const char *const sections[] = {NULL, "s"};
	static const char *const keys[] = {"r", "a", "b", "z", "new"};
	static const char *const values[] = {NULL, "7", "\"// x\""};

	(void)state;
	for (size_t i = 0; i < 6 * 2 * 5 * 3; i++) {
		const char *text = layouts[i % 6], *section = sections[i / 6 % 2];
		const char *key = keys[i / 12 % 5], *value = values[i / 60];
		char *got = json_edit(&arena, text, section, key, value);
		struct json_object *want = model(text, section, key, value);
		struct json_object *have = got ? parse(got) : NULL, *inner = NULL;

		/* An empty section may go. */
		if (!value && json_object_object_get_ex(want, "s", &inner) &&
		    json_object_object_length(inner) == 0 &&
		    !json_object_object_get_ex(have, "s", NULL))
			json_object_object_del(want, "s");
		if (!json_object_equal(want, have))
			fail_msg("%s\n(%s.%s = %s)\n%s", text, section ? section : "",
				 key, value, got);
		if (count_comments(got) != count_comments(text))
			fail_msg("a comment is gone: %s\n%s", text, got);
		json_object_put(want);
		json_object_put(have);
	}
	arena_free(&arena);
}

static void test_quote(void **state)
{
	(void)state;
	assert_string_equal(json_quote(&arena, "a/b \"c\" \\ \n\033\303\251"),
			    "\"a/b \\\"c\\\" \\\\ \\n\\u001b\303\251\"");
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edits),
		cmocka_unit_test(test_meaning),
		cmocka_unit_test(test_quote),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
