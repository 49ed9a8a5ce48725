/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The models.json that comes with anet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "config/model.h"
#include "core/model-abilities.h"
#include "temporary.h"

static struct arena arena;
static struct detail detail;

static void read_data(struct model_table *ret_table)
{
	const char *srcdir = getenv("srcdir");
	struct places here = {
		.uid = geteuid(),
		.system = temporary_path("etc"),
		.data = arena_format(&arena, "%s/data", srcdir ? srcdir : "."),
	};

	if (model_table_read(&arena, &here, ret_table, NULL, &detail) != REASON_OK)
		fail_msg("%s", detail.text);
	assert_true(ret_table->files[1].there);
}

static void ids_have_versions(void **state)
{
	static const struct {
		const char *host, *id;
		const char *row; /* NULL: unknown */
	} rows[] = {
		{"api.anthropic.com", "claude-opus-4", "claude-opus-4"},
		{"api.anthropic.com", "claude-opus-4-20250514", "claude-opus-4"},
		{"api.anthropic.com", "claude-opus-4-5", "claude-opus-4-5"},
		{"api.anthropic.com", "claude-opus-4-5-20251101", "claude-opus-4-5"},
		{"api.anthropic.com", "claude-3-7-sonnet-latest", "claude-3-7-sonnet"},
		{"api.anthropic.com", "claude-sonnet-5-5", "claude-sonnet-5-5"},
		{"api.anthropic.com", "claude-opus-4-9", NULL},
		{"api.anthropic.com", "claude-opus-4-2025051", NULL},
		{"api.anthropic.com", "claude-opus-4-202505145", NULL},
		{"api.anthropic.com", "claude-opus-4-20250514x", NULL},
		{"api.anthropic.com", "claude-opus-4-2025-05", NULL},
		{"api.anthropic.com", "claude-opus-4-2025-05-145", NULL},
		{"api.anthropic.com", "claude-opus-4-latest2", NULL},
		{"api.anthropic.com", "claude-opus-4x", NULL},
		{"api.anthropic.com", "claude-opus", NULL},
		{"api.anthropic.com", "Claude-opus-4", NULL},
		{"api.anthropic.com", "us.claude-opus-4", NULL},
		{"api.anthropic.com", "gpt-4o", NULL},
		{"api.anthropic.com", "", NULL},
		{"api.openai.com", "gpt-6-luna", "gpt-6-luna"},
		{"api.openai.com", "gpt-6-luna-2026-09-22", "gpt-6-luna"},
		{"api.openai.com", "gpt-4o-2024-08-06", "gpt-4o"},
		{"api.openai.com", "gpt-4o-mini", "gpt-4o-mini"},
		{"api.openai.com", "gpt-6", NULL},
		{"api.openai.com", "gpt-6.1", NULL},
		{"llm.example", "gpt-4o", "gpt-4o"},
		{"127.0.0.1", "claude-haiku-4-5-20251001", "claude-haiku-4-5"},
	};
	struct model_table table;

	(void)state;
	read_data(&table);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct model *model =
			model_find(&table, rows[i].host, rows[i].id, NULL, NULL);

		if (!rows[i].row)
			assert_null(model);
		else if (!model || strcmp(model->id, rows[i].row) != 0)
			fail_msg("%s", rows[i].id);
	}
}

/* b(udget), a(daptive), o(ff), s(ampling), e(ffort), v(erbosity) */
static uint32_t spelled(const char *letters)
{
	static const struct {
		char letter;
		uint32_t bit;
	} all[] = {
		{'b', MODEL_THINKING_BUDGET}, {'a', MODEL_THINKING_ADAPTIVE},
		{'o', MODEL_THINKING_OFF},    {'s', MODEL_SAMPLING},
		{'e', MODEL_EFFORT},	      {'v', MODEL_VERBOSITY},
	};
	uint32_t abilities = MODEL_KNOWN;

	for (; *letters; letters++)
		for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
			if (all[i].letter == *letters)
				abilities |= all[i].bit;
	return abilities;
}

static void what_models_take(void **state)
{
	static const struct {
		const char *id, *letters;
	} rows[] = {
		{"claude-3-haiku", "s"},
		{"claude-3-5-haiku", "s"},
		{"claude-3-5-sonnet", "s"},
		{"claude-3-7-sonnet", "bos"},
		{"claude-sonnet-4", "bos"},
		{"claude-opus-4", "bos"},
		{"claude-opus-4-1", "bos"},
		{"claude-haiku-4-5", "bos"},
		{"claude-sonnet-4-5", "bos"},
		{"claude-opus-4-5", "bose"},
		{"claude-sonnet-4-6", "baose"},
		{"claude-opus-4-6", "baose"},
		{"claude-opus-4-7", "aoe"},
		{"claude-opus-4-8", "aoe"},
		{"claude-haiku-5-5", "ae"},
		{"claude-sonnet-5", "ae"},
		{"claude-sonnet-5-5", "ae"},
		{"claude-opus-5", "ae"},
		{"claude-opus-5-5", "ae"},
		{"claude-fable-5", "ae"},
		{"claude-fable-5-1", "ae"},
		{"claude-fable-5-2", "ae"},
		{"gpt-6-luna", "ev"},
		{"gpt-6-sol", "ev"},
		{"gpt-6.1-sol", "ev"},
		{"gpt-6.2-sol", "ev"},
		{"gpt-6-astra", "ev"},
		{"gpt-5.6-luna", "ev"},
		{"gpt-5.6-terra", "ev"},
		{"gpt-5.6-sol", "ev"},
		{"gpt-5.4-nano", "ev"},
		{"gpt-5-nano", "ev"},
		{"gpt-4.1", "s"},
		{"gpt-4.1-mini", "s"},
		{"gpt-4o", "s"},
		{"gpt-4o-mini", "s"},
	};
	size_t n = sizeof(rows) / sizeof(*rows);
	struct model_table table;

	(void)state;
	read_data(&table);
	for (size_t i = 0; i < n; i++)
		if (model_abilities(model_find(&table, "any.example", rows[i].id, NULL,
					       NULL)) != spelled(rows[i].letters))
			fail_msg("%s", rows[i].id);
	for (size_t i = 0; i < table.files[1].n; i++)
		n -= table.files[1].services[i].models.n;
	assert_int_equal(n, 0);
}

static void what_is_chosen_is_known(void **state)
{
	struct model_table table;

	(void)state;
	read_data(&table);
	assert_true(table.files[1].n > 1);
	for (size_t i = 0; i < table.files[1].n; i++) {
		const struct model_service *service = &table.files[1].services[i];
		const struct model *cheapest = model_find(
			&table, service->host, service->cheapest, NULL, NULL);

		assert_non_null(cheapest);
		assert_true(cheapest->in.given && cheapest->out.given);
		for (size_t j = 0; j < service->models.n; j++) {
			const struct model *model = &service->models.list[j];

			if (!model->deprecated && model->in.given &&
			    (model->in.millionths < cheapest->in.millionths ||
			     model->out.millionths < cheapest->out.millionths))
				fail_msg("%s is cheaper", model->id);
		}
		for (char **alias = service->aliases; *alias; alias++)
			if (!model_find(&table, service->host, strchr(*alias, '=') + 1,
					NULL, NULL))
				fail_msg("%s", *alias);
	}
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
		TEST(ids_have_versions),
		TEST(what_models_take),
		TEST(what_is_chosen_is_known),
	};

	return cmocka_run_group_tests_name("model-data", tests, NULL, no_more);
}
