/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which model answers and how long at most (SPEC S6.1, S6.2), of every API.
 */
#include <string.h>
#include "core/policy.h"
#include "gateway/judge-internal.h"

enum reason judge_set(struct judge *judge, struct json_object *object, const char *key,
		      struct json_object *value)
{
	/* NULL would be written as null. */
	if (!value)
		return judge_refuse(judge, REASON_INTERNAL, NULL, "out of memory");
	if (json_object_object_add(object, key, value) < 0) {
		json_object_put(value);
		return judge_refuse(judge, REASON_INTERNAL, NULL, "out of memory");
	}
	return REASON_OK;
}

static enum reason pin_model(struct judge *judge, const char *model,
			     uint32_t *ret_abilities)
{
	const struct policy *policy = judge->policy;

	*ret_abilities = 0;
	if (model && strcmp(model, policy->model) == 0)
		return REASON_OK;
	*ret_abilities = policy->model_abilities;
	return judge_set(judge, judge->body, "model",
			 json_object_new_string(policy->model));
}

enum reason judge_model(struct judge *judge, uint32_t *ret_abilities)
{
	const struct place place = {.key = "model"};
	struct json_object *value = json_object_object_get(judge->body, "model");
	const char *model = value ? judge_string(value) : "";

	if (*judge->policy->model)
		return pin_model(judge, model, ret_abilities);
	*ret_abilities = 0;
	if (judge->policy->profile != PROFILE_OWN)
		return judge_refuse(judge, REASON_RULE_MODEL, &place,
				    "is not set in the policy, which is for a peer");
	if (!model || !*model || strlen(model) > LIMIT_MODEL_NAME)
		return judge_refuse(judge, REASON_RULE_MODEL, &place,
				    "is missing, empty or longer than %d bytes",
				    LIMIT_MODEL_NAME);
	return REASON_OK;
}

enum reason judge_clamp(struct judge *judge, const char *key, int64_t least,
			int64_t *ret_tokens)
{
	const struct place place = {.key = key};
	int64_t limit = judge->policy->limits.output_tokens;
	struct json_object *value = json_object_object_get(judge->body, key);
	/* Saturates for what only fits uint64. */
	int64_t tokens = json_object_get_int64(value);

	if (!value) {
		*ret_tokens = -1;
		json_object_object_del(judge->body, key);
		return REASON_OK;
	}
	if (tokens < least)
		return judge_refuse(judge, REASON_RULE_TYPE, &place, "is %s",
				    least > 0 ? "less than 1" : "negative");
	*ret_tokens = tokens < limit ? tokens : limit;
	if (tokens <= limit)
		return REASON_OK;
	return judge_set(judge, judge->body, key, json_object_new_int64(limit));
}

enum reason judge_filter(struct judge *judge, struct json_object *array,
			 bool (*keep)(const struct judge *, struct json_object *))
{
	size_t n = json_object_array_length(array);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *element = json_object_array_get_idx(array, i);

		if (keep(judge, element) && kept++ != i &&
		    json_object_array_put_idx(array, kept - 1,
					      json_object_get(element)) < 0)
			return judge_refuse(judge, REASON_INTERNAL, NULL,
					    "out of memory");
	}
	if (kept < n && json_object_array_del_idx(array, kept, n - kept) < 0)
		return judge_refuse(judge, REASON_INTERNAL, NULL, "out of memory");
	return REASON_OK;
}
