/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_GATEWAY_JUDGE_INTERNAL_H
#define ANET_GATEWAY_JUDGE_INTERNAL_H

#include <json-c/json.h>
#include <stdbool.h>
#include "core/rules-anthropic.h"
#include "core/rules-openai.h"
#include "core/rules.h"
#include "gateway/judge.h"

/* Between the parts of the judge.  All functions that return an enum reason
 * have, when it is not REASON_OK, written judgement.detail. */

/* Where in the body something stands, for people: a chain on the stack. */
struct place {
	const struct place *up; /* NULL: in the body itself */
	const char *key;	/* NULL: an element of an array ... */
	size_t index;		/* ... this one */
};

struct judge;

/* A CHECK or CLAMP of the tables.  May change what is inside `value`, which is not
 * null. *ret_drop (false before): leave the field out. */
typedef enum reason judge_check(struct judge *judge, struct json_object *value,
				const struct place *place, bool *ret_drop);

struct judge {
	const struct policy *policy;
	/* Of the API's tables, by rule_field.check. */
	judge_check *const *checks;
	enum endpoint endpoint;
	uint32_t beta;	       /* bits that go out */
	uint32_t server_tools; /* enum policy_server_tools that are allowed */
	struct json_object *body;
	uint8_t *taken; /* the bytes that were read, freed when they are parsed; or NULL */
	struct judgement *judgement;
};

/* Writes the detail: the place, then the text.  Returns `reason`. */
enum reason judge_refuse(struct judge *judge, enum reason reason,
			 const struct place *place, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Says that a value has none of these types (enum rule_types). */
enum reason judge_refuse_type(struct judge *judge, unsigned int types,
			      struct json_object *value, const struct place *place);

/* Puts a value as it may be shown, cut, into `buffer` and returns that. */
#define JUDGE_SHOWN 96
const char *judge_show(struct json_object *value, char buffer[JUDGE_SHOWN]);

/* Applies a table to an object: leaves out, refuses, checks. */
enum reason judge_fields(struct judge *judge, const struct rule_table *table,
			 struct json_object *object, const struct place *place);

/* Applies the row of the object's type; `where`: the place that it stands at.  Anything
 * but an object is refused. */
enum reason judge_variant(struct judge *judge, const struct rule_variants *variants,
			  struct json_object *object, const struct place *place,
			  unsigned int where);

/* The same to each element of an array. */
enum reason judge_variants(struct judge *judge, const struct rule_variants *variants,
			   struct json_object *array, const struct place *place,
			   unsigned int where);

/* The checks of the Messages API. */
extern judge_check *const anthropic_checks[CHECK_COUNT];
judge_check judge_citation_url;
judge_check judge_server_result;
judge_check judge_role;
judge_check judge_caller;
judge_check judge_callers;
judge_check judge_context_management;
judge_check judge_edits;
judge_check judge_service_tier;
judge_check judge_display;

/* Model, output length, and what depends on them; after all fields. */
enum reason judge_output(struct judge *judge);

/* The same, and the checks, of OpenAI's two. */
extern judge_check *const openai_checks[OPENAI_CHECK_COUNT];
enum reason judge_responses_output(struct judge *judge);
enum reason judge_chat_output(struct judge *judge);

/* Pins the policy's model, or takes the agent's where it is left to it.
 * *ret_abilities: enum model_abilities of the model that was put in the place of
 * another one, which the body must follow; 0, without MODEL_KNOWN: it stays as it is.
 */
enum reason judge_model(struct judge *judge, uint32_t *ret_abilities);

/* Sets a field; takes the value, also where it fails.  NULL: there was no memory for
 * it. */
enum reason judge_set(struct judge *judge, struct json_object *object, const char *key,
		      struct json_object *value);

/* Bounds a field of the body that counts tokens by the policy's output length; less
 * than `least` is refused.  *ret_tokens: what it says now; -1: it was missing or null,
 * and is not there. */
enum reason judge_clamp(struct judge *judge, const char *key, int64_t least,
			int64_t *ret_tokens);

/* Keeps those elements of an array that `keep` says, in order, in one pass. */
enum reason judge_filter(struct judge *judge, struct json_object *array,
			 bool (*keep)(const struct judge *, struct json_object *));

/* The text of a body, as json-c writes it without blanks and with plain slashes, for
 * free(); room for `expected` bytes at first, not 0.  NULL: no memory. */
char *judge_write(struct json_object *body, size_t expected, size_t *ret_length);

/* Whether a value is exactly this string. */
bool judge_is(struct json_object *value, const char *text);
/* The string, if it is one without U+0000; else NULL. */
const char *judge_string(struct json_object *value);

#endif
