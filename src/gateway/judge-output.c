/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long a model answers, and the fields that follow from that.  A model
 * refuses what it does not know, so where the agent's model was replaced the
 * fields that models differ in are changed to what the new one takes
 * (SPEC S6.1, S6.2).
 */
#include <string.h>
#include "core/model-abilities.h"
#include "core/policy.h"
#include "gateway/judge-internal.h"

/* The least budget that the API takes, and what is left for the answer. */
#define LEAST_BUDGET 1024

/* *ret_tokens: what max_tokens is now. */
static enum reason bound_length(struct judge *judge, int64_t *ret_tokens)
{
	int64_t limit = judge->policy->limits.output_tokens;
	enum reason reason;

	if (judge->endpoint == ENDPOINT_COUNT_TOKENS) {
		*ret_tokens = limit;
		return REASON_OK;
	}
	/* 0 is the API's way to fill its cache without an answer. */
	reason = judge_clamp(judge, "max_tokens", 0, ret_tokens);
	if (reason || *ret_tokens >= 0)
		return reason;
	*ret_tokens = limit;
	return judge_set(judge, judge->body, "max_tokens",
			 json_object_new_int64(limit));
}

/* Keeps a thinking budget below max_tokens; *ret_drop when none can be. */
static enum reason bound_budget(struct judge *judge, struct json_object *thinking,
				int64_t max_tokens, bool *ret_drop)
{
	const struct place up = {.key = "thinking"};
	const struct place place = {.up = &up, .key = "budget_tokens"};
	struct json_object *value;
	int64_t budget;

	if (!json_object_object_get_ex(thinking, "budget_tokens", &value))
		return REASON_OK;
	budget = json_object_get_int64(value);
	if (budget < 0)
		return judge_refuse(judge, REASON_RULE_TYPE, &place, "is negative");
	if (budget < max_tokens)
		return REASON_OK;
	*ret_drop = max_tokens - LEAST_BUDGET < LEAST_BUDGET;
	if (*ret_drop)
		return REASON_OK;
	return judge_set(judge, thinking, "budget_tokens",
			 json_object_new_int64(max_tokens - LEAST_BUDGET));
}

/* Says what a model takes in place of a kind of thinking that it refuses. */
static enum reason fit_thinking(struct judge *judge, struct json_object *thinking,
				uint32_t abilities, bool *ret_drop)
{
	struct json_object *type = json_object_object_get(thinking, "type");

	if (judge_is(type, "adaptive")) {
		*ret_drop = !(abilities & MODEL_THINKING_ADAPTIVE);
	} else if (judge_is(type, "disabled")) {
		*ret_drop = !(abilities & MODEL_THINKING_OFF);
	} else if (!(abilities & MODEL_THINKING_BUDGET)) {
		*ret_drop = !(abilities & MODEL_THINKING_ADAPTIVE);
		json_object_object_del(thinking, "budget_tokens");
		return judge_set(judge, thinking, "type",
				 json_object_new_string("adaptive"));
	}
	return REASON_OK;
}

static bool no_thinking_edit(const struct judge *judge, struct json_object *edit)
{
	(void)judge;
	return !judge_is(json_object_object_get(edit, "type"),
			 "clear_thinking_20251015");
}

/* The API refuses to clear the thinking of a request that has none. */
static enum reason drop_thinking_edits(struct judge *judge)
{
	struct json_object *management =
		json_object_object_get(judge->body, "context_management");
	struct json_object *edits;
	enum reason reason;

	if (!management || !json_object_object_get_ex(management, "edits", &edits))
		return REASON_OK;
	reason = judge_filter(judge, edits, no_thinking_edit);
	if (!reason && !json_object_array_length(edits))
		json_object_object_del(judge->body, "context_management");
	return reason;
}

static enum reason judge_thinking(struct judge *judge, int64_t max_tokens,
				  uint32_t abilities)
{
	struct json_object *thinking;
	enum reason reason = REASON_OK;
	bool drop = false;

	if (!json_object_object_get_ex(judge->body, "thinking", &thinking))
		return REASON_OK;
	if (abilities & MODEL_KNOWN)
		reason = fit_thinking(judge, thinking, abilities, &drop);
	if (!reason && !drop)
		reason = bound_budget(judge, thinking, max_tokens, &drop);
	if (reason || !drop)
		return reason;
	json_object_object_del(judge->body, "thinking");
	return drop_thinking_edits(judge);
}

static void fit_model(struct judge *judge, uint32_t abilities)
{
	/* NULL also where it is null. */
	struct json_object *config =
		json_object_object_get(judge->body, "output_config");

	if (!(abilities & MODEL_SAMPLING)) {
		json_object_object_del(judge->body, "temperature");
		json_object_object_del(judge->body, "top_p");
		json_object_object_del(judge->body, "top_k");
	}
	if (!(abilities & MODEL_EFFORT) && config) {
		json_object_object_del(config, "effort");
		if (!json_object_object_length(config))
			json_object_object_del(judge->body, "output_config");
	}
}

enum reason judge_output(struct judge *judge)
{
	uint32_t abilities = 0;
	int64_t max_tokens;
	enum reason reason;

	reason = judge_model(judge, &abilities);
	if (!reason)
		reason = bound_length(judge, &max_tokens);
	if (reason)
		return reason;
	if (abilities & MODEL_KNOWN)
		fit_model(judge, abilities);
	return judge_thinking(judge, max_tokens, abilities);
}

enum reason judge_display(struct judge *judge, struct json_object *value,
			  const struct place *place, bool *ret_drop)
{
	(void)place;
	*ret_drop = judge_is(value, "updates") &&
		    !(judge->beta & BETA_BIT(BETA_THINKING_DISPLAY_UPDATES));
	return REASON_OK;
}

enum reason judge_service_tier(struct judge *judge, struct json_object *value,
			       const struct place *place, bool *ret_drop)
{
	char shown[JUDGE_SHOWN];

	/* `auto` is what the service does without the field. */
	*ret_drop = judge_is(value, "auto");
	if (*ret_drop || judge_is(value, "standard_only"))
		return REASON_OK;
	return judge_refuse(judge, REASON_RULE_STORED_STATE, place, "is %s",
			    judge_show(value, shown));
}

enum reason judge_context_management(struct judge *judge, struct json_object *value,
				     const struct place *place, bool *ret_drop)
{
	(void)judge, (void)place;
	*ret_drop = !json_object_object_length(value);
	return REASON_OK;
}

/* A summary written at the service; its beta flag is dropped. */
static bool no_compact_edit(const struct judge *judge, struct json_object *edit)
{
	(void)judge;
	return !judge_is(json_object_object_get(edit, "type"), "compact_20260112");
}

enum reason judge_edits(struct judge *judge, struct json_object *value,
			const struct place *place, bool *ret_drop)
{
	enum reason reason = judge_filter(judge, value, no_compact_edit);

	(void)place;
	*ret_drop = !json_object_array_length(value);
	return reason;
}
