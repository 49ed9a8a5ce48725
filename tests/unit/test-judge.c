/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The judge: fields of the body, both endpoints, what it gives back. */
#include "judge-rows.h"

/* Rows of long texts. */
/* clang-format off */

static const struct row field_rows[] = {
	SAME("the least", WITH("")),
	SAME("stream", WITH(",'stream':true")),
	SAME("not a stream", WITH(",'stream':false")),
	SAME("stop sequences", WITH(",'stop_sequences':['a','b']")),
	SAME("numbers keep their form",
	     WITH(",'temperature':1.10,'top_p':9.9E-1,'top_k':40")),
	SAME("a temperature that is an integer", WITH(",'temperature':1")),
	SAME("text keeps its bytes",
	     WITH(",'stop_sequences':['\xc3\xa9 \xf0\x9f\x98\x80 / \x7f \\u0000 \\n\\\\\\\"']")),
	BECOMES("escapes that need not be",
		WITH(",'stop_sequences':['\\u00e9\\/\\u0041']"),
		WITH(",'stop_sequences':['\xc3\xa9/A']")),
	BECOMES("white space",
		" {'model' : 'claude-opus-5-5','max_tokens':\t1,\n'messages':[ ]} ",
		"{'model':'claude-opus-5-5','max_tokens':1,'messages':[]}"),
	SAME("system as text", WITH(",'system':'s'")),
	SAME("system as blocks", WITH(",'system':[{'type':'text','text':'s',"
		"'cache_control':{'type':'ephemeral'}}]")),
	SAME("cache control on top",
	     WITH(",'cache_control':{'type':'ephemeral','ttl':'1h'}")),
	SAME("no cache control", WITH(",'cache_control':null")),
	SAME("standard tier", WITH(",'service_tier':'standard_only'")),
	SAME("format",
	     WITH(",'output_config':{'effort':'low','format':{'type':'json_schema',"
		"'schema':{'url':'x','file_id':1,'model':2}}}")),

	/* Left out. */
	BECOMES("metadata", WITH(",'metadata':{'user_id':'device'}"), WITH("")),
	BECOMES("speed", WITH(",'speed':'fast'"), WITH("")),
	BECOMES("fallbacks", WITH(",'fallbacks':[{'model':'claude-fable-5-1'}]"),
		WITH("")),
	BECOMES("default fallbacks", WITH(",'fallbacks':'default'"), WITH("")),
	BECOMES("fallback credit", WITH(",'fallback_credit_token':'t'"), WITH("")),
	BECOMES("diagnostics", WITH(",'diagnostics':{'previous_message_id':'msg_1'}"),
		WITH("")),
	BECOMES("old output format", WITH(",'output_format':{'type':'json_schema'}"),
		WITH("")),
	BECOMES("automatic tier", WITH(",'service_tier':'auto'"), WITH("")),
	BECOMES("no MCP servers", WITH(",'mcp_servers':[]"), WITH("")),
	BECOMES("no container", WITH(",'container':null"), WITH("")),
	BECOMES("task budget",
		WITH(",'output_config':{'effort':'low','task_budget':{'total':9}}"),
		WITH(",'output_config':{'effort':'low'}")),
	BECOMES("output configuration of a message",
		"{'model':'claude-opus-5-5','max_tokens':1,'messages':[{'role':'system',"
		"'content':'x','output_config':{'effort':'max'}}]}",
		"{'model':'claude-opus-5-5','max_tokens':1,'messages':[{'role':'system',"
		"'content':'x'}]}"),
	BECOMES("context management without its flag",
		WITH(",'context_management':{'edits':[]}"), WITH("")),
	BECOMES("scope without its flag",
		WITH(",'cache_control':{'type':'ephemeral','scope':'global'}"),
		WITH(",'cache_control':{'type':'ephemeral'}")),

	/* Refused. */
	REFUSED("MCP servers",
		WITH(",'mcp_servers':[{'type':'url','url':'https://x'}]"), RULE_MCP,
		"mcp_servers is an array"),
	REFUSED("MCP servers as text", WITH(",'mcp_servers':'x'"), RULE_MCP,
		"mcp_servers is 'x'"),
	REFUSED("container", WITH(",'container':'c_1'"), RULE_CONTAINER,
		"container is 'c_1'"),
	REFUSED("container with skills", WITH(",'container':{'skills':[]}"),
		RULE_CONTAINER, "container is an object"),
	REFUSED("place", WITH(",'inference_geo':'us'"), RULE_STORED_STATE,
		"inference_geo is 'us'"),
	REFUSED("user profile", WITH(",'user_profile_id':'u'"), RULE_STORED_STATE,
		"user_profile_id is 'u'"),
	REFUSED("priority tier", WITH(",'service_tier':'priority'"), RULE_STORED_STATE,
		"service_tier is 'priority'"),
	REFUSED("tier of another type", WITH(",'service_tier':null"), RULE_TYPE,
		"service_tier is null, not a string"),
	REFUSED("unknown field", WITH(",'conversation':'c'"), RULE_FIELD,
		"conversation is not a field that anet knows here"),
	REFUSED("capital letter", WITH(",'Stream':true"), RULE_FIELD,
		"Stream is not a field that anet knows here"),
	REFUSED("blank behind a name", WITH(",'stream ':true"), RULE_FIELD,
		"stream  is not a field that anet knows here"),
	REFUSED("empty name", WITH(",'':1"), RULE_FIELD,
		"'' is not a field that anet knows here"),
	REFUSED("of another API", WITH(",'store':false"), RULE_FIELD,
		"store is not a field that anet knows here"),
	REFUSED("several answers", WITH(",'n':2"), RULE_FIELD,
		"n is not a field that anet knows here"),
	REFUSED("flags in the body", WITH(",'betas':['fast-mode-2026-02-01']"),
		RULE_FIELD, "betas is not a field that anet knows here"),
	REFUSED("flags in the body, other platforms", WITH(",'anthropic_beta':[]"),
		RULE_FIELD, "anthropic_beta is not a field that anet knows here"),
	REFUSED("prototype", WITH(",'__proto__':{}"), RULE_FIELD,
		"__proto__ is not a field that anet knows here"),
	REFUSED("in the output configuration", WITH(",'output_config':{'n':1}"),
		RULE_FIELD, "output_config.n is not a field that anet knows here"),
	REFUSED("in cache control", WITH(",'cache_control':{'x':1}"), RULE_FIELD,
		"cache_control.x is not a field that anet knows here"),
	REFUSED("in a message",
		"{'model':'claude-opus-5-5','max_tokens':1,'messages':[{'role':'user','x':1}]}",
		RULE_FIELD, "messages[0].x is not a field that anet knows here"),
	REFUSED("role", "{'model':'claude-opus-5-5','messages':[{'role':'tool'}]}",
		RULE_FIELD,
		"messages[0].role is 'tool', not user, assistant or system"),
	REFUSED("role with more",
		"{'model':'claude-opus-5-5','messages':[{'role':'user\\u0000'}]}",
		RULE_FIELD,
		"messages[0].role is 'user', not user, assistant or system"),

	/* Wrong types. */
	REFUSED("model", "{'model':1,'messages':[]}", RULE_TYPE,
		"model is 1, not a string"),
	REFUSED("model null", "{'model':null}", RULE_TYPE,
		"model is null, not a string"),
	REFUSED("model list", "{'model':['a']}", RULE_TYPE,
		"model is an array, not a string"),
	REFUSED("stream", WITH(",'stream':'true'"), RULE_TYPE,
		"stream is 'true', not true or false"),
	REFUSED("stream 1", WITH(",'stream':1"), RULE_TYPE,
		"stream is 1, not true or false"),
	REFUSED("messages", "{'messages':{}}", RULE_TYPE,
		"messages is an object, not an array"),
	REFUSED("message", "{'messages':['x']}", RULE_TYPE,
		"messages[0] is 'x', not an object"),
	REFUSED("message null", "{'messages':[{},null]}", RULE_TYPE,
		"messages[1] is null, not an object"),
	REFUSED("content", "{'messages':[{'role':'user','content':1}]}", RULE_TYPE,
		"messages[0].content is 1, not a string or an array"),
	REFUSED("content null", "{'messages':[{'role':'user','content':null}]}",
		RULE_TYPE, "messages[0].content is null, not a string or an array"),
	REFUSED("system", WITH(",'system':{}"), RULE_TYPE,
		"system is an object, not a string or an array"),
	REFUSED("tools", WITH(",'tools':{}"), RULE_TYPE,
		"tools is an object, not an array"),
	REFUSED("tools null", WITH(",'tools':null"), RULE_TYPE,
		"tools is null, not an array"),
	REFUSED("tool", WITH(",'tools':[1]"), RULE_TYPE,
		"tools[0] is 1, not an object"),
	REFUSED("tool choice", WITH(",'tool_choice':'auto'"), RULE_TYPE,
		"tool_choice is 'auto', not an object"),
	REFUSED("thinking", WITH(",'thinking':true"), RULE_TYPE,
		"thinking is true, not an object"),
	REFUSED("temperature", WITH(",'temperature':'1'"), RULE_TYPE,
		"temperature is '1', not an integer or a number"),
	REFUSED("top_k", WITH(",'top_k':1.5"), RULE_TYPE,
		"top_k is 1.5, not an integer"),
	REFUSED("long value",
		WITH(","
		"'stream':'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"),
		RULE_TYPE,
		"stream "
		"is "
		"'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', not true or false"),

	/* What the scan refuses. */
	REFUSED("no JSON", "{'model'", JSON_SYNTAX, "at byte 8 of the body"),
	REFUSED("nothing", "", JSON_SYNTAX, "at byte 0 of the body"),
	REFUSED("an array", "[]", JSON_NOT_OBJECT, "at byte 0 of the body"),
	REFUSED("model twice", "{'model':'a','mo\\u0064el':'b'}", JSON_DUPLICATE_KEY,
		"at byte 13 of the body"),
	REFUSED("not a finite number", WITH(",'temperature':1e999"), JSON_NUMBER,
		"at byte 72 of the body"),
	REFUSED("key with NUL", WITH(",'stream\\u0000x':true"), JSON_STRING,
		"at byte 67 of the body"),
	REFUSED("unpaired surrogate", WITH(",'system':'\\ud800'"), JSON_STRING,
		"at byte 74 of the body"),
};

static void test_fields(void **state)
{
	struct setting setting = PEER;

	(void)state;
	rows_check_all(&setting, field_rows);
	/* The operator's own agents have the same rules. */
	setting.profile = PROFILE_OWN;
	rows_check_all(&setting, field_rows);
}

static void test_result(void **state)
{
	struct setting setting = PEER;
	struct judgement judgement;
	char *body = rows_quoted(WITH(",'stream':true"));

	(void)state;
	setting.beta = "effort-2025-11-24, claude-code-20250219,fast-mode-2026-02-01";
	rows_judge(&setting, body, strlen(body), &judgement);
	assert_int_equal(judgement.reason, REASON_OK);
	assert_int_equal(judgement.flags, UPSTREAM_STREAM);
	assert_int_equal(judgement.beta,
			 BETA_BIT(BETA_EFFORT) | BETA_BIT(BETA_CLAUDE_CODE));
	judgement_clear(&judgement);
	assert_null(judgement.text);
	free(body);

	body = rows_quoted(WITH(",'stream':false"));
	rows_judge(&setting, body, strlen(body), &judgement);
	assert_int_equal(judgement.flags, 0);
	judgement_clear(&judgement);
	free(body);
}

#define COUNTED(more) "{'model':'claude-opus-5-5','messages':[]" more "}"

static const struct row count_rows[] = {
	SAME("the least", COUNTED("")),
	SAME("all", COUNTED(",'system':'s','tools':[],'tool_choice':{'type':'auto'},"
		"'thinking':{'type':'adaptive'},'output_config':{'effort':'low'}")),
	SAME("budget", COUNTED(",'thinking':{'type':'enabled','budget_tokens':2000}")),
	BECOMES("budget beyond what may be used",
		COUNTED(",'thinking':{'type':'enabled','budget_tokens':8192}"),
		COUNTED(",'thinking':{'type':'enabled','budget_tokens':7168}")),
	BECOMES("another model", "{'model':'x','messages':[]}", COUNTED("")),
	REFUSED("output length", COUNTED(",'max_tokens':1"), RULE_FIELD,
		"max_tokens is not a field that anet knows here"),
	REFUSED("stream", COUNTED(",'stream':true"), RULE_FIELD,
		"stream is not a field that anet knows here"),
	REFUSED("server tool", COUNTED(",'tools':[{'type':'web_search_20250305'}]"),
		RULE_SERVER_TOOL, "tools[0].type is 'web_search_20250305'"),
	REFUSED("MCP", COUNTED(",'mcp_servers':[{}]"), RULE_MCP,
		"mcp_servers is an array"),
};

static void test_count_tokens(void **state)
{
	struct setting setting = PEER;

	(void)state;
	setting.endpoint = ENDPOINT_COUNT_TOKENS;
	rows_check_all(&setting, count_rows);
}

/* A body of exactly `length` bytes, most of it one string. */
static enum reason judge_length(size_t length, const char *model)
{
	static const char head[] = "{\"model\":\"m\",\"max_tokens\":1,\"system\":\"";
	struct setting setting = PEER;
	struct judgement judgement;
	char *body = malloc(length);
	enum reason reason;

	assert_non_null(body);
	memset(body, 'x', length);
	memcpy(body, head, sizeof(head) - 1);
	memcpy(body + length - 2, "\"}", 2);
	setting.model = model;
	rows_judge(&setting, body, length, &judgement);
	reason = judgement.reason;
	judgement_clear(&judgement);
	free(body);
	return reason;
}

static void test_body_length(void **state)
{
	(void)state;
	assert_int_equal(judge_length(LIMIT_BODY_BYTES, "m"), REASON_OK);
	assert_int_equal(judge_length(LIMIT_BODY_BYTES + 1, "m"),
			 REASON_HTTP_BODY_TOO_LARGE);
	/* It is what goes out that counts too. */
	assert_int_equal(judge_length(LIMIT_BODY_BYTES - 1, "mm"), REASON_OK);
	assert_int_equal(judge_length(LIMIT_BODY_BYTES, "mm"),
			 REASON_HTTP_BODY_TOO_LARGE);
}

/* Whatever the place is called, the detail fits, ends, and is UTF-8. */
static void test_long_detail(void **state)
{
	char body[1024];
	struct setting setting = PEER;
	struct judgement judgement;

	(void)state;
	for (size_t n = 1; n < 200; n++) {
		size_t length = (size_t)sprintf(body, "{\"");

		for (size_t i = 0; i < n; i++)
			length += (size_t)sprintf(body + length, "\xe2\x82\xac");
		length +=
			(size_t)sprintf(body + length, "%.*s\":1}", (int)(n % 3), "aa");
		rows_judge(&setting, body, length, &judgement);
		assert_int_equal(judgement.reason, REASON_RULE_FIELD);
		assert_true(strlen(judgement.detail) <= LIMIT_DETAIL);
		/* Cut between characters: the text follows a whole one. */
		assert_non_null(strstr(judgement.detail, " is not a field"));
		assert_true((strchr(judgement.detail, ' ') - judgement.detail) % 3 ==
			    (n < 21 ? (int)(n % 3) : 0));
		judgement_clear(&judgement);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_result),
		cmocka_unit_test(test_count_tokens),
		cmocka_unit_test(test_body_length),
		cmocka_unit_test(test_long_detail),
	};

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
