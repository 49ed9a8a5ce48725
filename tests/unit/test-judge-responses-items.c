/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The judge on Responses: items of the input, parts of content, tools. */
#include "core/policy.h"
#include "judge-rows.h"

/* Rows of long texts. */
/* clang-format off */

#define BODY(fields) "{'model':'gpt-6-luna'," fields ",'max_output_tokens':1,'store':false}"
#define INPUT(items) BODY("'input':[" items "]")
#define PART(part) INPUT("{'role':'user','content':[" part "]}")
#define OUTPUT(part) INPUT("{'type':'function_call_output','call_id':'c','output':[" part "]}")
#define TOOL(tool) BODY("'tools':[" tool "]")
#define CHOICE(choice) BODY("'tool_choice':" choice)

#define ITEM(type, more) INPUT("{'type':'" type "'" more "}")
#define SAME_ITEM(type, more) SAME(type, ITEM(type, more))
#define NO_ITEM(type, reason) REFUSED(type, ITEM(type, ",'id':'x'"), reason, "input[0].type is '" type "'")
#define NO_TOOL(type, reason) REFUSED(type, TOOL("{'type':'" type "'}"), reason, "tools[0].type is '" type "'")

static const struct row item_rows[] = {
	SAME("text", BODY("'input':'x'")),
	SAME("nothing", INPUT("")),
	SAME("message without a type", INPUT("{'role':'user','content':'x'}")),
	SAME("type null", INPUT("{'type':null,'role':'user','content':'x'}")),
	SAME("all that a message has",
	     ITEM("message", ",'id':'msg_1','status':'completed','role':'assistant','phase':'final_answer',"
		"'content':[{'type':'output_text','text':'t','annotations':[],'logprobs':[]},"
		"{'type':'refusal','refusal':'r'}]")),
	SAME_ITEM("agent_message", ",'id':'a','author':'/root','recipient':'/root/x','content':["
		"{'type':'input_text','text':'t'},{'type':'encrypted_content','encrypted_content':'e'}]"),
	SAME_ITEM("reasoning", ",'id':'rs_1','summary':[{'type':'summary_text','text':'t'}],"
		"'content':[{'type':'reasoning_text','text':'t'}],'encrypted_content':'e','status':null"),
	BECOMES("reasoning by id alone", ITEM("reasoning", ",'id':'rs_1','summary':[]"),
		ITEM("reasoning", ",'summary':[]")),
	BECOMES("reasoning by id, encrypted null",
		ITEM("reasoning", ",'id':'rs_1','summary':[],'encrypted_content':null"),
		ITEM("reasoning", ",'summary':[],'encrypted_content':null")),
	SAME_ITEM("configuration_update", ",'reasoning':{'effort':'low'}"),
	SAME_ITEM("function_call", ",'id':'fc','call_id':'c','name':'n','namespace':'s',"
		"'arguments':'{\\\"image_url\\\":\\\"https://x\\\"}','status':'completed',"
		"'encrypted_function_args':'e','caller':{'type':'direct'}"),
	SAME_ITEM("function_call_output", ",'id':null,'call_id':'c','output':'https://x','status':null,'caller':null"),
	SAME_ITEM("custom_tool_call", ",'id':'i','call_id':'c','name':'n','namespace':'s','input':'x'"),
	SAME_ITEM("custom_tool_call_output", ",'call_id':'c','output':[{'type':'input_text','text':'t'}]"),
	SAME_ITEM("local_shell_call", ",'id':'l','call_id':'c','action':{'type':'exec','command':['x'],"
		"'env':{'file_id':'https://x'}},'status':'completed'"),
	SAME_ITEM("local_shell_call_output", ",'id':'l','output':'o'"),
	SAME_ITEM("shell_call", ",'call_id':'c','action':{'commands':['x']},'environment':{'type':'local'},"
		"'max_output_length':9"),
	SAME("shell call without its environment", ITEM("shell_call", ",'call_id':'c','action':{},'environment':null")),
	SAME_ITEM("shell_call_output", ",'call_id':'c','max_output_length':9,"
		"'output':[{'stdout':'a','stderr':'b','outcome':{'type':'exit','exit_code':0}}]"),
	SAME_ITEM("apply_patch_call", ",'call_id':'c','operation':{'type':'create_file','path':'p','diff':'d'},'status':'completed'"),
	SAME_ITEM("apply_patch_call_output", ",'call_id':'c','status':'completed','output':null"),
	SAME_ITEM("computer_call", ",'id':'i','call_id':'c','action':{'type':'wait'},'actions':[{'type':'wait'}],"
		"'pending_safety_checks':[],'status':'completed'"),
	SAME_ITEM("computer_call_output", ",'call_id':'c','output':{'type':'computer_screenshot',"
		"'image_url':'data:image/png;base64,AA'},'acknowledged_safety_checks':[]"),
	SAME_ITEM("tool_search_call", ",'call_id':'c','execution':'client','arguments':{'file_id':1}"),
	SAME_ITEM("tool_search_output", ",'call_id':'c','execution':'client','tools':[{'type':'function','name':'n'}]"),
	SAME_ITEM("additional_tools", ",'id':'at','role':'developer','tools':[{'type':'namespace','name':'n',"
		"'description':'','tools':[{'type':'custom','name':'x','format':{'type':'grammar','syntax':'lark',"
		"'definition':'d'}}]}]"),
	SAME_ITEM("compaction_trigger", ""),
	SAME_ITEM("compaction", ",'id':'c','encrypted_content':'e'"),
	SAME_ITEM("compaction_summary", ",'encrypted_content':'e'"),
	SAME_ITEM("context_compaction", ",'encrypted_content':'e'"),

	/* Left out. */
	BECOMES("metadata of the client",
		INPUT("{'type':'message','role':'user','content':'x','internal_chat_message_metadata_passthrough':"
		      "{'turn_id':'t','create_time':1}}"),
		INPUT("{'type':'message','role':'user','content':'x'}")),
	BECOMES("metadata of the client in calls",
		ITEM("custom_tool_call", ",'name':'n','internal_chat_message_metadata_passthrough':{},'input':'x'"),
		ITEM("custom_tool_call", ",'name':'n','input':'x'")),
	BECOMES("what nobody knows", INPUT("{'role':'user','content':'x','x':{'url':'https://x'}}"),
		INPUT("{'role':'user','content':'x'}")),
	BECOMES("what nobody knows of a part", PART("{'type':'input_text','text':'t','x':{'file_id':'f'}}"),
		PART("{'type':'input_text','text':'t'}")),
	BECOMES("another spelling of an image", PART("{'type':'input_image','url':'https://x','imageUrl':'https://x'}"),
		PART("{'type':'input_image'}")),

	/* Kept at the service. */
	NO_ITEM("item_reference", RULE_STORED_STATE),
	REFUSED("reference without a type", INPUT("{'id':'msg_1'}"), RULE_STORED_STATE,
		"input[0] has no content"),
	REFUSED("reference of type null", INPUT("{'type':null,'id':'msg_1'}"), RULE_STORED_STATE,
		"input[0] has no content"),
	REFUSED("reference with a role", INPUT("{'id':'msg_1','role':'user'}"), RULE_STORED_STATE,
		"input[0] has no content"),
	REFUSED("content null", INPUT("{'id':'msg_1','role':'user','content':null}"), RULE_TYPE,
		"input[0].content is null, not a string or an array"),
	REFUSED("no role", INPUT("{'content':'x'}"), RULE_FIELD, "input[0] has no role"),
	REFUSED("role", INPUT("{'content':'x','role':'tool'}"), RULE_FIELD,
		"input[0].role is 'tool', not user|assistant|system|developer"),
	REFUSED("another model", ITEM("configuration_update", ",'model':'m'"), RULE_STORED_STATE,
		"input[0].model is 'm'"),
	REFUSED("another price", ITEM("configuration_update", ",'reasoning':{'mode':'pro'}"), RULE_STORED_STATE,
		"input[0].reasoning.mode is 'pro', not standard"),

	/* What the service does. */
	NO_ITEM("web_search_call", RULE_SERVER_TOOL),
	NO_ITEM("file_search_call", RULE_SERVER_TOOL),
	NO_ITEM("code_interpreter_call", RULE_SERVER_TOOL),
	NO_ITEM("image_generation_call", RULE_SERVER_TOOL),
	NO_ITEM("program", RULE_SERVER_TOOL),
	NO_ITEM("program_output", RULE_SERVER_TOOL),
	NO_ITEM("multi_agent_call", RULE_SERVER_TOOL),
	NO_ITEM("multi_agent_call_output", RULE_SERVER_TOOL),
	NO_ITEM("mcp_list_tools", RULE_MCP),
	NO_ITEM("mcp_approval_request", RULE_MCP),
	NO_ITEM("mcp_approval_response", RULE_MCP),
	NO_ITEM("mcp_call", RULE_MCP),
	NO_ITEM("next_thing", RULE_BLOCK),
	NO_ITEM("Message", RULE_BLOCK),
	NO_ITEM("", RULE_BLOCK),
	REFUSED("call from code", ITEM("function_call", ",'caller':{'type':'program','caller_id':'p'}"),
		RULE_SERVER_TOOL, "input[0].caller.type is 'program'"),
	REFUSED("call from nobody", ITEM("function_call_output", ",'caller':{}"), RULE_SERVER_TOOL,
		"input[0].caller has no type"),
	REFUSED("search at the service", ITEM("tool_search_call", ",'execution':'server','arguments':{}"),
		RULE_SERVER_TOOL, "input[0].execution is 'server', not client"),
	REFUSED("search that says not where", ITEM("tool_search_output", ",'tools':[]"), RULE_SERVER_TOOL,
		"input[0] has no execution"),
	REFUSED("shell in a container", ITEM("shell_call", ",'environment':{'type':'container_reference','container_id':'c'}"),
		RULE_CONTAINER, "input[0].environment.type is 'container_reference'"),

	/* Wrong types. */
	REFUSED("text", INPUT("'x'"), RULE_TYPE, "input[0] is 'x', not an object"),
	REFUSED("null", INPUT("{'role':'user','content':'x'},null"), RULE_TYPE, "input[1] is null, not an object"),
	REFUSED("list", INPUT("[{'role':'user','content':'x'}]"), RULE_TYPE, "input[0] is an array, not an object"),
	REFUSED("type", INPUT("{'type':['message']}"), RULE_BLOCK, "input[0].type is an array"),
	REFUSED("type with more", INPUT("{'type':'message\\u0000'}"), RULE_BLOCK, "input[0].type is 'message'"),
	REFUSED("output", ITEM("function_call_output", ",'output':{'file_id':'f'}"), RULE_TYPE,
		"input[0].output is an object, not a string or an array"),
	REFUSED("arguments", ITEM("function_call", ",'arguments':{}"), RULE_TYPE,
		"input[0].arguments is an object, not a string"),
	REFUSED("content", INPUT("{'role':'user','content':[[{'type':'input_text'}]]}"), RULE_TYPE,
		"input[0].content[0] is an array, not an object"),
};

#define BY_FILE(name, type) \
	REFUSED(name, PART("{'type':'" type "','file_id':'file_1'}"), RULE_MEDIA, FIRST ".file_id is 'file_1'")
#define FIRST "input[0].content[0]"

static const struct row media_rows[] = {
	SAME("image", PART("{'type':'input_image','image_url':'data:image/png;base64,AA','detail':'auto'}")),
	SAME("nothing of an image", PART("{'type':'input_image','image_url':null,'detail':null}")),
	SAME("file", PART("{'type':'input_file','filename':'f.pdf','file_data':'data:application/pdf;base64,AA','detail':'low'}")),
	SAME("bare file", PART("{'type':'input_file','file_data':'AAAA'}")),
	SAME("sound", PART("{'type':'input_audio','input_audio':{'data':'AAAA','format':'wav'}}")),
	SAME("sound by URL", PART("{'type':'input_audio','audio_url':'data:audio/wav;base64,AA'}")),
	SAME("marked", PART("{'type':'input_text','text':'t','prompt_cache_breakpoint':{'mode':'explicit'}}")),
	SAME("what a tool gave", OUTPUT("{'type':'input_image','image_url':'data:,'},{'type':'input_file','file_data':'AA'}")),
	BECOMES("no file", PART("{'type':'input_image','file_id':null,'image_url':'data:,'}"),
		PART("{'type':'input_image','image_url':'data:,'}")),
	REFUSED("image by URL", PART("{'type':'input_image','image_url':'https://x/y.png'}"), RULE_MEDIA,
		FIRST ".image_url is 'https://x/y.png', not a data: URL"),
	REFUSED("image by escaped URL", PART("{'type':'input_image','image\\u005furl':'http:\\/\\/x'}"), RULE_MEDIA,
		FIRST ".image_url is 'http://x', not a data: URL"),
	REFUSED("capital letters", PART("{'type':'input_image','image_url':'DATA:image/png;base64,AA'}"), RULE_MEDIA,
		FIRST ".image_url is 'DATA:image/png;base64,AA', not a data: URL"),
	REFUSED("blank before", PART("{'type':'input_image','image_url':' data:,'}"), RULE_MEDIA,
		FIRST ".image_url is ' data:,', not a data: URL"),
	REFUSED("image as object", PART("{'type':'input_image','image_url':{'url':'https://x'}}"), RULE_TYPE,
		FIRST ".image_url is an object, not a string or null"),
	BY_FILE("image by id", "input_image"),
	BY_FILE("file by id", "input_file"),
	BY_FILE("text by id", "input_text"),
	BY_FILE("sound by id", "input_audio"),
	REFUSED("file by URL", PART("{'type':'input_file','file_url':'https://x'}"), RULE_MEDIA,
		FIRST ".file_url is 'https://x'"),
	REFUSED("URL in the data", PART("{'type':'input_file','file_data':'https://x'}"), RULE_MEDIA,
		FIRST ".file_data is 'https://x', not the data itself"),
	REFUSED("data with more", PART("{'type':'input_file','file_data':'AA\\u0000https://x'}"), RULE_MEDIA,
		FIRST ".file_data is 'AA', not the data itself"),
	REFUSED("sound by URL in the data", PART("{'type':'input_audio','input_audio':{'data':'https://x'}}"),
		RULE_MEDIA, FIRST ".input_audio.data is 'https://x', not the data itself"),
	REFUSED("sound by URL elsewhere", PART("{'type':'input_audio','audio_url':'https://x'}"), RULE_MEDIA,
		FIRST ".audio_url is 'https://x', not a data: URL"),
	REFUSED("image of a tool by URL", OUTPUT("{'type':'input_text','text':'t'},{'type':'input_image','image_url':'https://x'}"),
		RULE_MEDIA, "input[0].output[1].image_url is 'https://x', not a data: URL"),
	REFUSED("file of a tool by URL", ITEM("custom_tool_call_output", ",'output':[{'type':'input_file','file_url':'https://x'}]"),
		RULE_MEDIA, "input[0].output[0].file_url is 'https://x'"),
	REFUSED("screenshot by id", ITEM("computer_call_output", ",'output':{'type':'computer_screenshot','file_id':'f'}"),
		RULE_MEDIA, "input[0].output.file_id is 'f'"),
	REFUSED("screenshot by URL", ITEM("computer_call_output", ",'output':{'type':'computer_screenshot','image_url':'https://x'}"),
		RULE_MEDIA, "input[0].output.image_url is 'https://x', not a data: URL"),
	REFUSED("screenshot that is none", ITEM("computer_call_output", ",'output':{'type':'input_image','image_url':'data:,'}"),
		RULE_BLOCK, "input[0].output.type is 'input_image', which does not belong here"),
	REFUSED("file of an item", ITEM("message", ",'role':'user','content':'x','file_id':'f'"), RULE_MEDIA,
		"input[0].file_id is 'f'"),
	REFUSED("citation of a file", PART("{'type':'output_text','text':'t','annotations':[{'type':'file_citation','file_id':'f'}]}"),
		RULE_MEDIA, FIRST ".annotations[0].type is 'file_citation'"),
	REFUSED("citation of a container", PART("{'type':'output_text','text':'t','annotations':[{'type':'container_file_citation'}]}"),
		RULE_MEDIA, FIRST ".annotations[0].type is 'container_file_citation'"),
	REFUSED("path", PART("{'type':'output_text','text':'t','annotations':[{'type':'file_path','file_id':'f'}]}"),
		RULE_MEDIA, FIRST ".annotations[0].type is 'file_path'"),
	REFUSED("citation of a page", PART("{'type':'output_text','text':'t','annotations':[{'type':'url_citation','url':'https://x'}]}"),
		RULE_SERVER_TOOL, FIRST ".annotations[0].type is 'url_citation'"),
	REFUSED("another part", PART("{'type':'input_video','video_url':'https://x'}"), RULE_BLOCK,
		FIRST ".type is 'input_video'"),
	REFUSED("part without a type", PART("{'text':'x'}"), RULE_BLOCK, FIRST " has no type"),
	REFUSED("of Chat", PART("{'type':'image_url','image_url':{'url':'data:,'}}"), RULE_BLOCK, FIRST ".type is 'image_url'"),
	REFUSED("at another place", OUTPUT("{'type':'reasoning_text','text':'t'}"), RULE_BLOCK,
		"input[0].output[0].type is 'reasoning_text', which does not belong here"),
};

static const struct row tool_rows[] = {
	SAME("none", TOOL("")),
	SAME("function", TOOL("{'type':'function','name':'n','description':'d','parameters':{'properties':"
		"{'file_id':{'enum':['https://x']},'type':{'const':'web_search'}}},'output_schema':{'x':1},"
		"'strict':false,'defer_loading':true,'allowed_callers':['direct']}")),
	SAME("custom", TOOL("{'type':'custom','name':'n','description':'d','format':{'type':'text'},'defer_loading':false}")),
	SAME("namespace", TOOL("{'type':'namespace','name':'n','description':'d','tools':["
		"{'type':'function','name':'a','parameters':null},{'type':'custom','name':'b'}]}")),
	SAME("patch", TOOL("{'type':'apply_patch'}")),
	SAME("local shell", TOOL("{'type':'local_shell'}")),
	SAME("shell", TOOL("{'type':'shell','environment':{'type':'local','skills':[{'name':'n','path':'/p'}]}}")),
	SAME("search of tools", TOOL("{'type':'tool_search','execution':'client','description':'d','parameters':{}}")),
	SAME("computer", TOOL("{'type':'computer'}")),
	SAME("old computer", TOOL("{'type':'computer_use_preview','display_width':1,'display_height':1,'environment':'linux'}")),
	BECOMES("what nobody knows", TOOL("{'type':'function','name':'n','server_url':'https://x','x':1}"),
		TOOL("{'type':'function','name':'n'}")),
	NO_TOOL("web_search", RULE_SERVER_TOOL),
	NO_TOOL("web_search_2025_08_26", RULE_SERVER_TOOL),
	NO_TOOL("web_search_preview", RULE_SERVER_TOOL),
	NO_TOOL("web_search_preview_2025_03_11", RULE_SERVER_TOOL),
	NO_TOOL("file_search", RULE_SERVER_TOOL),
	NO_TOOL("code_interpreter", RULE_SERVER_TOOL),
	NO_TOOL("image_generation", RULE_SERVER_TOOL),
	NO_TOOL("programmatic_tool_calling", RULE_SERVER_TOOL),
	NO_TOOL("mcp", RULE_MCP),
	NO_TOOL("web_search_2027_01_01", RULE_TOOL_TYPE),
	NO_TOOL("Function", RULE_TOOL_TYPE),
	NO_TOOL("function ", RULE_TOOL_TYPE),
	REFUSED("no type", TOOL("{'name':'n'}"), RULE_TOOL_TYPE, "tools[0] has no type"),
	REFUSED("type null", TOOL("{'type':null}"), RULE_TOOL_TYPE, "tools[0].type is null"),
	REFUSED("as text", TOOL("'web_search'"), RULE_TYPE, "tools[0] is 'web_search', not an object"),
	REFUSED("type with more", TOOL("{'type':'function\\u0000'}"), RULE_TOOL_TYPE, "tools[0].type is 'function'"),
	REFUSED("type escaped", TOOL("{'type':'web\\u005fsearch'}"), RULE_SERVER_TOOL, "tools[0].type is 'web_search'"),
	REFUSED("in a namespace", TOOL("{'type':'namespace','name':'n','tools':[{'type':'web_search'}]}"),
		RULE_SERVER_TOOL, "tools[0].tools[0].type is 'web_search'"),
	REFUSED("namespace in a namespace", TOOL("{'type':'namespace','tools':[{'type':'namespace','tools':[]}]}"),
		RULE_TOOL_TYPE, "tools[0].tools[0].type is 'namespace', which does not belong here"),
	REFUSED("shell in a namespace", TOOL("{'type':'namespace','tools':[{'type':'shell'}]}"),
		RULE_TOOL_TYPE, "tools[0].tools[0].type is 'shell', which does not belong here"),
	REFUSED("in an item", ITEM("additional_tools", ",'role':'developer','tools':[{'type':'mcp','server_url':'https://x'}]"),
		RULE_MCP, "input[0].tools[0].type is 'mcp'"),
	REFUSED("in a namespace of an item", ITEM("additional_tools", ",'tools':[{'type':'namespace','tools':[{'type':'x'}]}]"),
		RULE_TOOL_TYPE, "input[0].tools[0].tools[0].type is 'x'"),
	REFUSED("found by a search", ITEM("tool_search_output", ",'execution':'client','tools':[{'type':'web_search'}]"),
		RULE_SERVER_TOOL, "input[0].tools[0].type is 'web_search'"),
	REFUSED("shell of the service", TOOL("{'type':'shell'}"), RULE_CONTAINER, "tools[0] has no environment"),
	REFUSED("shell, null", TOOL("{'type':'shell','environment':null}"), RULE_TYPE,
		"tools[0].environment is null, not an object"),
	REFUSED("shell in a container", TOOL("{'type':'shell','environment':{'type':'container_auto'}}"), RULE_CONTAINER,
		"tools[0].environment.type is 'container_auto'"),
	REFUSED("shell of no type", TOOL("{'type':'shell','environment':{}}"), RULE_CONTAINER,
		"tools[0].environment has no type"),
	REFUSED("search at the service", TOOL("{'type':'tool_search','execution':'server'}"), RULE_SERVER_TOOL,
		"tools[0].execution is 'server', not client"),
	REFUSED("search, not said where", TOOL("{'type':'tool_search'}"), RULE_SERVER_TOOL, "tools[0] has no execution"),
	REFUSED("called from code", TOOL("{'type':'function','allowed_callers':['direct','programmatic']}"),
		RULE_SERVER_TOOL, "tools[0].allowed_callers[1] is 'programmatic', not direct"),
	REFUSED("called from what is no word", TOOL("{'type':'custom','allowed_callers':[{'type':'direct'}]}"),
		RULE_SERVER_TOOL, "tools[0].allowed_callers[0] is an object, not direct"),

	SAME("choice", CHOICE("'auto'")),
	SAME("no choice", CHOICE("'none'")),
	SAME("choice of any", CHOICE("'required'")),
	SAME("choice of a function", CHOICE("{'type':'function','name':'n'}")),
	SAME("choice of several", CHOICE("{'type':'allowed_tools','mode':'auto','tools':[{'type':'function','name':'n'},{'type':'apply_patch'}]}")),
	REFUSED("choice of a word", CHOICE("'web_search'"), RULE_TOOL_TYPE,
		"tool_choice is 'web_search', not none|auto|required"),
	REFUSED("choice of a tool of the service", CHOICE("{'type':'web_search_preview'}"), RULE_SERVER_TOOL,
		"tool_choice.type is 'web_search_preview'"),
	REFUSED("choice of images", CHOICE("{'type':'image_generation'}"), RULE_SERVER_TOOL,
		"tool_choice.type is 'image_generation'"),
	REFUSED("choice of MCP", CHOICE("{'type':'mcp','server_label':'x'}"), RULE_MCP, "tool_choice.type is 'mcp'"),
	REFUSED("choice of several, one at the service", CHOICE("{'type':'allowed_tools','tools':[{'type':'mcp'}]}"), RULE_MCP,
		"tool_choice.tools[0].type is 'mcp'"),
	REFUSED("several in several", CHOICE("{'type':'allowed_tools','tools':[{'type':'allowed_tools'}]}"), RULE_TOOL_TYPE,
		"tool_choice.tools[0].type is 'allowed_tools', which does not belong here"),
	REFUSED("choice of nothing", CHOICE("{}"), RULE_TOOL_TYPE, "tool_choice has no type"),
};

static void test_items(void **state)
{
	struct setting setting = OPENAI_PEER(ENDPOINT_RESPONSES);

	(void)state;
	rows_check_all(&setting, item_rows);
	rows_check_all(&setting, media_rows);
	rows_check_all(&setting, tool_rows);
	/* A peer's turn has no tool of the service, whatever its record says. */
	setting.server_tools = SERVER_TOOL_WEB_SEARCH | SERVER_TOOL_CODE_EXECUTION;
	rows_check_all(&setting, item_rows);
	rows_check_all(&setting, media_rows);
	rows_check_all(&setting, tool_rows);
	setting.server_tools = 0;
	setting.profile = PROFILE_OWN;
	rows_check_all(&setting, item_rows);
	rows_check_all(&setting, media_rows);
	rows_check_all(&setting, tool_rows);
}

static const struct row search_rows[] = {
	SAME("search", TOOL("{'type':'web_search','external_web_access':true,'filters':{'allowed_domains':['x']},"
		"'search_context_size':'low','user_location':{'type':'approximate'}}")),
	SAME("old search", TOOL("{'type':'web_search_preview_2025_03_11','search_content_types':['text']}")),
	SAME("its choice", CHOICE("{'type':'web_search_preview'}")),
	SAME("what it did", ITEM("web_search_call", ",'id':'ws','status':'completed','action':{'type':'open_page','url':'https://x'}")),
	SAME("what it found", PART("{'type':'output_text','text':'t','annotations':[{'type':'url_citation',"
		"'start_index':0,'end_index':1,'title':'t','url':'https://x'}]}")),
	NO_TOOL("code_interpreter", RULE_SERVER_TOOL),
	NO_TOOL("file_search", RULE_SERVER_TOOL),
	NO_TOOL("image_generation", RULE_SERVER_TOOL),
	NO_TOOL("mcp", RULE_MCP),
	NO_ITEM("code_interpreter_call", RULE_SERVER_TOOL),
	REFUSED("no image by URL for that", PART("{'type':'input_image','image_url':'https://x'}"), RULE_MEDIA,
		FIRST ".image_url is 'https://x', not a data: URL"),
};

static const struct row code_rows[] = {
	SAME("code", TOOL("{'type':'code_interpreter','container':{'type':'auto','memory_limit':'1g',"
		"'network_policy':{'type':'disabled'}}}")),
	SAME("its choice", CHOICE("{'type':'code_interpreter'}")),
	SAME("what it did", ITEM("code_interpreter_call", ",'id':'i','code':'c','container_id':'cntr_1','outputs':["
		"{'type':'logs','logs':'l'},{'type':'image','url':'data:,'}],'status':'completed'")),
	BECOMES("no files", TOOL("{'type':'code_interpreter','container':{'type':'auto','file_ids':[]}}"),
		TOOL("{'type':'code_interpreter','container':{'type':'auto'}}")),
	REFUSED("no container", TOOL("{'type':'code_interpreter'}"), RULE_CONTAINER, "tools[0] has no container"),
	REFUSED("another's container", TOOL("{'type':'code_interpreter','container':'cntr_1'}"), RULE_CONTAINER,
		"tools[0].container is 'cntr_1'"),
	REFUSED("another kind of container", TOOL("{'type':'code_interpreter','container':{'type':'x'}}"), RULE_CONTAINER,
		"tools[0].container.type is 'x'"),
	REFUSED("files", TOOL("{'type':'code_interpreter','container':{'type':'auto','file_ids':['f']}}"), RULE_MEDIA,
		"tools[0].container.file_ids is an array"),
	REFUSED("more memory", TOOL("{'type':'code_interpreter','container':{'type':'auto','memory_limit':'64g'}}"),
		RULE_STORED_STATE, "tools[0].container.memory_limit is '64g', not 1g"),
	REFUSED("hosts", TOOL("{'type':'code_interpreter','container':{'type':'auto','network_policy':{'type':'allowlist'}}}"),
		RULE_CONTAINER, "tools[0].container.network_policy.type is 'allowlist'"),
	REFUSED("image by URL", ITEM("code_interpreter_call", ",'outputs':[{'type':'image','url':'https://x'}]"), RULE_MEDIA,
		"input[0].outputs[0].url is 'https://x', not a data: URL"),
	NO_TOOL("web_search", RULE_SERVER_TOOL),
	NO_ITEM("web_search_call", RULE_SERVER_TOOL),
};

static void test_own_server_tools(void **state)
{
	struct setting setting = OPENAI_PEER(ENDPOINT_RESPONSES);

	(void)state;
	setting.profile = PROFILE_OWN;
	setting.server_tools = SERVER_TOOL_WEB_SEARCH;
	rows_check_all(&setting, search_rows);
	setting.server_tools = SERVER_TOOL_CODE_EXECUTION;
	rows_check_all(&setting, code_rows);
	/* OpenAI has no tool that only fetches. */
	setting.server_tools = SERVER_TOOL_WEB_FETCH;
	rows_check_all(&setting, tool_rows);
	rows_check_all(&setting, item_rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_items),
		cmocka_unit_test(test_own_server_tools),
	};

	return cmocka_run_group_tests_name("judge-responses-items", tests, NULL, NULL);
}
