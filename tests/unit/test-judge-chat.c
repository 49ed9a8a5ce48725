/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The judge on Chat Completions. */
#include "core/policy.h"
#include "judge-rows.h"

/* Rows of long texts. */
/* clang-format off */

#define ASK(more) "{'model':'gpt-6-luna','messages':[],'max_completion_tokens':100,'store':false" more "}"
#define LEFT_OUT(name, more) BECOMES(name, ASK(more), ASK(""))
#define SAYS(message) "{'model':'gpt-6-luna','messages':[" message "],'max_completion_tokens':1,'store':false}"
#define SAYS_PART(part) SAYS("{'role':'user','content':[" part "]}")
#define NO_TOOL(type, reason) REFUSED(type, ASK(",'tools':[{'type':'" type "'}]"), reason, "tools[0].type is '" type "'")

static const struct row field_rows[] = {
	SAME("the least", ASK("")),
	SAME("stream", ASK(",'stream':true,'stream_options':{'include_usage':true,'include_obfuscation':false}")),
	SAME("numbers", ASK(",'temperature':0.1,'top_p':1,'frequency_penalty':-2,'presence_penalty':2.0,'seed':-1,"
		"'top_logprobs':1,'logprobs':true,'logit_bias':{'1':-100}")),
	SAME("what the answer is like", ASK(",'stop':['a'],'response_format':{'type':'json_schema','json_schema':"
		"{'schema':{'file_id':1}}},'reasoning_effort':'low','verbosity':'low'")),
	SAME("stop", ASK(",'stop':'a'")),
	SAME("cache", ASK(",'prompt_cache_key':'k','prompt_cache_options':{'mode':'implicit'}")),
	SAME("of compatible services", ASK(",'top_k':1,'min_p':0.1,'repetition_penalty':1.1,'enable_thinking':false,"
		"'thinking':{'type':'disabled'},'reasoning':{'effort':'low','enabled':true,'exclude':false},"
		"'chat_template_kwargs':{'enable_thinking':true,'thinking':false}")),
	SAME("one answer", ASK(",'n':1")),
	SAME("text", ASK(",'modalities':['text']")),
	SAME("usual price", ASK(",'service_tier':'auto'")),
	SAME("standard price", ASK(",'service_tier':'default'")),
	SAME("nulls", ASK(",'n':null,'modalities':null,'service_tier':null,'stop':null,'tools':null,'tool_choice':null,"
		"'functions':null,'function_call':null,'stream':null,'temperature':null,'reasoning_effort':null")),

	/* Left out. */
	LEFT_OUT("metadata", ",'metadata':{'a':'b'}"),
	LEFT_OUT("user", ",'user':'u'"),
	LEFT_OUT("safety identifier", ",'safety_identifier':'s'"),
	LEFT_OUT("retention", ",'prompt_cache_retention':'24h'"),
	LEFT_OUT("prediction", ",'prediction':{'type':'content','content':'long'}"),
	LEFT_OUT("other models", ",'models':['m'],'route':'fallback','provider':{},'plugins':[{'id':'web'}]"),
	LEFT_OUT("other lengths", ",'max_new_tokens':99999,'n_predict':-1,'num_predict':-1,'best_of':9"),
	LEFT_OUT("searches of others", ",'enable_search':true,'search_parameters':{'mode':'on'}"),
	LEFT_OUT("of Responses", ",'previous_response_id':'r','background':true,'conversation':'c'"),
	LEFT_OUT("nothing", ",'audio':null,'moderation':null,'web_search_options':null"),
	BECOMES("more of thinking", ASK(",'thinking':{'type':'enabled','budget_tokens':99999}"),
		ASK(",'thinking':{'type':'enabled'}")),
	BECOMES("how long it is cached", ASK(",'prompt_cache_options':{'mode':'implicit','ttl':'24h'}"),
		ASK(",'prompt_cache_options':{'mode':'implicit'}")),
	BECOMES("a template", ASK(",'chat_template_kwargs':{'chat_template':'t'}"), ASK(",'chat_template_kwargs':{}")),

	/* Refused. */
	REFUSED("several answers", ASK(",'n':2"), RULE_STORED_STATE, "n is 2, not 1"),
	REFUSED("no answer", ASK(",'n':0"), RULE_STORED_STATE, "n is 0, not 1"),
	REFUSED("many answers", ASK(",'n':11"), RULE_STORED_STATE, "n is 11, not 1"),
	REFUSED("answers, real", ASK(",'n':1.0"), RULE_TYPE, "n is 1.0, not an integer or null"),
	REFUSED("answers, text", ASK(",'n':'1'"), RULE_TYPE, "n is '1', not an integer or null"),
	REFUSED("sound", ASK(",'audio':{'voice':'x','format':'wav'}"), RULE_FIELD, "audio is an object"),
	REFUSED("modalities", ASK(",'modalities':['text','audio']"), RULE_FIELD, "modalities[1] is 'audio', not text"),
	REFUSED("modalities, list", ASK(",'modalities':[['text']]"), RULE_FIELD, "modalities[0] is an array, not text"),
	REFUSED("price", ASK(",'service_tier':'flex'"), RULE_STORED_STATE, "service_tier is 'flex', not auto|default"),
	REFUSED("moderation", ASK(",'moderation':{'model':'m'}"), RULE_STORED_STATE, "moderation is an object"),
	REFUSED("search", ASK(",'web_search_options':{}"), RULE_SERVER_TOOL, "web_search_options is an object"),
	REFUSED("search, another type", ASK(",'web_search_options':true"), RULE_SERVER_TOOL, "web_search_options is true"),
	REFUSED("reasoning", ASK(",'reasoning':{'mode':'pro'}"), RULE_STORED_STATE, "reasoning.mode is 'pro', not standard"),
};

static const struct row message_rows[] = {
	SAME("roles", SAYS("{'role':'system','content':'s'},{'role':'developer','content':'d'},{'role':'user','content':'u','name':'n'},"
		"{'role':'assistant','content':null,'tool_calls':[{'id':'c','type':'function','function':{'name':'n',"
		"'arguments':'{}'}},{'id':'d','type':'custom','custom':{'name':'n','input':'i'}}],'refusal':null},"
		"{'role':'tool','tool_call_id':'c','content':'t'},{'role':'function','name':'f','content':'t'}")),
	SAME("older calls", SAYS("{'role':'assistant','content':'','function_call':{'name':'n','arguments':'{}'}}")),
	SAME("reasoning of compatible services", SAYS("{'role':'assistant','content':'','reasoning_content':'r','reasoning':'r',"
		"'reasoning_details':[{'type':'reasoning.encrypted','data':'e'}]}")),
	SAME("call without a type", SAYS("{'role':'assistant','content':'','tool_calls':[{'id':'c','function':{'name':'n','arguments':''},"
		"'extra_content':{'google':{'thought_signature':'s'}}}]}")),
	SAME("parts", SAYS_PART("{'type':'text','text':'t','cache_control':{'type':'ephemeral','ttl':'1h'},"
		"'prompt_cache_breakpoint':{'mode':'explicit'}},{'type':'refusal','refusal':'r'},"
		"{'type':'image_url','image_url':{'url':'data:image/png;base64,AA','detail':'low'}},"
		"{'type':'input_audio','input_audio':{'data':'AA','format':'mp3'}},"
		"{'type':'file','file':{'filename':'f','file_data':'data:application/pdf;base64,AA'}}")),
	SAME("image as text", SAYS_PART("{'type':'image_url','image_url':'data:,'}")),
	BECOMES("more", SAYS("{'role':'user','content':'u','x':{'url':'https://x'},'annotations':[{'type':'url_citation'}]}"),
		SAYS("{'role':'user','content':'u'}")),
	BECOMES("index of a call", SAYS("{'role':'assistant','content':'','tool_calls':[{'index':0,'id':'c','type':'function','function':{'name':'n','arguments':''}}]}"),
		SAYS("{'role':'assistant','content':'','tool_calls':[{'id':'c','type':'function','function':{'name':'n','arguments':''}}]}")),
	BECOMES("no sound", SAYS("{'role':'assistant','content':'x','audio':null}"), SAYS("{'role':'assistant','content':'x'}")),
	REFUSED("earlier sound", SAYS("{'role':'assistant','audio':{'id':'audio_1'}}"), RULE_STORED_STATE,
		"messages[0].audio is an object"),
	REFUSED("role", SAYS("{'role':'model','content':'x'}"), RULE_FIELD,
		"messages[0].role is 'model', not system|developer|user|assistant|tool|function"),
	REFUSED("no role", SAYS("{'content':'x'}"), RULE_FIELD, "messages[0] has no role"),
	REFUSED("content", SAYS("{'role':'user','content':{}}"), RULE_TYPE,
		"messages[0].content is an object, not a string or an array or null"),
	REFUSED("message", SAYS("'x'"), RULE_TYPE, "messages[0] is 'x', not an object"),
	REFUSED("image by URL", SAYS_PART("{'type':'image_url','image_url':{'url':'https://x'}}"), RULE_MEDIA,
		"messages[0].content[0].image_url.url is 'https://x', not a data: URL"),
	REFUSED("image by URL as text", SAYS_PART("{'type':'image_url','image_url':'https://x'}"), RULE_MEDIA,
		"messages[0].content[0].image_url is 'https://x', not a data: URL"),
	REFUSED("image of a tool by URL", SAYS("{'role':'tool','tool_call_id':'c','content':[{'type':'image_url','image_url':{'url':'http://x'}}]}"),
		RULE_MEDIA, "messages[0].content[0].image_url.url is 'http://x', not a data: URL"),
	REFUSED("image by id", SAYS_PART("{'type':'image_url','image_url':{'file_id':'f'}}"), RULE_MEDIA,
		"messages[0].content[0].image_url.file_id is 'f'"),
	REFUSED("file by id", SAYS_PART("{'type':'file','file':{'file_id':'f'}}"), RULE_MEDIA,
		"messages[0].content[0].file.file_id is 'f'"),
	REFUSED("file by URL", SAYS_PART("{'type':'file','file':{'file_url':'https://x'}}"), RULE_MEDIA,
		"messages[0].content[0].file.file_url is 'https://x'"),
	REFUSED("file by URL in its data", SAYS_PART("{'type':'file','file':{'file_data':'https://x'}}"), RULE_MEDIA,
		"messages[0].content[0].file.file_data is 'https://x', not the data itself"),
	REFUSED("sound by URL", SAYS_PART("{'type':'input_audio','input_audio':{'data':'https://x'}}"), RULE_MEDIA,
		"messages[0].content[0].input_audio.data is 'https://x', not the data itself"),
	REFUSED("film", SAYS_PART("{'type':'video_url','video_url':{'url':'https://x'}}"), RULE_BLOCK,
		"messages[0].content[0].type is 'video_url'"),
	REFUSED("of Responses", SAYS_PART("{'type':'input_text','text':'t'}"), RULE_BLOCK,
		"messages[0].content[0].type is 'input_text'"),
	REFUSED("another call", SAYS("{'role':'assistant','tool_calls':[{'type':'mcp'}]}"), RULE_TOOL_TYPE,
		"messages[0].tool_calls[0].type is 'mcp'"),
};

static const struct row tool_rows[] = {
	SAME("function", ASK(",'tools':[{'type':'function','function':{'name':'n','description':'d','parameters':"
		"{'properties':{'url':{'const':'https://x'}}},'strict':true},'cache_control':{'type':'ephemeral'}}]")),
	SAME("custom", ASK(",'tools':[{'type':'custom','custom':{'name':'n','description':'d','format':{'type':'grammar',"
		"'grammar':{'syntax':'lark','definition':'d'}}}}]")),
	SAME("choice", ASK(",'tool_choice':'auto','parallel_tool_calls':true")),
	SAME("choice of any", ASK(",'tool_choice':'required'")),
	SAME("choice of a function", ASK(",'tool_choice':{'type':'function','function':{'name':'n'}}")),
	SAME("choice of several", ASK(",'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'auto','tools':"
		"[{'type':'function','function':{'name':'n'}}]}}")),
	SAME("older functions", ASK(",'functions':[{'name':'n','parameters':{}}],'function_call':{'name':'n'}")),
	SAME("older choice", ASK(",'function_call':'none'")),
	BECOMES("more", ASK(",'tools':[{'type':'function','function':{'name':'n','server_url':'https://x'},'x':1}]"),
		ASK(",'tools':[{'type':'function','function':{'name':'n'}}]")),
	NO_TOOL("builtin_function", RULE_SERVER_TOOL),
	NO_TOOL("web_search", RULE_SERVER_TOOL),
	NO_TOOL("browser_search", RULE_SERVER_TOOL),
	NO_TOOL("code_interpreter", RULE_SERVER_TOOL),
	NO_TOOL("file_search", RULE_SERVER_TOOL),
	NO_TOOL("retrieval", RULE_SERVER_TOOL),
	NO_TOOL("mcp", RULE_MCP),
	NO_TOOL("openrouter:web_search", RULE_TOOL_TYPE),
	NO_TOOL("namespace", RULE_TOOL_TYPE),
	REFUSED("no type", ASK(",'tools':[{'function':{'name':'n'}}]"), RULE_TOOL_TYPE, "tools[0] has no type"),
	REFUSED("choice of a word", ASK(",'tool_choice':'web_search'"), RULE_TOOL_TYPE,
		"tool_choice is 'web_search', not none|auto|required|any"),
	REFUSED("choice of another", ASK(",'tool_choice':{'type':'web_search'}"), RULE_TOOL_TYPE,
		"tool_choice.type is 'web_search'"),
	REFUSED("several of another", ASK(",'tool_choice':{'type':'allowed_tools','allowed_tools':{'tools':[{'type':'mcp'}]}}"),
		RULE_TOOL_TYPE, "tool_choice.allowed_tools.tools[0].type is 'mcp'"),
	REFUSED("older choice of a word", ASK(",'function_call':'x'"), RULE_TOOL_TYPE,
		"function_call is 'x', not none|auto"),
};

static void test_fields(void **state)
{
	struct setting setting = OPENAI_PEER(ENDPOINT_CHAT);

	(void)state;
	rows_check_all(&setting, field_rows);
	rows_check_all(&setting, message_rows);
	rows_check_all(&setting, tool_rows);
	setting.profile = PROFILE_OWN;
	setting.server_tools = SERVER_TOOL_CODE_EXECUTION | SERVER_TOOL_WEB_FETCH;
	rows_check_all(&setting, field_rows);
	rows_check_all(&setting, message_rows);
	rows_check_all(&setting, tool_rows);
	setting.server_tools = SERVER_TOOL_WEB_SEARCH;
	rows_check(&setting, &(const struct row)SAME(
				     "search", ASK(",'web_search_options':{'search_context_size':'low'}")));
	rows_check_all(&setting, tool_rows);
}

/* A request of these lengths. */
#define LONG(lengths) "{'model':'gpt-6-luna'" lengths ",'store':false}"
#define OLD(tokens) ",'max_tokens':" tokens
#define NEW(tokens) ",'max_completion_tokens':" tokens
#define SET_NEW(tokens) "{'model':'gpt-6-luna','store':false,'max_completion_tokens':" tokens "}"
#define SET_OLD(tokens) "{'model':'gpt-6-luna','store':false,'max_tokens':" tokens "}"

static const struct row openai_length_rows[] = {
	SAME("new", LONG(NEW("1"))),
	BECOMES("new, more", LONG(NEW("32000")), LONG(NEW("8192"))),
	BECOMES("old", LONG(OLD("7")), SET_NEW("7")),
	BECOMES("old, more", LONG(OLD("32000")), SET_NEW("8192")),
	BECOMES("neither", LONG(""), SET_NEW("8192")),
	BECOMES("nulls", LONG(OLD("null") NEW("null")), SET_NEW("8192")),
	BECOMES("both, old is less", LONG(OLD("7") NEW("9")), LONG(NEW("7"))),
	BECOMES("both, new is less", LONG(OLD("9") NEW("7")), LONG(NEW("7"))),
	BECOMES("both, more", LONG(OLD("32000") NEW("32000")), LONG(NEW("8192"))),
	BECOMES("not said whether it is kept", "{'model':'gpt-6-luna','max_completion_tokens':1}", LONG(NEW("1"))),
	BECOMES("kept", "{'model':'gpt-6-luna','max_completion_tokens':1,'store':true}", LONG(NEW("1"))),
	REFUSED("old, none", LONG(OLD("0")), RULE_TYPE, "max_tokens is less than 1"),
	REFUSED("old, less", LONG(OLD("-1")), RULE_TYPE, "max_tokens is less than 1"),
	REFUSED("new, less", LONG(OLD("5") NEW("-9223372036854775808")), RULE_TYPE,
		"max_completion_tokens is less than 1"),
	REFUSED("text", LONG(OLD("'1000'")), RULE_TYPE, "max_tokens is '1000', not an integer or null"),
	REFUSED("endless", LONG(OLD("1e999")), JSON_NUMBER, "at byte 35 of the body"),
	REFUSED("real", LONG(NEW("1e3")), RULE_TYPE, "max_completion_tokens is 1e3, not an integer or null"),
	REFUSED("kept, another type", "{'store':1}", RULE_TYPE, "store is 1, not true or false or null"),
	REFUSED("two lengths", LONG(OLD("1") ",'max\\u005ftokens':2"), JSON_DUPLICATE_KEY, "at byte 37 of the body"),
};

static const struct row other_length_rows[] = {
	SAME("new", LONG(NEW("1"))),
	SAME("old", LONG(OLD("1"))),
	SAME("both", LONG(OLD("7") NEW("9"))),
	BECOMES("both, more", LONG(OLD("32000") NEW("32000")), LONG(OLD("8192") NEW("8192"))),
	BECOMES("old, more", LONG(OLD("32000")), LONG(OLD("8192"))),
	BECOMES("new, more", LONG(NEW("32000")), LONG(NEW("8192"))),
	BECOMES("neither", LONG(""), SET_OLD("8192")),
	BECOMES("nulls", LONG(OLD("null") NEW("null")), SET_OLD("8192")),
	BECOMES("kept", "{'model':'gpt-6-luna','store':true,'max_tokens':1}", SET_OLD("1")),
	/* Some services refuse fields that they do not know. */
	SAME("not said whether it is kept", "{'model':'gpt-6-luna','max_tokens':1}"),
	REFUSED("without a limit", LONG(OLD("-1")), RULE_TYPE, "max_tokens is less than 1"),
};

static void test_length(void **state)
{
	struct setting setting = OPENAI_PEER(ENDPOINT_CHAT);

	(void)state;
	rows_check_all(&setting, openai_length_rows);
	setting.host = "models.example";
	rows_check_all(&setting, other_length_rows);
	/* Not by a name that only looks like it. */
	setting.host = "api.openai.com.example";
	rows_check_all(&setting, other_length_rows);
}

#define OF_AGENT(more) "{'model':'gpt-9','max_completion_tokens':1,'store':false" more "}"
#define FITTED(more) "{'model':'gpt-6-luna','max_completion_tokens':1,'store':false" more "}"
#define DEPENDS ",'temperature':1,'top_p':1,'frequency_penalty':1,'presence_penalty':1,'logit_bias':{}," \
	"'logprobs':true,'top_logprobs':1,'top_k':1,'min_p':1,'repetition_penalty':1"
#define EFFORT ",'reasoning_effort':'low','reasoning':{'effort':'low'}"
#define VERBOSITY ",'verbosity':'low'"

static void test_model(void **state)
{
	static const struct {
		uint32_t abilities;
		struct row row;
	} cases[] = {
		{0, BECOMES("unknown", OF_AGENT(DEPENDS EFFORT VERBOSITY), FITTED(DEPENDS EFFORT VERBOSITY))},
		{MODEL_KNOWN, BECOMES("neither", OF_AGENT(DEPENDS EFFORT VERBOSITY), FITTED(""))},
		{MODEL_KNOWN | MODEL_SAMPLING, BECOMES("sampling", OF_AGENT(DEPENDS EFFORT VERBOSITY), FITTED(DEPENDS))},
		{MODEL_KNOWN | MODEL_EFFORT, BECOMES("effort", OF_AGENT(DEPENDS EFFORT VERBOSITY), FITTED(EFFORT))},
		{MODEL_KNOWN | MODEL_VERBOSITY, BECOMES("verbosity", OF_AGENT(DEPENDS EFFORT VERBOSITY), FITTED(VERBOSITY))},
		{MODEL_KNOWN, SAME("the agent knows it", FITTED(DEPENDS EFFORT VERBOSITY))},
	};
	struct setting setting = OPENAI_PEER(ENDPOINT_CHAT);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setting.abilities = cases[i].abilities;
		rows_check(&setting, &cases[i].row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests_name("judge-chat", tests, NULL, NULL);
}
