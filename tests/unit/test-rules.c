/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sense of all tables that the bodies of the APIs lead to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <json-c/json.h>
#include "core/rules-anthropic.h"
#include "core/rules-headers.h"
#include "man/rules-bodies.h"
#include "man/rules-walk.h"

#define MOST_TABLES 192

/* More than a word, and can stand in a page. */
static bool good_why(const char *why)
{
	return strlen(why) > 10 && strchr(why, ' ') && !strpbrk(why, "\n\t");
}

static bool needs_why(const struct rule_field *field)
{
	return field->action != RULE_PASS;
}

static bool refuses(const struct rule_field *field)
{
	return field->action == RULE_REFUSE || field->words || field->required;
}

static const char *wrong_field(const struct rules_body *body,
			       const struct rule_field *field)
{
	bool goes_out = field->action == RULE_PASS || field->action == RULE_CHECK ||
			field->action == RULE_CLAMP || field->server_tools;

	if (needs_why(field) && !field->why)
		return "has no sentence";
	if (field->why && !good_why(field->why))
		return "has no good sentence";
	if ((goes_out || (field->action == RULE_SET && !field->set)) && !field->types)
		return "goes out and has no type";
	if ((field->action == RULE_CHECK || field->action == RULE_CLAMP) !=
	    (field->check != 0))
		return "has a check without need, or none";
	if (field->check >= body->n_checks)
		return "has a check that there is not";
	/* What an agent is told needs an answer. */
	if (refuses(field) ? reason_http_status((enum reason)field->reason) != 403
			   : field->reason != REASON_OK)
		return "has not the reason of a refusal";
	if (field->beta & ~body->betas)
		return "has a beta flag that there is not";
	if (field->set && field->action != RULE_SET)
		return "sets and is no SET";
	if (field->object && field->kinds)
		return "has two tables inside";
	if ((field->object || field->kinds) && !goes_out)
		return "has a table inside that nobody asks";
	if ((field->object || field->kinds) &&
	    !(field->types & (RULE_OBJECT | RULE_ARRAY)))
		return "has a table inside and can have no inside";
	if ((field->kinds != NULL) != (field->places != 0))
		return "has a place without kinds, or kinds without a place";
	return NULL;
}

static void check_table(const struct rules_body *body, const struct rules_found *found)
{
	const struct rule_table *table = found->table;

	assert_true(table->n_fields > 0);
	assert_true(table->unknown == RULE_DROP || table->unknown == RULE_REFUSE);
	for (size_t i = 0; i < table->n_fields; i++) {
		const struct rule_field *field = &table->fields[i];
		const char *wrong = wrong_field(body, field);
		struct json_object *set;

		for (size_t j = 0; j < i; j++)
			if (!strcmp(field->name, table->fields[j].name))
				wrong = "has two rows";
		if (wrong)
			fail_msg("%s: '%s' %s: %s", body->title, found->path,
				 field->name, wrong);
		if (!field->set)
			continue;
		set = json_tokener_parse(field->set);
		if (!set)
			fail_msg("%s %s: is set to no JSON", body->title, field->name);
		json_object_put(set);
	}
}

static const char *wrong_kind(const struct rules_body *body,
			      const struct rule_variant *kind, unsigned int places)
{
	if (kind->reason && reason_http_status(kind->reason) != 403)
		return "has not the reason of a refusal";
	if (kind->reason && !kind->why)
		return "has no sentence";
	if (kind->why && !good_why(kind->why))
		return "has no good sentence";
	if ((kind->reason == REASON_OK || kind->server_tools) != (kind->fields != NULL))
		return "is allowed without fields, or has fields and is not";
	if (kind->server_tools && !kind->reason)
		return "needs the policy for nothing";
	if (kind->fields ? !(kind->places & places) : kind->places != 0)
		return "stands in no place, or is refused in one";
	if (kind->beta & ~body->betas)
		return "has a beta flag that there is not";
	return NULL;
}

static void check_kinds(const struct rules_body *body, const struct rules_found *found)
{
	const struct rule_variants *kinds = found->kinds;
	unsigned int places = 0;

	assert_true(kinds->n_rows > 0);
	assert_non_null(kinds->noun);
	assert_int_equal(reason_http_status(kinds->unknown), 403);
	if (kinds->absent)
		assert_non_null(rule_variant_find(kinds, kinds->absent));
	for (size_t i = 0; i < found->n_uses; i++)
		places |= found->uses[i].places;
	for (size_t i = 0; i < kinds->n_rows; i++) {
		const struct rule_variant *kind = &kinds->rows[i];
		const char *wrong = wrong_kind(body, kind, places);

		if (rule_variant_find(kinds, kind->type) != kind)
			wrong = "has two rows";
		if (wrong)
			fail_msg("%s: %s %s: %s", body->title, kinds->noun, kind->type,
				 wrong);
	}
}

static void test_tables(void **state)
{
	static struct rules_found found[MOST_TABLES];

	(void)state;
	for (size_t i = 0; i < rules_n_bodies; i++) {
		size_t n = rules_walk(rules_bodies[i].table, found, 0, MOST_TABLES);

		assert_true(n > 10);
		for (size_t j = 0; j < n; j++) {
			if (found[j].table)
				check_table(&rules_bodies[i], &found[j]);
			else
				check_kinds(&rules_bodies[i], &found[j]);
		}
	}
}

static bool has_drop_row(const char *name)
{
	static struct rules_found found[MOST_TABLES];
	size_t n = rules_walk(&anthropic_messages_fields, found, 0, MOST_TABLES);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; found[i].table && j < found[i].table->n_fields; j++)
			if (found[i].table->fields[j].action == RULE_DROP &&
			    !strcmp(found[i].table->fields[j].name, name))
				return true;
	return false;
}

/* As they are compared. */
static bool good_header(const char *name)
{
	return *name &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(name);
}

static void test_headers(void **state)
{
	static const struct {
		const char *name;
		enum wire wire;
		enum profile profile;
		bool back;
	} rows[] = {
		{"content-type", WIRE_ANTHROPIC, PROFILE_PEER, true},
		{"content-typ", WIRE_ANTHROPIC, PROFILE_PEER, false},
		{"content-type-x", WIRE_ANTHROPIC, PROFILE_PEER, false},
		{"request-id", WIRE_ANTHROPIC, PROFILE_PEER, true},
		{"request-id", WIRE_OPENAI, PROFILE_PEER, false},
		{"x-request-id", WIRE_OPENAI, PROFILE_PEER, true},
		{"x-request-id", WIRE_ANTHROPIC, PROFILE_PEER, false},
		{"anthropic-ratelimit-tokens-limit", WIRE_ANTHROPIC, PROFILE_OWN, true},
		{"anthropic-ratelimit-tokens-limit", WIRE_ANTHROPIC, PROFILE_PEER,
		 false},
		{"anthropic-ratelimit-", WIRE_ANTHROPIC, PROFILE_OWN, false},
		{"x-ratelimit-limit-tokens", WIRE_OPENAI, PROFILE_OWN, true},
		{"x-ratelimit-limit-tokens", WIRE_OPENAI, PROFILE_PEER, false},
		{"openai-organization", WIRE_OPENAI, PROFILE_OWN, false},
		{"openai-project", WIRE_OPENAI, PROFILE_OWN, false},
		{"anthropic-organization-id", WIRE_ANTHROPIC, PROFILE_OWN, false},
		{"set-cookie", WIRE_OPENAI, PROFILE_OWN, false},
		{"", WIRE_OPENAI, PROFILE_OWN, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rule_header_goes_back(rows[i].name, strlen(rows[i].name),
					  rows[i].wire,
					  rows[i].profile) != rows[i].back)
			fail_msg("%s", rows[i].name);
	for (size_t i = 0; i < rule_n_headers_out; i++) {
		assert_true(good_header(rule_headers_out[i].name));
		assert_true(good_why(rule_headers_out[i].why));
	}
	for (size_t i = 0; i < rule_n_headers_dropped; i++) {
		assert_true(good_header(rule_headers_dropped[i].name));
		assert_true(good_why(rule_headers_dropped[i].why));
	}
	for (size_t i = 0; i < rule_n_headers_back; i++) {
		assert_true(good_header(rule_headers_back[i].name));
		assert_true(good_why(rule_headers_back[i].why));
	}
}

/* A dropped flag takes its fields along. */
static void test_dropped_flags(void **state)
{
	(void)state;
	assert_true(anthropic_n_dropped_flags > 0);
	for (size_t i = 0; i < anthropic_n_dropped_flags; i++) {
		const struct rule_flag *flag = &anthropic_dropped_flags[i];

		if (!flag->why || !good_why(flag->why))
			fail_msg("%s has no good sentence", flag->name);
		if (flag->fields && !has_drop_row(flag->fields))
			fail_msg("%s: no row drops %s", flag->name, flag->fields);
		assert_int_equal(anthropic_beta_parse((const uint8_t *)flag->name,
						      strlen(flag->name)),
				 0);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(flag->name,
						anthropic_dropped_flags[j].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_dropped_flags),
		cmocka_unit_test(test_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
