/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* models.json: how both files are read, and what is pinned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "config/model.h"
#include "core/limits.h"
#include "core/model-abilities.h"
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

static enum reason resolve(const char *host, const char *configured,
			   struct model_choice *ret_choice)
{
	struct places here = places();

	memset(&detail, 0, sizeof(detail));
	*ret_choice = (struct model_choice){0};
	return model_resolve(&arena, &here, host, configured, ret_choice, &detail);
}

static void check(const char *host, const char *configured, const char *want,
		  uint32_t abilities)
{
	struct model_choice choice;
	enum reason reason = resolve(host, configured, &choice);

	if (reason != (want ? REASON_OK : REASON_NO_MODEL))
		fail_msg("%s, %s: %s", host, configured, detail.text);
	if (want && (strcmp(choice.name, want) != 0 || choice.abilities != abilities))
		fail_msg("%s, %s: %s %x", host, configured, choice.name,
			 choice.abilities);
}

#define ADAPTIVE (MODEL_KNOWN | MODEL_THINKING_ADAPTIVE)
#define SAMPLING (MODEL_KNOWN | MODEL_SAMPLING)

static void models_are_resolved(void **state)
{
	static const struct {
		const char *host, *configured, *want;
		uint32_t abilities;
	} rows[] = {
		{"a.example", NULL, "cheap-1", SAMPLING},
		{"a.example", "big", "big-2", ADAPTIVE},
		{"a.example", "big-2", "big-2", ADAPTIVE},
		{"a.example", "bi", "bi", 0},
		{"a.example", "big-2-20261001", "big-2-20261001", ADAPTIVE},
		{"a.example", "other", "other", 0},
		{"a.example", "silent", "silent", 0},
		{"a.example", "agent", "", 0},
		/* A service that is in no file may have the models of others... */
		{"b.example", "big-2", "big-2", ADAPTIVE},
		/* ... but not their aliases and choices. */
		{"b.example", "big", "big", 0},
		{"b.example", "agent", "", 0},
		{"b.example", NULL, NULL, 0},
		{"c.example", NULL, NULL, 0},
		{"c.example", "big-2", "big-2", 0},
	};

	(void)state;
	temporary_file("share/models.json", 0644,
		       "{\"a.example\": {\"cheapest\": \"cheap-1\", \"aliases\": "
		       "{\"big\": \"big-2\"}, \"models\": ["
		       "{\"id\": \"silent\", \"in\": 1},"
		       "{\"id\": \"big-2\", \"takes\": [\"thinking_adaptive\"]},"
		       "{\"id\": \"cheap-1\", \"takes\": [\"sampling\"]}]},"
		       "\"c.example\": {}}");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(rows[i].host, rows[i].configured, rows[i].want,
		      rows[i].abilities);
}

/* Key by key, alias by alias, model by model. */
static void the_operators_file_counts(void **state)
{
	(void)state;
	temporary_file("share/models.json", 0644,
		       "{\"a.example\": {\"cheapest\": \"cheap-1\", \"aliases\": "
		       "{\"big\": \"big-2\", \"small\": \"cheap-1\"}, \"models\": ["
		       "{\"id\": \"big-2\", \"takes\": [\"thinking_adaptive\"]},"
		       "{\"id\": \"cheap-1\", \"takes\": [\"sampling\"]}]}}");
	temporary_file("etc/models.json", 0644, "{}");
	check("a.example", NULL, "cheap-1", SAMPLING);
	temporary_file("etc/models.json", 0644,
		       "{\"a.example\": {\"aliases\": {\"big\": \"big-3\"}, "
		       "\"models\": [{\"id\": \"cheap-1\", \"takes\": "
		       "[\"thinking_adaptive\"]}, {\"id\": \"big\", \"takes\": "
		       "[\"sampling\"]}]},"
		       "\"127.0.0.1\": {\"cheapest\": \"local\"}}");
	check("a.example", "big", "big-3", 0);
	check("a.example", "small", "cheap-1", ADAPTIVE);
	check("a.example", "big-2", "big-2", ADAPTIVE);
	check("a.example", NULL, "cheap-1", ADAPTIVE);
	check("127.0.0.1", NULL, "local", 0);
	temporary_file("etc/models.json", 0644,
		       "{\"a.example\": {\"cheapest\": \"big-2\"}}");
	check("a.example", NULL, "big-2", ADAPTIVE);
}

#define OF_A(text) "{\n\"a.example\": {\n" text "}}"

static void tables_are_checked(void **state)
{
	static const struct {
		const char *table, *want;
	} rows[] = {
		{"{\"a.example\": []}", "line 1: `a.example` must be an object"},
		{"{\"a.example\": null}", "line 1: `a.example` must be an object"},
		{"{\"b.example\": 1}", "line 1: `b.example` must be an object"},
		{"{\n\"A.example\": {}}", "line 2: `A.example` is not the name of"},
		{"{\"a.example:443\": {}}", "is not the name of a host"},
		{"{\"\": {}}", "is not the name of a host"},
		{OF_A("\"cheepest\": \"x\""), "line 3: `a.example.cheepest` is not a "
					      "key that anet knows; did you mean "
					      "`cheapest`?"},
		{OF_A("\"cheapest\": \"a b\""), "is \"a b\": a model has letters"},
		{OF_A("\"cheapest\": \"\""), "line 3: `a.example.cheapest` must be"},
		{OF_A("\"aliases\": {\n\"big\": \"a b\"}"),
		 "line 4: `a.example.aliases.big` is \"a b\": a model has letters"},
		{OF_A("\"aliases\": {\"big\": \"\"}"), "is \"\": it is empty"},
		{OF_A("\"aliases\": {\"\": \"x\"}"), "has \"\": it is empty"},
		{OF_A("\"aliases\": {\"big\": 1}"), "which is no text"},
		{OF_A("\"models\": {}"), "must be a list of objects"},
		{OF_A("\"models\": [\n1]"), "`a.example.models[0]` must be an object"},
		{OF_A("\"models\": [\n{\"in\": 1}]"),
		 "line 4: `a.example.models[0]` has no `id`"},
		{OF_A("\"models\": [{\"id\": \"x\"},\n{\"id\": \"x\"}]"),
		 "line 4: `a.example.models[1]` has the `id` of another one"},
		{OF_A("\"models\": [{\"id\": \"x\",\n\"price\": 1}]"),
		 "line 4: `a.example.models[0].price` is not a key"},
		{OF_A("\"models\": [{\"id\": \"x\", \"in\": \"1\"}]"),
		 "in` must be a number"},
		{OF_A("\"models\": [{\"id\": \"x\", \"in\": -1}]"),
		 "in` must be from 0 to 10000"},
		{OF_A("\"models\": [{\"id\": \"x\", \"in\": 1e9}]"),
		 "in` must be from 0 to 10000"},
		{OF_A("\"models\": [{\"id\": \"x\", \"out\": 10001}]"),
		 "out` must be from 0 to 10000"},
		{OF_A("\"models\": [{\"id\": \"x\", \"out\": 0.0000001}]"),
		 "out` has more than six decimals"},
		{OF_A("\"models\": [{\"id\": \"x\", \"takes\": \"effort\"}]"),
		 "must be a list of"},
		{OF_A("\"models\": [{\"id\": \"x\", \"takes\": [\"efort\"]}]"),
		 "; did you mean `effort`?"},
		{OF_A("\"models\": [{\"id\": \"x\", \"deprecated\": 1}]"),
		 "must be true or false"},
	};
	struct model_choice choice;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		temporary_file("etc/models.json", 0644, rows[i].table);
		/* Whatever the session is for. */
		assert_int_equal(resolve("c.example", "big", &choice),
				 REASON_CONFIG_INVALID);
		if (!strstr(detail.text, rows[i].want))
			fail_msg("%s\nnot %s", detail.text, rows[i].want);
	}
}

static void all_problems_are_told(void **state)
{
	struct config_notes notes = {.complete = true};
	struct places here = places();
	struct model_table table;

	(void)state;
	temporary_file(
		"etc/models.json", 0644,
		"{\"a.example\": {\"cheapest\": 1, \"models\": [{}, {\"id\": 2}]},"
		"\"b.example\": []}");
	temporary_file("share/models.json", 0644, "{\"a.example\": {\"x\": 1}}");
	assert_int_equal(model_table_read(&arena, &here, &table, &notes, &detail),
			 REASON_CONFIG_INVALID);
	assert_int_equal(notes.n_problems, 5);
}

static void prices_are_exact(void **state)
{
	static const struct {
		const char *written;
		uint64_t want;
	} rows[] = {
		{"0", 0},	   {"0.1", 100000},
		{"0.10", 100000},  {"10", 10000000},
		{"0.000001", 1},   {"1.15", 1150000},
		{"2.5", 2500000},  {"9999.999999", 9999999999},
		{"1e1", 10000000}, {"0.30000000001", 300000},
	};
	struct places here = places();
	struct model_table table;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct model *model;

		temporary_file("etc/models.json", 0644,
			       arena_format(&arena,
					    "{\"a.example\": {\"models\": [{\"id\": "
					    "\"x\", \"in\": %s}]}}",
					    rows[i].written));
		assert_int_equal(model_table_read(&arena, &here, &table, NULL, &detail),
				 REASON_OK);
		model = model_find(&table, "a.example", "x", NULL, NULL);
		assert_non_null(model);
		assert_true(model->in.given && !model->out.given);
		if (model->in.millionths != rows[i].want)
			fail_msg("%s", rows[i].written);
	}
}

static void names_of_models(void **state)
{
	char name[LIMIT_MODEL_NAME + 2];

	(void)state;
	memset(name, 'm', sizeof(name));
	name[LIMIT_MODEL_NAME + 1] = 0;
	assert_non_null(model_check(name));
	name[LIMIT_MODEL_NAME] = 0;
	assert_null(model_check(name));
	assert_null(model_check("org/Model-1.5_x:free@2026"));
	assert_non_null(model_check(""));
	assert_non_null(model_check("a\"b"));
	assert_non_null(model_check("a b"));
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
		TEST(models_are_resolved), TEST(the_operators_file_counts),
		TEST(tables_are_checked),  TEST(all_problems_are_told),
		TEST(prices_are_exact),	   TEST(names_of_models),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, no_more);
}
