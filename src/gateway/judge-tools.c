/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which tools a request offers to the model, and who may call them. */
#include "core/policy.h"
#include "gateway/judge-internal.h"

enum reason judge_tools(struct judge *judge, struct json_object *value,
			const struct place *place, bool *ret_drop)
{
	(void)ret_drop;
	return judge_variants(judge, &anthropic_tools, value, place, IN_TOOLS);
}

enum reason judge_tool_choice(struct judge *judge, struct json_object *value,
			      const struct place *place, bool *ret_drop)
{
	struct place type_place = {.up = place, .key = "type"};
	struct json_object *type = json_object_object_get(value, "type");
	char shown[JUDGE_SHOWN];

	(void)ret_drop;
	if (!judge_is(type, "auto") && !judge_is(type, "any") &&
	    !judge_is(type, "tool") && !judge_is(type, "none"))
		return judge_refuse(judge, REASON_RULE_TOOL_TYPE, &type_place, "is %s",
				    judge_show(type, shown));
	return judge_fields(judge, &anthropic_tool_choice_fields, value, place);
}

/* `tool` of a tool_addition or tool_removal: only the name of a tool that
 * `tools` has, never one of an MCP server or one defined on the spot. */
enum reason judge_tool_change(struct judge *judge, struct json_object *value,
			      const struct place *place, bool *ret_drop)
{
	struct place type_place = {.up = place, .key = "type"};
	struct json_object *type = json_object_object_get(value, "type");
	enum reason reason = REASON_RULE_TOOL_TYPE;
	char shown[JUDGE_SHOWN];

	(void)ret_drop;
	if (judge_is(type, "tool_reference"))
		return judge_fields(judge, &anthropic_tool_change_fields, value, place);
	if (judge_is(type, "mcp_tool_reference") ||
	    judge_is(type, "mcp_toolset_reference"))
		reason = REASON_RULE_MCP;
	return judge_refuse(judge, reason, &type_place, "is %s",
			    judge_show(type, shown));
}

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
	return judge_fields(judge, &anthropic_caller_fields, value, place);
}
