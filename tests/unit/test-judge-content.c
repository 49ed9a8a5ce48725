/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The judge: content blocks, media at every depth. */
#include "judge-rows.h"

/* Rows of long texts. */
/* clang-format off */

#define TEXT "{'type':'text','text':'t'}"

static const struct row block_rows[] = {
	SAME("text", SAYING(TEXT)),
	SAME("text with all", SAYING("{'type':'text','text':'t','cache_control':null,"
		"'citations':null}")),
	SAME("citations", SAYING("{'type':'text','text':'t',"
		"'citations':[{'type':'char_location','cited_text':'c','document_index':0,"
		"'document_title':null,'start_char_index':1,'end_char_index':2}]}")),
	SAME("other citations", SAYING("{'type':'text','text':'t','citations':["
		"{'type':'page_location','start_page_number':1,'end_page_number':2},"
		"{'type':'content_block_location','start_block_index':1,'end_block_index':2},"
		"{'type':'search_result_location','search_result_index':0,"
		"'source':'https://label','title':'t'}]}")),
	SAME("tool use with any input",
	     SAYING("{'type':'tool_use','id':'1','name':'n','input':{'type':'image',"
		"'source':{'type':'url','url':'https://x','file_id':'f'},'model':'m'},"
		"'caller':{'type':'direct'}}")),
	SAME("tool use whose input is no object",
	     SAYING("{'type':'tool_use','id':'1','input':null}")),
	SAME("member of a toolset",
	     SAYING("{'type':'tool_use','id':'1','name':'n','input':{},'toolset_name':'s'},"
		    "{'type':'tool_result','tool_use_id':'1','toolset_name':null}")),
	SAME("tool result as text", SAYING("{'type':'tool_result','tool_use_id':'1',"
		"'content':'c','is_error':true}")),
	SAME("tool result as blocks",
	     SAYING("{'type':'tool_result','tool_use_id':'1','content':[" TEXT
		    ",{'type':'tool_reference','tool_name':'n'}]}")),
	SAME("empty tool result",
	     SAYING("{'type':'tool_result','tool_use_id':'1','content':[]}")),
	SAME("thinking", SAYING("{'type':'thinking','thinking':'t','signature':'s'},"
		"{'type':'redacted_thinking','data':'d'}")),
	SAME("search result", SAYING("{'type':'search_result','source':'https://label',"
		"'title':'t','content':[" TEXT "]}")),
	SAME("browser",
	     SAYING("{'type':'tool_result','tool_use_id':'1','content':[{'type':'browser_state',"
		"'tabs':[{'tab_id':'1','title':'t','url':'https://x'}]}]}")),
	SAME("image", SAYING("{'type':'image','source':{'type':'base64',"
		"'media_type':'image/png','data':'AA=='}}")),
	SAME("image that may be made smaller", SAYING("{'type':'image','source':{'type':"
		"'base64','data':'AA=='},'transformations':{'oversized_image':'downsize'}}")),
	SAME("document as text",
	     SAYING("{'type':'document','source':{'type':'text','media_type':'text/plain',"
		"'data':'https://x'},'title':'t','context':null,'citations':{'enabled':true}}")),
	SAME("document as a string",
	     SAYING("{'type':'document','source':{'type':'content','content':'c'}}")),
	SAME("system in the middle", "{'model':'claude-opus-5-5','max_tokens':1,"
		"'messages':[{'role':'user','content':'a'},{'role':'system','content':[" TEXT
				     "]},{'role':'assistant','content':'b'}]}"),
	BECOMES("a file id that is none",
		SAYING("{'type':'text','text':'t','citations':[{'type':'char_location',"
		"'file_id':null}]}"),
		SAYING("{'type':'text','text':'t','citations':[{'type':'char_location'}]}")),

	REFUSED("unknown type", SAYING("{'type':'video'}"), RULE_BLOCK,
		"messages[0].content[0].type is 'video'"),
	REFUSED("capital letter", SAYING("{'type':'Text'}"), RULE_BLOCK,
		"messages[0].content[0].type is 'Text'"),
	REFUSED("no type", SAYING("{'text':'t'}"), RULE_BLOCK,
		"messages[0].content[0] has no type"),
	REFUSED("type null", SAYING("{'type':null}"), RULE_BLOCK,
		"messages[0].content[0].type is null"),
	REFUSED("type with NUL", SAYING("{'type':'text\\u0000x'}"), RULE_BLOCK,
		"messages[0].content[0].type is 'text'"),
	REFUSED("type list", SAYING("{'type':['text']}"), RULE_BLOCK,
		"messages[0].content[0].type is an array"),
	REFUSED("no object", SAYING(TEXT ",'t'"), RULE_TYPE,
		"messages[0].content[1] is 't', not an object"),
	REFUSED("unknown field", SAYING("{'type':'text','text':'t','x':1}"), RULE_FIELD,
		"messages[0].content[0].x is not a field that anet knows here"),
	REFUSED("text of another type", SAYING("{'type':'text','text':1}"), RULE_TYPE,
		"messages[0].content[0].text is 1, not a string"),
	REFUSED("image in system", WITH(",'system':[{'type':'image'}]"), RULE_BLOCK,
		"system[0].type is 'image', which does not belong here"),
	REFUSED("tool result in a tool result",
		SAYING("{'type':'tool_result','content':[{'type':'tool_result'}]}"),
		RULE_BLOCK,
		"messages[0].content[0].content[0].type is 'tool_result',"
		" which does not belong here"),
	REFUSED("tool use in a tool result",
		SAYING("{'type':'tool_result','content':[{'type':'tool_use'}]}"),
		RULE_BLOCK,
		"messages[0].content[0].content[0].type is 'tool_use',"
		" which does not belong here"),
	REFUSED("document in a document",
		SAYING("{'type':'document','source':{'type':'content',"
		"'content':[{'type':'document'}]}}"),
		RULE_BLOCK,
		"messages[0].content[0].source.content[0].type is 'document',"
		" which does not belong here"),
	REFUSED("image in a search result",
		SAYING("{'type':'search_result','content':[{'type':'image'}]}"),
		RULE_BLOCK,
		"messages[0].content[0].content[0].type is 'image', which does not belong here"),
	REFUSED("citation of a file",
		SAYING("{'type':'text','citations':[{'type':'char_location','file_id':'f'}]}"),
		RULE_MEDIA, "messages[0].content[0].citations[0].file_id is 'f'"),
	REFUSED("citation of a search",
		SAYING("{'type':'text','citations':[{'type':'web_search_result_location',"
		"'url':'u'}]}"),
		RULE_MEDIA, "messages[0].content[0].citations[0].url is 'u'"),
	REFUSED("citation of another type", SAYING("{'type':'text','citations':['c']}"),
		RULE_TYPE, "messages[0].content[0].citations[0] is 'c', not an object"),
	REFUSED("caller",
		SAYING("{'type':'tool_use','caller':{'type':'code_execution_20260120'}}"),
		RULE_SERVER_TOOL,
		"messages[0].content[0].caller.type is 'code_execution_20260120'"),
	REFUSED("server tool use",
		SAYING("{'type':'server_tool_use','name':'web_search'}"),
		RULE_SERVER_TOOL, "messages[0].content[0].type is 'server_tool_use'"),
	REFUSED("search result of the service",
		SAYING("{'type':'web_search_tool_result'}"), RULE_SERVER_TOOL,
		"messages[0].content[0].type is 'web_search_tool_result'"),
	REFUSED("fetch result", SAYING("{'type':'web_fetch_tool_result'}"),
		RULE_SERVER_TOOL,
		"messages[0].content[0].type is 'web_fetch_tool_result'"),
	REFUSED("code result", SAYING("{'type':'code_execution_tool_result'}"),
		RULE_SERVER_TOOL,
		"messages[0].content[0].type is 'code_execution_tool_result'"),
	REFUSED("shell result", SAYING("{'type':'bash_code_execution_tool_result'}"),
		RULE_SERVER_TOOL,
		"messages[0].content[0].type is 'bash_code_execution_tool_result'"),
	REFUSED("editor result",
		SAYING("{'type':'text_editor_code_execution_tool_result'}"),
		RULE_SERVER_TOOL,
		"messages[0].content[0].type is 'text_editor_code_execution_tool_result'"),
	REFUSED("advisor result", SAYING("{'type':'advisor_tool_result'}"),
		RULE_SERVER_TOOL,
		"messages[0].content[0].type is 'advisor_tool_result'"),
	REFUSED("tool search result", SAYING("{'type':'tool_search_tool_result'}"),
		RULE_SERVER_TOOL,
		"messages[0].content[0].type is 'tool_search_tool_result'"),
	REFUSED("MCP tool use", SAYING("{'type':'mcp_tool_use'}"), RULE_MCP,
		"messages[0].content[0].type is 'mcp_tool_use'"),
	REFUSED("MCP tool result", SAYING("{'type':'mcp_tool_result'}"), RULE_MCP,
		"messages[0].content[0].type is 'mcp_tool_result'"),
	REFUSED("upload", SAYING("{'type':'container_upload','file_id':'f'}"),
		RULE_MEDIA, "messages[0].content[0].type is 'container_upload'"),
	REFUSED("compaction", SAYING("{'type':'compaction','encrypted_content':'x'}"),
		RULE_STORED_STATE, "messages[0].content[0].type is 'compaction'"),
	REFUSED("fallback", SAYING("{'type':'fallback','to':{'model':'m'}}"),
		RULE_STORED_STATE, "messages[0].content[0].type is 'fallback'"),
	REFUSED("tool addition without its flag",
		SAYING("{'type':'tool_addition','tool':{'type':'tool_reference','name':'n'}}"),
		RULE_BLOCK,
		"messages[0].content[0].type is 'tool_addition', without its beta flag"),
};

static void test_blocks(void **state)
{
	const struct setting setting = PEER;

	(void)state;
	rows_check_all(&setting, block_rows);
}

static const struct row change_rows[] = {
	SAME("addition", SAYING("{'type':'tool_addition','tool':{'type':'tool_reference',"
		"'name':'n'}}")),
	SAME("removal", SAYING("{'type':'tool_removal','tool':{'type':'tool_reference',"
		"'name':'n'}}")),
	REFUSED("MCP tool",
		SAYING("{'type':'tool_addition','tool':{'type':'mcp_tool_reference',"
		"'server_name':'s'}}"),
		RULE_MCP, "messages[0].content[0].tool.type is 'mcp_tool_reference'"),
	REFUSED("MCP toolset",
		SAYING("{'type':'tool_addition','tool':{'type':'mcp_toolset_reference'}}"),
		RULE_MCP,
		"messages[0].content[0].tool.type is 'mcp_toolset_reference'"),
	REFUSED("server in a plain reference",
		SAYING("{'type':'tool_addition','tool':{'type':'tool_reference',"
		"'server_name':'s'}}"),
		RULE_MCP, "messages[0].content[0].tool.server_name is 's'"),
	REFUSED("defined on the spot",
		SAYING("{'type':'tool_addition','tool':{'type':'tool_definition',"
		"'definition':{'type':'web_search_20250305'}}}"),
		RULE_TOOL_TYPE,
		"messages[0].content[0].tool.type is 'tool_definition'"),
	REFUSED("a tool itself",
		SAYING("{'type':'tool_addition','tool':{'type':'web_search_20250305'}}"),
		RULE_TOOL_TYPE,
		"messages[0].content[0].tool.type is 'web_search_20250305'"),
	REFUSED("no object", SAYING("{'type':'tool_addition','tool':'n'}"), RULE_TYPE,
		"messages[0].content[0].tool is 'n', not an object"),
};

static void test_tool_changes(void **state)
{
	struct setting setting = PEER;

	(void)state;
	setting.beta = "mid-conversation-tool-changes-2026-07-01";
	rows_check_all(&setting, change_rows);
}

/* Places where media may be ... */
static const struct {
	const char *before;
	const char *after;
} wrappers[] = {
	{"", ""},
	{TEXT ",", ""},
	{"{'type':'tool_result','tool_use_id':'1','content':[", "]}"},
	{"{'type':'document','source':{'type':'content','content':[", "]}}"},
	{"{'type':'tool_result','tool_use_id':'1','content':[{'type':'document',"
		"'source':{'type':'content','content':[",
	 "]}}]}"},
};

/* ... and how one may try to refer to some from there. */
static const struct {
	const char *block;
	enum reason reason;
} media[] = {
	{"{'type':'image','source':{'type':'base64','media_type':'image/png','data':'AA=='}}",
	 REASON_OK},
	{"{'type':'image','source':{'type':'url','url':'https://x/y.png'}}",
	 REASON_RULE_MEDIA},
	{"{'type':'image','source':{'url':'https://x/y.png','type':'url'}}",
	 REASON_RULE_MEDIA},
	{"{'type':'image','source':{'type':'\\u0075rl','url':'data:image/png;base64,AA=='}}",
	 REASON_RULE_MEDIA},
	{"{'type':'image','source':{'type':'file','file_id':'f'}}", REASON_RULE_MEDIA},
	{"{'type':'image','source':{'type':'base64','data':'AA==','url':'https://x'}}",
	 REASON_RULE_MEDIA},
	{"{'type':'image','source':{'type':'base64','data':'AA==','file_id':'f'}}",
	 REASON_RULE_MEDIA},
	{"{'type':'image','source':{'type':'base64','data':'AA==','f\\u0069le_id':'f'}}",
	 REASON_RULE_MEDIA},
	{"{'type':'image','source':{'type':'base64','data':'AA==','File_id':'f'}}",
	 REASON_RULE_FIELD},
	{"{'type':'image','source':{'type':'s3','uri':'s3://x'}}", REASON_RULE_MEDIA},
	{"{'type':'image','source':{'url':'https://x'}}", REASON_RULE_MEDIA},
	{"{'type':'image','source':'https://x'}", REASON_RULE_TYPE},
	{"{'type':'image','source':null}", REASON_RULE_TYPE},
	{"{'type':'image','file_id':'f'}", REASON_RULE_MEDIA},
	{"{'type':'image','url':'https://x'}", REASON_RULE_MEDIA},
	{"{'type':'image','image_url':{'url':'https://x'}}", REASON_RULE_MEDIA},
	{"{'type':'image_url','image_url':{'url':'https://x'}}", REASON_RULE_BLOCK},
	{"{'type':'file','file_id':'f'}", REASON_RULE_BLOCK},
	{"{'type':'container_upload','file_id':'f'}", REASON_RULE_MEDIA},
	{"{'type':'image','source':{'type':'content','content':[{'type':'image',"
		"'source':{'type':'url','url':'https://x'}}]}}",
	 REASON_RULE_MEDIA},
};

static const char *const documents[] = {
	"{'type':'document','source':{'type':'url','url':'https://x/y.pdf'}}",
	"{'type':'document','source':{'type':'file','file_id':'f'}}",
	"{'type':'document','source':{'type':'text','data':'d','url':'https://x'}}",
	"{'type':'document','file_id':'f'}",
	"{'type':'document','url':'https://x'}",
};

static void check_media(const char *before, const char *block, const char *after,
			enum reason want)
{
	const struct setting setting = PEER;
	struct judgement judgement;
	char text[2048];
	char *body;

	snprintf(text, sizeof(text), SAYING("%s%s%s"), before, block, after);
	body = rows_quoted(text);
	rows_judge(&setting, body, strlen(body), &judgement);
	if (judgement.reason != want)
		fail_msg("%s: %s, not %s", body, reason_code(judgement.reason),
			 reason_code(want));
	judgement_clear(&judgement);
	free(body);
}

static void test_media(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++)
		for (size_t j = 0; j < sizeof(media) / sizeof(*media); j++)
			check_media(wrappers[i].before, media[j].block,
				    wrappers[i].after, media[j].reason);
	/* Documents are not made of documents. */
	for (size_t i = 0; i < 3; i++)
		for (size_t j = 0; j < sizeof(documents) / sizeof(*documents); j++)
			check_media(wrappers[i].before, documents[j], wrappers[i].after,
				    REASON_RULE_MEDIA);
}

/* As deep as the scan lets it be. */
static void test_deep_media(void **state)
{
	static const char open[] =
		"{'type':'image','source':{'type':'content','content':[";
	char before[4096] = "";
	char after[1024] = "";

	(void)state;
	/* Three levels each; the body, its messages and content are four. */
	for (size_t depth = 3; 3 * depth + 4 + 2 <= LIMIT_JSON_DEPTH; depth += 3) {
		before[0] = '\0';
		after[0] = '\0';
		for (size_t i = 0; i < depth; i++) {
			strcat(before, open);
			strcat(after, "]}}");
		}
		check_media(before, media[0].block, after, REASON_OK);
		check_media(before, media[1].block, after, REASON_RULE_MEDIA);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_tool_changes),
		cmocka_unit_test(test_media),
		cmocka_unit_test(test_deep_media),
	};

	return cmocka_run_group_tests_name("judge-content", tests, NULL, NULL);
}
