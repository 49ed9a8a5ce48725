/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who may call the tools of a request. */
#include "core/policy.h"
#include "gateway/judge-internal.h"

/* Calls that do not come from the model itself come from code at the service. */
static bool may_call(const struct judge *judge, struct json_object *caller)
{
	return judge_is(caller, "direct") ||
	       (judge_string(caller) &&
		judge->server_tools & SERVER_TOOL_CODE_EXECUTION);
}

enum reason judge_callers(struct judge *judge, struct json_object *value,
			  const struct place *place, bool *ret_drop)
{
	char shown[JUDGE_SHOWN];

	(void)ret_drop;
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		struct place here = {.up = place, .index = i};
		struct json_object *caller = json_object_array_get_idx(value, i);

		if (!may_call(judge, caller))
			return judge_refuse(judge, REASON_RULE_SERVER_TOOL, &here,
					    "is %s", judge_show(caller, shown));
	}
	return REASON_OK;
}

enum reason judge_caller(struct judge *judge, struct json_object *value,
			 const struct place *place, bool *ret_drop)
{
	struct place type_place = {.up = place, .key = "type"};
	struct json_object *type = json_object_object_get(value, "type");
	char shown[JUDGE_SHOWN];

	(void)ret_drop;
	/* Newer searches at the service call themselves from such code. */
	if (!judge_is(type, "direct") && !judge->server_tools)
		return judge_refuse(judge, REASON_RULE_SERVER_TOOL, &type_place,
				    "is %s", judge_show(type, shown));
	return REASON_OK;
}
