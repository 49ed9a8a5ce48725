/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which model answers (SPEC S6.1), of every API.
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
