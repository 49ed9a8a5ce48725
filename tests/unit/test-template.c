/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "config/template.h"

static struct arena arena;

static const struct template_values values = {
	.of = {
		[TEMPLATE_ENDPOINT] = "http://127.0.0.1:8118",
		[TEMPLATE_MODEL] = "m\"\\-1",
		[TEMPLATE_OUTPUT_TOKENS] = "",
		[TEMPLATE_TASK] = "do ${MODEL}\n",
	}};

static const struct {
	const char *text;
	const char *want; /* NULL: one stands for nothing */
} texts[] = {
	{"", ""},
	{"a", "a"},
	{"${ENDPOINT}/v1", "http://127.0.0.1:8118/v1"},
	{"x${MODEL}y${MODEL}", "xm\"\\-1ym\"\\-1"},
	{"$MODEL ${", "$MODEL ${"},
	{"${", "${"},
	{"$", "$"},
	/* What a value holds is not replaced again. */
	{"${TASK}", "do ${MODEL}\n"},
	{"a${OUTPUT_TOKENS}", NULL},
	{"a${WORKSPACE}", NULL},
	{"${MODEL}${HOME}", NULL},
};

static void names_are_replaced(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *got = template_fill(&arena, &values, texts[i].text);

		if (!got != !texts[i].want || (got && strcmp(got, texts[i].want) != 0))
			fail_msg("%s: %s", texts[i].text, got ? got : "NULL");
	}
}

static const struct {
	const char *json;
	const char *want;
} objects[] = {
	{"{}", "{}"},
	{"[]", "[]"},
	{"{\"a\":\"${MODEL}\"}", "{\"a\":\"m\\\"\\\\-1\"}"},
	{"{\"${MODEL}\":{\"b\":[\"${ENDPOINT}\"]}}",
	 "{\"m\\\"\\\\-1\":{\"b\":[\"http://127.0.0.1:8118\"]}}"},
	{"{\"a\":\"${HOME}\",\"b\":[\"${HOME}\",1],\"${HOME}\":2}", "{\"b\":[1]}"},
	{"{\"a\":null,\"b\":[null,true,false,1e3,1.50,-7]}",
	 "{\"a\":null,\"b\":[null,true,false,1e3,1.50,-7]}"},
	{"{\"a\":\"x\\u0000${MODEL}\"}", "{\"a\":\"x\\u0000${MODEL}\"}"},
	{"{\"a\":\"\\u00e4/\"}", "{\"a\":\"\xc3\xa4/\"}"},
};

static void json_stays_json(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		assert_string_equal(
			template_fill_json(&arena, &values, objects[i].json, false),
			objects[i].want);
	assert_string_equal(template_fill_json(&arena, &values, "{\"a\":[1]}", true),
			    "{\n\t\"a\":[\n\t\t1\n\t]\n}\n");
}

static const struct {
	const char *text;
	const char *wrong; /* a part of it; NULL: nothing is */
} checked[] = {
	{"", NULL},
	{"$MODEL ${", NULL},
	{"${MODEL}${HOME}", NULL},
	{"${TASK}", "${TASK}"},
	{"${MODEL}${}", "${}"},
	{"${model}", "${model}"},
	{"${MODEL }", "${MODEL }"},
	{"${MODELS}", "replaced there are MODEL, HOME"},
};

static void other_names_are_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(checked) / sizeof(checked[0]); i++) {
		const char *got =
			template_check(&arena, checked[i].text,
				       1u << TEMPLATE_MODEL | 1u << TEMPLATE_HOME);

		if (!got != !checked[i].wrong ||
		    (got && !strstr(got, checked[i].wrong)))
			fail_msg("%s: %s", checked[i].text, got ? got : "NULL");
	}
}

static void names_are_counted(void **state)
{
	(void)state;
	assert_int_equal(template_count("", TEMPLATE_TASK), 0);
	assert_int_equal(template_count("$TASK${MODEL}", TEMPLATE_TASK), 0);
	assert_int_equal(template_count("${TASK}${TASK}", TEMPLATE_TASK), 2);
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_replaced),
		cmocka_unit_test(json_stays_json),
		cmocka_unit_test(other_names_are_wrong),
		cmocka_unit_test(names_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
