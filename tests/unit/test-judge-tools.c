/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The judge: tools, and those at the service that an operator allows. */
#include "core/policy.h"
#include "judge-rows.h"

/* Rows of long texts. */
/* clang-format off */

#define TOOL(tool) WITH(",'tools':[" tool "]")
#define PLAIN "{'name':'n','input_schema':{'type':'object'}}"
#define TYPED(type) TOOL("{'type':'" type "','name':'n'}")
#define SERVED(type)                                                                   \
	REFUSED(type, TYPED(type), RULE_SERVER_TOOL, "tools[0].type is '" type "'")
#define UNKNOWN(type)                                                                  \
	REFUSED(type, TYPED(type), RULE_TOOL_TYPE, "tools[0].type is '" type "'")

static const struct row tool_rows[] = {
	SAME("none", TOOL("")),
	SAME("plain", TOOL(PLAIN)),
	SAME("all that a plain one has",
	     TOOL("{'type':'custom','name':'n','description':'d','input_schema':{},"
		"'input_examples':[{}],'strict':true,'defer_loading':true,"
		"'eager_input_streaming':null,'allowed_callers':['direct'],"
		"'cache_control':{'type':'ephemeral'}}")),
	SAME("schema with any keys",
	     TOOL("{'name':'n','input_schema':{'properties':{'url':{'type':'string'},"
		"'source':{'type':'url','url':'https://x'},'file_id':{},'mcp_servers':[1],"
		"'model':1,'type':'web_search'}}}")),
	SAME("type null", TOOL("{'type':null,'name':'n'}")),
	SAME("bash_20241022", TYPED("bash_20241022")),
	SAME("bash_20250124", TYPED("bash_20250124")),
	SAME("text_editor_20241022", TYPED("text_editor_20241022")),
	SAME("text_editor_20250124", TYPED("text_editor_20250124")),
	SAME("text_editor_20250429", TYPED("text_editor_20250429")),
	SAME("text_editor_20250728",
	     TOOL("{'type':'text_editor_20250728','max_characters':9}")),
	SAME("computer_20241022", TYPED("computer_20241022")),
	SAME("computer_20250124", TOOL("{'type':'computer_20250124','display_width_px':1,"
		"'display_height_px':1,'display_number':null}")),
	SAME("computer_20251124",
	     TOOL("{'type':'computer_20251124','enable_zoom':true}")),
	SAME("memory_20250818", TYPED("memory_20250818")),
	SAME("computer_toolset_20260801",
	     TOOL("{'type':'computer_toolset_20260801','configs':{'zoom':null}}")),
	SAME("browser_toolset_20260801", TYPED("browser_toolset_20260801")),
	BECOMES("a hint that is not known",
		TOOL("{'name':'n','server_url':'https://x','hint':1}"),
		TOOL("{'name':'n'}")),
	SERVED("web_search_20250305"),
	SERVED("web_search_20260209"),
	SERVED("web_search_20260318"),
	SERVED("web_fetch_20250910"),
	SERVED("web_fetch_20260209"),
	SERVED("web_fetch_20260309"),
	SERVED("web_fetch_20260318"),
	SERVED("code_execution_20250522"),
	SERVED("code_execution_20250825"),
	SERVED("code_execution_20260120"),
	SERVED("code_execution_20260521"),
	SERVED("advisor_20260301"),
	SERVED("tool_search_tool_regex"),
	SERVED("tool_search_tool_regex_20251119"),
	SERVED("tool_search_tool_bm25"),
	SERVED("tool_search_tool_bm25_20251119"),
	REFUSED("MCP", TYPED("mcp_toolset"), RULE_MCP,
		"tools[0].type is 'mcp_toolset'"),
	UNKNOWN("web_search_20270101"),
	UNKNOWN("web_search"),
	UNKNOWN("bash_20270101"),
	UNKNOWN("bash"),
	UNKNOWN("function"),
	UNKNOWN("Custom"),
	UNKNOWN("custom "),
	UNKNOWN(""),
	REFUSED("type with NUL", TOOL("{'type':'custom\\u0000'}"), RULE_TOOL_TYPE,
		"tools[0].type is 'custom'"),
	REFUSED("type escaped", TOOL("{'type':'web_se\\u0061rch_20250305'}"),
		RULE_SERVER_TOOL, "tools[0].type is 'web_search_20250305'"),
	REFUSED("type number", TOOL("{'type':1}"), RULE_TOOL_TYPE,
		"tools[0].type is 1"),
	REFUSED("type list", TOOL("{'type':['custom']}"), RULE_TOOL_TYPE,
		"tools[0].type is an array"),
	REFUSED("the second", TOOL(PLAIN ",{'type':'web_fetch_20250910'}"),
		RULE_SERVER_TOOL, "tools[1].type is 'web_fetch_20250910'"),
	REFUSED("called from code",
		TOOL("{'name':'n','allowed_callers':['direct','code_execution_20250825']}"),
		RULE_SERVER_TOOL,
		"tools[0].allowed_callers[1] is 'code_execution_20250825'"),
	REFUSED("called by a number", TOOL("{'name':'n','allowed_callers':[1]}"),
		RULE_SERVER_TOOL, "tools[0].allowed_callers[0] is 1"),
	REFUSED("schema of another type", TOOL("{'name':'n','input_schema':'x'}"),
		RULE_TYPE, "tools[0].input_schema is 'x', not an object"),
	SAME("choice auto",
	     WITH(",'tool_choice':{'type':'auto','disable_parallel_tool_use':true}")),
	SAME("choice any", WITH(",'tool_choice':{'type':'any'}")),
	SAME("choice none", WITH(",'tool_choice':{'type':'none'}")),
	SAME("choice of one", WITH(",'tool_choice':{'type':'tool','name':'n'}")),
	REFUSED("choice of a server tool",
		WITH(",'tool_choice':{'type':'web_search_20250305'}"), RULE_TOOL_TYPE,
		"tool_choice.type is 'web_search_20250305'"),
	REFUSED("choice of nothing", WITH(",'tool_choice':{}"), RULE_TOOL_TYPE,
		"tool_choice has no type"),
	REFUSED("choice of more", WITH(",'tool_choice':{'type':'auto','server':'s'}"),
		RULE_FIELD, "tool_choice.server is not a field that anet knows here"),
};

static void test_tools(void **state)
{
	struct setting setting = PEER;

	(void)state;
	rows_check_all(&setting, tool_rows);
	/* A peer's turn has none, whatever its record says. */
	setting.server_tools = UINT32_MAX;
	rows_check_all(&setting, tool_rows);
}

#define RESULT(type, content)                                                          \
	SAYING("{'type':'server_tool_use','id':'1','name':'n','input':{'query':'q'}}," \
	       "{'type':'" type "','tool_use_id':'1','content':" content "}")

/* Where the operator allows his own agent the search. */
static const struct row search_rows[] = {
	SAME("the tool",
	     TOOL("{'type':'web_search_20250305','name':'web_search','max_uses':8,"
		"'allowed_domains':['a.b'],'user_location':{'type':'approximate'}}")),
	SAME("the tool with all", TOOL("{'type':'web_search_20260209','name':'web_search',"
		"'blocked_domains':['a.b'],'strict':true,'defer_loading':false,"
		"'allowed_callers':['direct']}")),
	REFUSED("the tool called from code",
		TOOL("{'type':'web_search_20260209','allowed_callers':['code_execution_20260120']}"),
		RULE_SERVER_TOOL, "tools[0].allowed_callers[0] is 'code_execution_20260120'"),
	SAME("the newest", TYPED("web_search_20260318")),
	SAME("its result",
	     RESULT("web_search_tool_result",
		    "[{'type':'web_search_result','url':'https://x','title':'t',"
		"'encrypted_content':'e'}]")),
	SAME("its error", RESULT("web_search_tool_result",
				 "{'type':'web_search_tool_result_error'}")),
	SAME("citation",
	     SAYING("{'type':'text','text':'t',"
		"'citations':[{'type':'web_search_result_location','url':'https://x',"
		"'title':null,'encrypted_index':'e','cited_text':'c'}]}")),
	SAME("called from code that filters",
	     SAYING("{'type':'server_tool_use','id':'1','name':'n','input':{},"
		"'caller':{'type':'code_execution_20260120','tool_id':'2'}}")),
	SAME("result of that code",
	     RESULT("code_execution_tool_result",
		    "{'type':'code_execution_result','stdout':'s','content':[]}")),
	REFUSED("not the others", TYPED("web_fetch_20250910"), RULE_SERVER_TOOL,
		"tools[0].type is 'web_fetch_20250910'"),
	REFUSED("not code", TYPED("code_execution_20250825"), RULE_SERVER_TOOL,
		"tools[0].type is 'code_execution_20250825'"),
	REFUSED("not an adviser", TYPED("advisor_20260301"), RULE_SERVER_TOOL,
		"tools[0].type is 'advisor_20260301'"),
	REFUSED("not MCP", TYPED("mcp_toolset"), RULE_MCP,
		"tools[0].type is 'mcp_toolset'"),
	REFUSED("not what others returned", RESULT("web_fetch_tool_result", "{}"),
		RULE_SERVER_TOOL,
		"messages[0].content[1].type is 'web_fetch_tool_result'"),
	REFUSED("a field that is not known",
		TOOL("{'type':'web_search_20250305','model':'m'}"), RULE_FIELD,
		"tools[0].model is not a field that anet knows here"),
	REFUSED("a file of the service",
		RESULT("code_execution_tool_result",
		       "{'content':[{'type':'code_execution_output','file_id':'f'}]}"),
		RULE_MEDIA, "messages[0].content[1].content.content[0].file_id is 'f'"),
	REFUSED("media by URL",
		RESULT("web_search_tool_result",
		       "[{'content':{'source':{'type':'url','url':'https://x'}}}]"),
		RULE_MEDIA,
		"messages[0].content[1].content[0].content.source is an object"),
	REFUSED("media by URL elsewhere",
		SAYING("{'type':'image','source':{'type':'url','url':'https://x'}}"),
		RULE_MEDIA, "messages[0].content[0].source.type is 'url'"),
	REFUSED("own tools called from code",
		TOOL("{'name':'n','allowed_callers':['code_execution_20260120']}"),
		RULE_SERVER_TOOL,
		"tools[0].allowed_callers[0] is 'code_execution_20260120'"),
};

static const struct row fetch_rows[] = {
	SAME("the tool", TOOL("{'type':'web_fetch_20260318','name':'web_fetch',"
		"'citations':{'enabled':true},'max_content_tokens':9,'use_cache':false,"
		"'response_inclusion':'full'}")),
	SAME("its result",
	     RESULT("web_fetch_tool_result",
		    "{'type':'web_fetch_result','url':'https://x','content':{'type':'document',"
		"'source':{'type':'text','media_type':'text/plain','data':'d'}}}")),
	REFUSED("a document by URL",
		RESULT("web_fetch_tool_result",
		       "{'content':{'source':{'type':'url','url':'https://x'}}}"),
		RULE_MEDIA,
		"messages[0].content[1].content.content.source is an object"),
	REFUSED("not the search", TYPED("web_search_20250305"), RULE_SERVER_TOOL,
		"tools[0].type is 'web_search_20250305'"),
};

static const struct row code_rows[] = {
	SAME("the tool", TYPED("code_execution_20260521")),
	SAME("own tools called from code",
	     TOOL("{'name':'n','allowed_callers':['code_execution_20260120']}")),
	SAME("its result", RESULT("bash_code_execution_tool_result",
				  "{'stdout':'s','return_code':0}")),
	REFUSED("container", WITH(",'container':'c'"), RULE_CONTAINER,
		"container is 'c'"),
	REFUSED("upload", SAYING("{'type':'container_upload','file_id':'f'}"),
		RULE_MEDIA, "messages[0].content[0].type is 'container_upload'"),
	REFUSED("not the search", TYPED("web_search_20250305"), RULE_SERVER_TOOL,
		"tools[0].type is 'web_search_20250305'"),
};

static void test_own_server_tools(void **state)
{
	struct setting setting = PEER;

	(void)state;
	setting.profile = PROFILE_OWN;
	rows_check_all(&setting, tool_rows);
	setting.server_tools = SERVER_TOOL_WEB_SEARCH;
	rows_check_all(&setting, search_rows);
	setting.server_tools = SERVER_TOOL_WEB_FETCH;
	rows_check_all(&setting, fetch_rows);
	setting.server_tools = SERVER_TOOL_CODE_EXECUTION;
	rows_check_all(&setting, code_rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tools),
		cmocka_unit_test(test_own_server_tools),
	};

	return cmocka_run_group_tests_name("judge-tools", tests, NULL, NULL);
}
