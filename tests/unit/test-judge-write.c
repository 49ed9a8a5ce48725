/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of a body is what json-c writes, byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gateway/judge-internal.h"

static void same(struct json_object *value, size_t expected)
{
	const char *want = json_object_to_json_string_ext(
		value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	size_t length = 0;
	char *text = judge_write(value, expected, &length);

	assert_non_null(text);
	if (length != strlen(want) || memcmp(text, want, length) != 0)
		fail_msg("%.*s\nnot %s", (int)length, text, want);
	free(text);
	json_object_put(value);
}

static void values(void **state)
{
	static const char *const rows[] = {
		"{}",
		"[]",
		"null",
		"true",
		"false",
		"0",
		"-1",
		"9223372036854775806",
		"9223372036854775807",
		"9223372036854775808",
		"18446744073709551615",
		"-9223372036854775808",
		"1.50",
		"1e5",
		"-0.0",
		"\"\"",
		"[1,[],{},[null,true],{\"a\":{\"b\":[\"c\",1.0]}}]",
		"{\"\":\"\",\"a/b\":\"c/"
		"d\",\"\\\"\\\\\\n\":\"\\u0000\\u001f\\u007f\\u00e9\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		same(json_tokener_parse(rows[i]), 1);
		same(json_tokener_parse(rows[i]), 4096);
	}
}

/* Every byte at every place of the eight that are looked at together. */
static void strings(void **state)
{
	(void)state;
	for (unsigned int byte = 0; byte < 256; byte++)
		for (size_t length = 1; length < 20; length++)
			for (size_t at = 0; at < length; at++) {
				char text[20];

				memset(text, 'x', sizeof(text));
				text[at] = (char)byte;
				same(json_object_new_string_len(text, (int)length), 1);
			}
}

static void bytes_together(void **state)
{
	char text[24];

	(void)state;
	srand(1);
	for (unsigned int i = 0; i < 100000; i++) {
		static const char bytes[] = "\x01\x1f \"!#\\[]/\x7f\x80\xff\x9f\xa0z";

		for (size_t j = 0; j < sizeof(text); j++)
			text[j] = bytes[(size_t)rand() % (sizeof(bytes) - 1)];
		same(json_object_new_string_len(text, (int)sizeof(text)), 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(strings),
		cmocka_unit_test(bytes_together),
	};

	return cmocka_run_group_tests_name("judge-write", tests, NULL, NULL);
}
