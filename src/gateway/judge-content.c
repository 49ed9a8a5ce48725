/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Of messages and their content blocks, what the tables cannot say. */
#include <string.h>
#include "core/policy.h"
#include "gateway/judge-internal.h"

enum reason judge_role(struct judge *judge, struct json_object *value,
		       const struct place *place, bool *ret_drop)
{
	char shown[JUDGE_SHOWN];

	(void)ret_drop;
	if (judge_is(value, "user") || judge_is(value, "assistant") ||
	    judge_is(value, "system"))
		return REASON_OK;
	return judge_refuse(judge, REASON_RULE_FIELD, place,
			    "is %s, not user, assistant or system",
			    judge_show(value, shown));
}

/* The kinds of source whose bytes are in the request. */
static bool inline_source(struct json_object *source)
{
	struct json_object *type = json_object_object_get(source, "type");

	return judge_is(type, "base64") || judge_is(type, "text") ||
	       judge_is(type, "content");
}

enum reason judge_citation_url(struct judge *judge, struct json_object *value,
			       const struct place *place, bool *ret_drop)
{
	char shown[JUDGE_SHOWN];

	(void)ret_drop;
	/* Only a search at the service makes citations that have one. */
	if (judge->server_tools & (SERVER_TOOL_WEB_SEARCH | SERVER_TOOL_WEB_FETCH))
		return REASON_OK;
	return judge_refuse(judge, REASON_RULE_MEDIA, place, "is %s",
			    judge_show(value, shown));
}

/*
 * What a tool at the service returned, sent back.  Its shape is the service's
 * and grows with each tool; what must not be in it is the same everywhere.  An
 * address that was found is no reference, so `url` alone is none.
 */
enum reason judge_server_result(struct judge *judge, struct json_object *value,
				const struct place *place, bool *ret_drop)
{
	enum reason reason = REASON_OK;
	char shown[JUDGE_SHOWN];

	if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value) && !reason;
		     i++) {
			struct place here = {.up = place, .index = i};

			reason = judge_server_result(
				judge, json_object_array_get_idx(value, i), &here,
				ret_drop);
		}
		return reason;
	}
	if (!json_object_is_type(value, json_type_object))
		return REASON_OK;
	json_object_object_foreach(value, key, inner)
	{
		struct place here = {.up = place, .key = key};

		if ((!strcmp(key, "file_id") && inner) ||
		    (!strcmp(key, "source") &&
		     json_object_is_type(inner, json_type_object) &&
		     !inline_source(inner)))
			return judge_refuse(judge, REASON_RULE_MEDIA, &here, "is %s",
					    judge_show(inner, shown));
		reason = judge_server_result(judge, inner, &here, ret_drop);
		if (reason)
			return reason;
	}
	return REASON_OK;
}
