/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Responses and Chat Completions: what their tables leave to functions, and what
 * depends on the model, the output length and the host.
 */
#include <string.h>
#include "core/model-abilities.h"
#include "core/policy.h"
#include "gateway/judge-internal.h"

/* Compatible services differ from it in spellings and defaults. */
static bool at_openai(const struct judge *judge)
{
	return strcmp(judge->policy->host, OPENAI_HOST) == 0;
}

static bool may_include(const struct judge *judge, struct json_object *element)
{
	const char *name = judge_string(element);
	const struct openai_include *row = name ? openai_include_find(name) : NULL;

	return row && (!row->server_tools || row->server_tools & judge->server_tools);
}

static enum reason check_include(struct judge *judge, struct json_object *value,
				 const struct place *place, bool *ret_drop)
{
	enum reason reason = judge_filter(judge, value, may_include);

	(void)place;
	*ret_drop = !json_object_array_length(value);
	return reason;
}

/* The only URL that nobody has to fetch.  Lower case: what a service makes of
 * another spelling is its own affair. */
static enum reason check_data_url(struct judge *judge, struct json_object *value,
				  const struct place *place, bool *ret_drop)
{
	char shown[JUDGE_SHOWN];

	(void)ret_drop;
	/* An object has been judged by its own table. */
	if (!json_object_is_type(value, json_type_string) ||
	    !strncmp(json_object_get_string(value), "data:", 5))
		return REASON_OK;
	return judge_refuse(judge, REASON_RULE_MEDIA, place, "is %s, not a data: URL",
			    judge_show(value, shown));
}

/* Base64, bare or in a data: URL.  Some services take an address here, too; no
 * base64 has the colon of one. */
static enum reason check_inline_data(struct judge *judge, struct json_object *value,
				     const struct place *place, bool *ret_drop)
{
	char shown[JUDGE_SHOWN];
	const char *text = judge_string(value);

	(void)ret_drop;
	if (text && (!strncmp(text, "data:", 5) || !strchr(text, ':')))
		return REASON_OK;
	return judge_refuse(judge, REASON_RULE_MEDIA, place,
			    "is %s, not the data itself", judge_show(value, shown));
}

judge_check *const openai_checks[OPENAI_CHECK_COUNT] = {
	[OPENAI_INCLUDE] = check_include,
	[OPENAI_DATA_URL] = check_data_url,
	[OPENAI_INLINE_DATA] = check_inline_data,
};

/* Deletes a field of an object inside the body, and the object with its last one. */
static void delete_inside(struct judge *judge, const char *key, const char *inner)
{
	struct json_object *object = json_object_object_get(judge->body, key);

	if (!json_object_is_type(object, json_type_object))
		return;
	json_object_object_del(object, inner);
	if (!json_object_object_length(object))
		json_object_object_del(judge->body, key);
}

/* What models without sampling answer with 400. */
static void drop_sampling(struct judge *judge)
{
	static const char *const keys[] = {
		"temperature",
		"top_p",
		"top_k",
		"min_p",
		"frequency_penalty",
		"logit_bias",
		"logprobs",
		"top_logprobs",
		"presence_penalty",
		"repetition_penalty",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_object_del(judge->body, keys[i]);
}

static bool no_reasoning(const struct judge *judge, struct json_object *item)
{
	struct json_object *type = json_object_object_get(item, "type");

	(void)judge;
	return !judge_is(type, "reasoning") && !judge_is(type, "configuration_update");
}

static bool no_encrypted_reasoning(const struct judge *judge,
				   struct json_object *element)
{
	(void)judge;
	return !judge_is(element, "reasoning.encrypted_content");
}

/* Filters an array of the body, if it has one; with `empty` it may become empty. */
static enum reason filter_field(struct judge *judge, const char *key, bool empty,
				bool (*keep)(const struct judge *,
					     struct json_object *))
{
	struct json_object *array = json_object_object_get(judge->body, key);
	enum reason reason;

	if (!json_object_is_type(array, json_type_array))
		return REASON_OK;
	reason = judge_filter(judge, array, keep);
	if (!reason && !empty && !json_object_array_length(array))
		json_object_object_del(judge->body, key);
	return reason;
}

static enum reason fit_model(struct judge *judge, uint32_t abilities)
{
	enum reason reason = REASON_OK;

	if (!(abilities & MODEL_KNOWN))
		return REASON_OK;
	if (!(abilities & MODEL_SAMPLING))
		drop_sampling(judge);
	if (!(abilities & MODEL_VERBOSITY)) {
		json_object_object_del(judge->body, "verbosity");
		delete_inside(judge, "text", "verbosity");
	}
	if (abilities & MODEL_EFFORT)
		return REASON_OK;
	json_object_object_del(judge->body, "reasoning");
	json_object_object_del(judge->body, "reasoning_effort");
	reason = filter_field(judge, "include", false, no_encrypted_reasoning);
	return reason ? reason : filter_field(judge, "input", true, no_reasoning);
}

/*
 * Models that search the web by themselves, so that no tool says so: those of OpenAI,
 * and any with the suffix of a router.  Only where the agent chooses the model; an
 * operator has named his.
 */
static enum reason judge_searching_model(struct judge *judge)
{
	static const char *const marks[] = {"-search-", "deep-research", ":online"};
	const struct place place = {.key = "model"};
	struct json_object *value = json_object_object_get(judge->body, "model");
	char shown[JUDGE_SHOWN];

	if (*judge->policy->model || judge->server_tools & SERVER_TOOL_WEB_SEARCH)
		return REASON_OK;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (strstr(json_object_get_string(value), marks[i]))
			return judge_refuse(judge, REASON_RULE_SERVER_TOOL, &place,
					    "is %s, which searches the web",
					    judge_show(value, shown));
	return REASON_OK;
}

static enum reason judge_openai_model(struct judge *judge)
{
	uint32_t abilities;
	enum reason reason = judge_model(judge, &abilities);

	if (!reason)
		reason = judge_searching_model(judge);
	return reason ? reason : fit_model(judge, abilities);
}

static enum reason set_length(struct judge *judge, const char *key, int64_t tokens)
{
	return judge_set(judge, judge->body, key, json_object_new_int64(tokens));
}

/*
 * A service that is given reasoning by its id alone looks it up among what it keeps.
 * Without the id it takes what is there.
 */
static void drop_reasoning_ids(struct json_object *input)
{
	for (size_t i = 0; i < json_object_array_length(input); i++) {
		struct json_object *item = json_object_array_get_idx(input, i);

		if (judge_is(json_object_object_get(item, "type"), "reasoning") &&
		    !json_object_object_get(item, "encrypted_content"))
			json_object_object_del(item, "id");
	}
}

enum reason judge_responses_output(struct judge *judge)
{
	struct json_object *input = json_object_object_get(judge->body, "input");
	enum reason reason = judge_openai_model(judge);
	int64_t tokens;

	if (!reason && json_object_is_type(input, json_type_array))
		drop_reasoning_ids(input);
	if (!reason)
		reason = judge_clamp(judge, "max_output_tokens", 1, &tokens);
	if (reason || tokens > 0)
		return reason;
	return set_length(judge, "max_output_tokens",
			  judge->policy->limits.output_tokens);
}

/* One field has the length, by the name that the service knows. */
static enum reason bound_chat(struct judge *judge)
{
	const int64_t limit = judge->policy->limits.output_tokens;
	int64_t completion;
	int64_t tokens;
	enum reason reason =
		judge_clamp(judge, "max_completion_tokens", 1, &completion);

	if (!reason)
		reason = judge_clamp(judge, "max_tokens", 1, &tokens);
	if (reason)
		return reason;
	if (!at_openai(judge))
		return tokens > 0 || completion > 0
			       ? REASON_OK
			       : set_length(judge, "max_tokens", limit);
	if (completion < 0 || (tokens > 0 && tokens < completion))
		completion = tokens > 0 ? tokens : limit;
	json_object_object_del(judge->body, "max_tokens");
	return set_length(judge, "max_completion_tokens", completion);
}

/* OpenAI keeps answers where an account is set so; what other services know of
 * `store` is unknown, and some refuse fields that they do not know. */
static enum reason set_store(struct judge *judge)
{
	if (!at_openai(judge) && !json_object_object_get_ex(judge->body, "store", NULL))
		return REASON_OK;
	return judge_set(judge, judge->body, "store", json_object_new_boolean(false));
}

enum reason judge_chat_output(struct judge *judge)
{
	enum reason reason = judge_openai_model(judge);

	if (!reason)
		reason = bound_chat(judge);
	return reason ? reason : set_store(judge);
}
