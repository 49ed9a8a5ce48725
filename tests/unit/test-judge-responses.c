/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The judge on Responses: fields of the body, model, output length. */
#include "judge-rows.h"

/* Rows of long texts. */
/* clang-format off */

#define ASK(more) "{'model':'gpt-6-luna','input':'x','max_output_tokens':100,'store':false" more "}"
#define LEFT_OUT(name, more) BECOMES(name, ASK(more), ASK(""))

static const struct row field_rows[] = {
	SAME("the least", ASK("")),
	SAME("no input", "{'model':'gpt-6-luna','max_output_tokens':1,'store':false}"),
	SAME("input null", "{'model':'gpt-6-luna','input':null,'max_output_tokens':1,'store':false}"),
	SAME("instructions", ASK(",'instructions':'i'")),
	SAME("stream", ASK(",'stream':true,'stream_options':{'include_obfuscation':false}")),
	SAME("nulls", ASK(",'stream':null,'instructions':null,'tools':null,'tool_choice':null,"
		"'include':null,'reasoning':null,'text':null,'temperature':null,'top_p':null,"
		"'truncation':null,'parallel_tool_calls':null,'background':null,'service_tier':null,"
		"'prompt_cache_key':null,'prompt_cache_options':null,'stream_options':null,"
		"'max_tool_calls':null,'top_logprobs':null")),
	SAME("sampling", ASK(",'temperature':0.5,'top_p':1,'top_logprobs':3")),
	SAME("reasoning", ASK(",'reasoning':{'effort':'low','summary':'auto','generate_summary':'auto',"
		"'context':'all_turns','mode':'standard'}")),
	SAME("text", ASK(",'text':{'verbosity':'low','format':{'type':'json_schema','name':'n',"
		"'schema':{'properties':{'file_id':{},'image_url':{'const':'https://x'}}}}}")),
	SAME("truncation", ASK(",'truncation':'auto'")),
	SAME("tool calls", ASK(",'parallel_tool_calls':false,'max_tool_calls':9")),
	SAME("cache", ASK(",'prompt_cache_key':'k','prompt_cache_options':{'mode':'explicit'}")),
	SAME("what is encrypted may be asked for",
	     ASK(",'include':['reasoning.encrypted_content','message.output_text.logprobs',"
		"'message.input_image.image_url','computer_call_output.output.image_url']")),
	SAME("standard price", ASK(",'service_tier':'default'")),
	SAME("usual price", ASK(",'service_tier':'auto'")),
	SAME("in the foreground", ASK(",'background':false")),
	BECOMES("what is not asked for is said", "{'model':'gpt-6-luna','input':'x'}",
		"{'model':'gpt-6-luna','input':'x','store':false,'max_output_tokens':8192}"),
	BECOMES("kept", "{'store':true,'model':'gpt-6-luna','max_output_tokens':1}",
		"{'store':false,'model':'gpt-6-luna','max_output_tokens':1}"),
	BECOMES("kept, null", "{'store':null,'model':'gpt-6-luna','max_output_tokens':1}",
		"{'store':false,'model':'gpt-6-luna','max_output_tokens':1}"),
	BECOMES("kept, an object", "{'store':{'x':1},'model':'gpt-6-luna','max_output_tokens':1}",
		"{'store':false,'model':'gpt-6-luna','max_output_tokens':1}"),

	/* Left out. */
	LEFT_OUT("metadata", ",'metadata':{'a':'b'}"),
	LEFT_OUT("metadata of the client",
		 ",'client_metadata':{'x-codex-installation-id':'i','x-codex-turn-metadata':'{}'}"),
	LEFT_OUT("user", ",'user':'u'"),
	LEFT_OUT("safety identifier", ",'safety_identifier':'s'"),
	LEFT_OUT("retention", ",'prompt_cache_retention':'24h'"),
	LEFT_OUT("compaction by itself",
		 ",'context_management':[{'type':'compaction','compact_threshold':1}]"),
	LEFT_OUT("what nobody knows", ",'frobnicate':{'model':'m','url':'https://x'}"),
	LEFT_OUT("of Chat", ",'n':5,'max_tokens':99999,'web_search_options':{}"),
	LEFT_OUT("of Messages", ",'mcp_servers':[{}],'container':'c','fallbacks':[]"),
	LEFT_OUT("flags", ",'betas':['responses_multi_agent=v1']"),
	LEFT_OUT("capital letter", ",'Store':true,'BACKGROUND':true"),
	LEFT_OUT("blank behind a name", ",'store ':true"),
	LEFT_OUT("prototype", ",'__proto__':{'store':true}"),
	LEFT_OUT("no background", ",'previous_response_id':null,'conversation':null,'prompt':null,"
		"'moderation':null,'multi_agent':null"),
	LEFT_OUT("what searches found", ",'include':['web_search_call.results','web_search_call.action.sources',"
		"'file_search_call.results','code_interpreter_call.outputs','next.thing']"),
	LEFT_OUT("what no name is", ",'include':[1,null,{'a':1},['reasoning.encrypted_content']]"),
	BECOMES("some of what is asked for",
		ASK(",'include':['file_search_call.results','reasoning.encrypted_content','x']"),
		ASK(",'include':['reasoning.encrypted_content']")),
	BECOMES("inside of reasoning", ASK(",'reasoning':{'effort':'low','budget':9,'model':'m'}"),
		ASK(",'reasoning':{'effort':'low'}")),
	BECOMES("how long it is cached", ASK(",'prompt_cache_options':{'mode':'explicit','ttl':'24h'}"),
		ASK(",'prompt_cache_options':{'mode':'explicit'}")),
	BECOMES("inside of the rest",
		ASK(",'text':{'x':1},'stream_options':{'x':1},'prompt_cache_options':{'x':1}"),
		ASK(",'text':{},'stream_options':{},'prompt_cache_options':{}")),

	/* Refused. */
	REFUSED("earlier answer", ASK(",'previous_response_id':'resp_1'"), RULE_STORED_STATE,
		"previous_response_id is 'resp_1'"),
	REFUSED("earlier answer, escaped", ASK(",'previous_respons\\u0065_id':'resp_1'"),
		RULE_STORED_STATE, "previous_response_id is 'resp_1'"),
	REFUSED("earlier answer of another type", ASK(",'previous_response_id':{}"), RULE_STORED_STATE,
		"previous_response_id is an object"),
	REFUSED("conversation", ASK(",'conversation':'c'"), RULE_STORED_STATE, "conversation is 'c'"),
	REFUSED("conversation, an object", ASK(",'conversation':{'id':'c'}"), RULE_STORED_STATE,
		"conversation is an object"),
	REFUSED("template", ASK(",'prompt':{'id':'p'}"), RULE_STORED_STATE, "prompt is an object"),
	REFUSED("moderation", ASK(",'moderation':{'model':'m'}"), RULE_STORED_STATE,
		"moderation is an object"),
	REFUSED("several agents", ASK(",'multi_agent':{}"), RULE_SERVER_TOOL,
		"multi_agent is an object"),
	REFUSED("background", ASK(",'background':true"), RULE_STORED_STATE,
		"background is true, not false"),
	REFUSED("background as text", ASK(",'background':'false'"), RULE_TYPE,
		"background is 'false', not true or false or null"),
	REFUSED("cheaper", ASK(",'service_tier':'flex'"), RULE_STORED_STATE,
		"service_tier is 'flex', not auto|default"),
	REFUSED("dearer", ASK(",'service_tier':'priority'"), RULE_STORED_STATE,
		"service_tier is 'priority', not auto|default"),
	REFUSED("part of a word", ASK(",'service_tier':'aut'"), RULE_STORED_STATE,
		"service_tier is 'aut', not auto|default"),
	REFUSED("both words", ASK(",'service_tier':'auto|default'"), RULE_STORED_STATE,
		"service_tier is 'auto|default', not auto|default"),
	REFUSED("no word", ASK(",'service_tier':''"), RULE_STORED_STATE,
		"service_tier is '', not auto|default"),
	REFUSED("a word with more", ASK(",'service_tier':'auto\\u0000'"), RULE_STORED_STATE,
		"service_tier is 'auto', not auto|default"),
	REFUSED("professional", ASK(",'reasoning':{'mode':'pro'}"), RULE_STORED_STATE,
		"reasoning.mode is 'pro', not standard"),

	/* Wrong types. */
	REFUSED("model", "{'model':1}", RULE_TYPE, "model is 1, not a string"),
	REFUSED("model null", "{'model':null}", RULE_TYPE, "model is null, not a string"),
	REFUSED("input", "{'input':{}}", RULE_TYPE,
		"input is an object, not a string or an array or null"),
	REFUSED("instructions", ASK(",'instructions':[]"), RULE_TYPE,
		"instructions is an array, not a string or null"),
	REFUSED("stream", ASK(",'stream':1"), RULE_TYPE, "stream is 1, not true or false or null"),
	REFUSED("include", ASK(",'include':'reasoning.encrypted_content'"), RULE_TYPE,
		"include is 'reasoning.encrypted_content', not an array or null"),
	REFUSED("tools", ASK(",'tools':{'type':'web_search'}"), RULE_TYPE,
		"tools is an object, not an array or null"),
	REFUSED("reasoning", ASK(",'reasoning':'low'"), RULE_TYPE,
		"reasoning is 'low', not an object or null"),
	REFUSED("not a finite number", ASK(",'temperature':1e999"), JSON_NUMBER,
		"at byte 86 of the body"),
	REFUSED("two stores", ASK(",'st\\u006fre':true"), JSON_DUPLICATE_KEY,
		"at byte 72 of the body"),
	REFUSED("unpaired surrogate", ASK(",'instructions':'\\udc00'"), JSON_STRING,
		"at byte 90 of the body"),
};

/* A request of this length. */
#define LONG(tokens) "{'model':'gpt-6-luna','max_output_tokens':" tokens ",'store':false}"

static const struct row length_rows[] = {
	SAME("one", LONG("1")),
	SAME("the most", LONG("8192")),
	BECOMES("more", LONG("8193"), LONG("8192")),
	BECOMES("much more", LONG("18446744073709551615"), LONG("8192")),
	BECOMES("null", LONG("null"),
		"{'model':'gpt-6-luna','store':false,'max_output_tokens':8192}"),
	/* Some services take it for no limit. */
	REFUSED("none", LONG("0"), RULE_TYPE, "max_output_tokens is less than 1"),
	REFUSED("less", LONG("-1"), RULE_TYPE, "max_output_tokens is less than 1"),
	REFUSED("text", LONG("'1000'"), RULE_TYPE, "max_output_tokens is '1000', not an integer or null"),
	REFUSED("real", LONG("1000.0"), RULE_TYPE, "max_output_tokens is 1000.0, not an integer or null"),
	REFUSED("exponent", LONG("1e3"), RULE_TYPE, "max_output_tokens is 1e3, not an integer or null"),
	REFUSED("beyond every integer", LONG("18446744073709551616"), JSON_NUMBER,
		"at byte 42 of the body"),
	REFUSED("list", LONG("[1]"), RULE_TYPE, "max_output_tokens is an array, not an integer or null"),
};

static void test_fields(void **state)
{
	struct setting setting = OPENAI_PEER(ENDPOINT_RESPONSES);

	(void)state;
	rows_check_all(&setting, field_rows);
	rows_check_all(&setting, length_rows);
	/* The operator's own agents have the same rules, at each service. */
	setting.profile = PROFILE_OWN;
	setting.host = "models.example";
	rows_check_all(&setting, field_rows);
	rows_check_all(&setting, length_rows);
}

#define FITTED(items, more)                                                             \
	"{'model':'gpt-6-luna','input':[" items "],'max_output_tokens':1,'store':false" more "}"
#define MODEL_OF_AGENT(items, more)                                                     \
	"{'model':'gpt-9','input':[" items "],'max_output_tokens':1,'store':false" more "}"
#define HELLO "{'role':'user','content':'x'}"
#define THOUGHT "{'type':'reasoning','summary':[],'encrypted_content':'e'}"
#define ALL ",'temperature':1,'top_p':1,'top_logprobs':1,'reasoning':{'effort':'low'},"     \
	"'text':{'verbosity':'low'},'include':['reasoning.encrypted_content']"

static const struct row unknown_model_rows[] = {
	BECOMES("nothing is known of it", MODEL_OF_AGENT(HELLO "," THOUGHT, ALL),
		FITTED(HELLO "," THOUGHT, ALL)),
	BECOMES("none asked for", "{'input':'x','max_output_tokens':1,'store':false,'top_p':1}",
		"{'input':'x','max_output_tokens':1,'store':false,'top_p':1,'model':'gpt-6-luna'}"),
	BECOMES("more than its name", "{'model':'gpt-6-luna\\u0000','max_output_tokens':1,'store':false}",
		"{'model':'gpt-6-luna','max_output_tokens':1,'store':false}"),
};

static const struct row plain_model_rows[] = {
	SAME("the agent knows it", FITTED(HELLO "," THOUGHT, ALL)),
	BECOMES("it knows neither", MODEL_OF_AGENT(HELLO "," THOUGHT, ALL), FITTED(HELLO, "")),
	BECOMES("what else is in them",
		MODEL_OF_AGENT(HELLO "," THOUGHT "," HELLO ",{'type':'configuration_update'}",
			       ",'text':{'verbosity':'low','format':{'type':'text'}},"
			       "'include':['message.output_text.logprobs','reasoning.encrypted_content']"),
		FITTED(HELLO "," HELLO, ",'text':{'format':{'type':'text'}},"
					"'include':['message.output_text.logprobs']")),
	BECOMES("all of the input", MODEL_OF_AGENT(THOUGHT, ""), FITTED("", "")),
};

static const struct row thinking_model_rows[] = {
	BECOMES("no sampling", MODEL_OF_AGENT(HELLO "," THOUGHT, ALL),
		FITTED(HELLO "," THOUGHT, ",'reasoning':{'effort':'low'},'text':{'verbosity':'low'},"
					  "'include':['reasoning.encrypted_content']")),
};

static void test_model(void **state)
{
	struct setting setting = OPENAI_PEER(ENDPOINT_RESPONSES);

	(void)state;
	rows_check_all(&setting, unknown_model_rows);
	setting.abilities = MODEL_KNOWN;
	rows_check_all(&setting, plain_model_rows);
	setting.abilities = MODEL_KNOWN | MODEL_EFFORT | MODEL_VERBOSITY;
	rows_check_all(&setting, thinking_model_rows);
}

static const struct row own_model_rows[] = {
	SAME("any", "{'model':'gpt-9','max_output_tokens':1,'store':false}"),
	REFUSED("none", "{'input':'x'}", RULE_MODEL,
		"model is missing, empty or longer than 127 bytes"),
	REFUSED("one that searches", "{'model':'gpt-5-search-api'}", RULE_SERVER_TOOL,
		"model is 'gpt-5-search-api', which searches the web"),
	REFUSED("one that searches deeply", "{'model':'o4-mini-deep-research'}", RULE_SERVER_TOOL,
		"model is 'o4-mini-deep-research', which searches the web"),
	REFUSED("one that a router lets search", "{'model':'x/y:online'}", RULE_SERVER_TOOL,
		"model is 'x/y:online', which searches the web"),
};

static const struct row searching_model_rows[] = {
	SAME("one that searches", "{'model':'gpt-5-search-api','max_output_tokens':1,'store':false}"),
	SAME("what it found", ASK(",'include':['web_search_call.results','web_search_call.action.sources']")),
	LEFT_OUT("not what code did", ",'include':['code_interpreter_call.outputs']"),
};

static void test_own_model(void **state)
{
	struct setting setting = OPENAI_PEER(ENDPOINT_RESPONSES);

	(void)state;
	setting.profile = PROFILE_OWN;
	setting.model = NULL;
	rows_check_all(&setting, own_model_rows);
	setting.server_tools = SERVER_TOOL_WEB_SEARCH;
	rows_check_all(&setting, searching_model_rows);
	/* A peer's turn has none of it. */
	setting.profile = PROFILE_PEER;
	rows_check(&setting, &(const struct row)REFUSED(
				     "a peer", "{'model':'gpt-9'}", RULE_MODEL,
				     "model is not set in the policy, which is for a peer"));
}

static void test_result(void **state)
{
	struct setting setting = OPENAI_PEER(ENDPOINT_RESPONSES);
	struct judgement judgement;
	char *body = rows_quoted(ASK(",'stream':true"));

	(void)state;
	/* Flags of the other API mean nothing here, but are counted as they come. */
	rows_judge(&setting, body, strlen(body), &judgement);
	assert_int_equal(judgement.reason, REASON_OK);
	assert_int_equal(judgement.flags, UPSTREAM_STREAM);
	assert_int_equal(judgement.beta, 0);
	judgement_clear(&judgement);
	free(body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_own_model),
		cmocka_unit_test(test_result),
	};

	return cmocka_run_group_tests_name("judge-responses", tests, NULL, NULL);
}
