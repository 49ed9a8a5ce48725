/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Content blocks of a Messages request.  rules.h says how to read a row. */
#include "core/policy.h"
#include "core/rules-anthropic.h"
#include "core/rules-rows.h"

/* A row is a line. */
/* clang-format off */

#define TYPE PASS("type", STRING)
/* Every block may be marked as the end of what is cached. */
#define CACHE NESTED("cache_control", OBJECT | NUL, anthropic_cache_control_fields)
#define OUTSIDE "Points to something outside of the request."

TABLE(static, source_fields, REFUSE,
      TYPE,
      PASS("media_type", STRING),
      PASS("data", STRING),
      KINDS("content", STRING | ARRAY, anthropic_blocks, IN_SOURCE),
      REFUSE("url", MEDIA, OUTSIDE),
      REFUSE("file_id", MEDIA, OUTSIDE));

VARIANTS(static, sources, "source", MEDIA, NULL,
	 KIND("base64", HERE, source_fields),
	 KIND("text", HERE, source_fields),
	 KIND("content", HERE, source_fields),
	 KIND_REFUSED("url", MEDIA, "The service would fetch it."),
	 KIND_REFUSED("file", MEDIA, "Stored at the service."));

TABLE(static, citation_fields, REFUSE,
      TYPE,
      PASS("cited_text", STRING),
      PASS("document_index", INTEGER),
      PASS("document_title", STRING | NUL),
      PASS("search_result_index", INTEGER),
      PASS("source", STRING),
      PASS("title", STRING | NUL),
      PASS("start_char_index", INTEGER),
      PASS("end_char_index", INTEGER),
      PASS("start_page_number", INTEGER),
      PASS("end_page_number", INTEGER),
      PASS("start_block_index", INTEGER),
      PASS("end_block_index", INTEGER),
      PASS("encrypted_index", STRING),
      CHECK("url", STRING | NUL, CHECK_CITATION_URL,
	    "Refused unless a search or fetch at the service is allowed, which makes such citations."),
      REFUSE("file_id", MEDIA, OUTSIDE));

TABLE(static, caller_fields, REFUSE,
      TYPE,
      PASS("tool_id", STRING));

TABLE(static, tool_change_fields, REFUSE,
      TYPE,
      PASS("name", STRING),
      REFUSE("server_name", MCP, "A tool of somebody else's program."));

/* Only the name of a tool that `tools` has. */
VARIANTS(static, tool_changes, "changed tool", TOOL_TYPE, NULL,
	 KIND("tool_reference", HERE, tool_change_fields),
	 KIND_REFUSED("mcp_tool_reference", MCP, "A tool of somebody else's program."),
	 KIND_REFUSED("mcp_toolset_reference", MCP, "Tools of somebody else's program."));

#define CALLER CHECK("caller", OBJECT | NUL, CHECK_CALLER, \
		     "Only the model itself (direct) unless a tool of the service is allowed, " \
		     "whose code may call.", .object = &caller_fields)

TABLE(static, text_fields, REFUSE,
      TYPE, CACHE,
      PASS("text", STRING),
      NESTED("citations", ARRAY | NUL, citation_fields));

TABLE(static, image_fields, REFUSE,
      TYPE, CACHE,
      KINDS("source", OBJECT, sources, HERE),
      PASS("transformations", OBJECT | NUL),
      REFUSE("file_id", MEDIA, OUTSIDE),
      REFUSE("url", MEDIA, OUTSIDE),
      REFUSE("image_url", MEDIA, OUTSIDE));

TABLE(static, document_fields, REFUSE,
      TYPE, CACHE,
      KINDS("source", OBJECT, sources, HERE),
      PASS("title", STRING | NUL),
      PASS("context", STRING | NUL),
      PASS("citations", OBJECT | NUL),
      REFUSE("file_id", MEDIA, OUTSIDE),
      REFUSE("url", MEDIA, OUTSIDE));

TABLE(static, search_result_fields, REFUSE,
      TYPE, CACHE,
      PASS("source", STRING, .why = "A label for people, which nobody fetches."),
      PASS("title", STRING),
      KINDS("content", ARRAY, anthropic_blocks, IN_SEARCH_RESULT),
      PASS("citations", OBJECT | NUL));

TABLE(static, thinking_block_fields, REFUSE,
      TYPE,
      PASS("thinking", STRING),
      PASS("signature", STRING));

TABLE(static, redacted_thinking_fields, REFUSE,
      TYPE,
      PASS("data", STRING));

TABLE(static, tool_use_fields, REFUSE,
      TYPE, CACHE,
      PASS("id", STRING),
      PASS("name", STRING),
      PASS("input", ANY, .why = "What the model gave the agent: data, whatever its keys are called."),
      PASS("toolset_name", STRING | NUL),
      CALLER);

TABLE(static, tool_result_fields, REFUSE,
      TYPE, CACHE,
      PASS("tool_use_id", STRING),
      PASS("is_error", BOOL | NUL),
      PASS("toolset_name", STRING | NUL),
      KINDS("content", STRING | ARRAY | NUL, anthropic_blocks, IN_TOOL_RESULT));

TABLE(static, tool_reference_fields, REFUSE,
      TYPE, CACHE,
      PASS("tool_name", STRING));

TABLE(static, browser_state_fields, REFUSE,
      TYPE, CACHE,
      PASS("tabs", ARRAY,
	   .why = "Their url tells what the agent's own browser shows; nobody fetches it."),
      PASS("state_changes", ARRAY | NUL));

TABLE(static, tool_change_block_fields, REFUSE,
      TYPE, CACHE,
      KINDS("tool", OBJECT, tool_changes, HERE));

TABLE(static, server_result_fields, REFUSE,
      TYPE, CACHE,
      PASS("tool_use_id", STRING),
      CHECK("content", OBJECT | ARRAY, CHECK_SERVER_RESULT,
	    "May have any shape, but neither a file id nor media outside of the request."),
      CALLER);

#define ANY_SERVER_TOOL \
	(SERVER_TOOL_WEB_SEARCH | SERVER_TOOL_WEB_FETCH | SERVER_TOOL_CODE_EXECUTION)
#define ANY_PLACE \
	(IN_MESSAGE | IN_SYSTEM | IN_TOOL_RESULT | IN_SOURCE | IN_SEARCH_RESULT)
#define MADE_BY_TOOL "Made by a tool at the service."
/* Newer searches and fetches filter what they found by running code. */
#define MADE_BY_CODE "Made by code that a tool at the service ran."

VARIANTS(, anthropic_blocks, "content block", BLOCK, NULL,
	 KIND("text", ANY_PLACE, text_fields),
	 KIND("tool_use", IN_MESSAGE, tool_use_fields),
	 KIND("tool_result", IN_MESSAGE, tool_result_fields),
	 KIND("thinking", IN_MESSAGE, thinking_block_fields),
	 KIND("redacted_thinking", IN_MESSAGE, redacted_thinking_fields),
	 KIND("image", IN_MESSAGE | IN_TOOL_RESULT | IN_SOURCE, image_fields),
	 KIND("document", IN_MESSAGE | IN_TOOL_RESULT, document_fields),
	 KIND("search_result", IN_MESSAGE | IN_TOOL_RESULT, search_result_fields),
	 KIND("tool_reference", IN_TOOL_RESULT, tool_reference_fields),
	 KIND("browser_state", IN_TOOL_RESULT, browser_state_fields),
	 KIND("tool_addition", IN_MESSAGE, tool_change_block_fields,
	      .beta = BETA_BIT(BETA_MID_CONVERSATION_TOOL_CHANGES)),
	 KIND("tool_removal", IN_MESSAGE, tool_change_block_fields,
	      .beta = BETA_BIT(BETA_MID_CONVERSATION_TOOL_CHANGES)),
	 KIND_OF_SERVER("server_tool_use", IN_MESSAGE, ANY_SERVER_TOOL, tool_use_fields,
			"A call of a tool at the service."),
	 KIND_OF_SERVER("web_search_tool_result", IN_MESSAGE, SERVER_TOOL_WEB_SEARCH,
			server_result_fields, MADE_BY_TOOL),
	 KIND_OF_SERVER("web_fetch_tool_result", IN_MESSAGE, SERVER_TOOL_WEB_FETCH,
			server_result_fields, MADE_BY_TOOL),
	 KIND_OF_SERVER("code_execution_tool_result", IN_MESSAGE, ANY_SERVER_TOOL,
			server_result_fields, MADE_BY_CODE),
	 KIND_OF_SERVER("bash_code_execution_tool_result", IN_MESSAGE, ANY_SERVER_TOOL,
			server_result_fields, MADE_BY_CODE),
	 KIND_OF_SERVER("text_editor_code_execution_tool_result", IN_MESSAGE, ANY_SERVER_TOOL,
			server_result_fields, MADE_BY_CODE),
	 KIND_REFUSED("tool_search_tool_result", SERVER_TOOL, MADE_BY_TOOL),
	 KIND_REFUSED("advisor_tool_result", SERVER_TOOL, "What another model at the service said."),
	 KIND_REFUSED("mcp_tool_use", MCP, "A call of somebody else's program by the service."),
	 KIND_REFUSED("mcp_tool_result", MCP, "Made by somebody else's program."),
	 KIND_REFUSED("container_upload", MEDIA, "A file that is stored at the service."),
	 KIND_REFUSED("compaction", STORED_STATE,
		      "What the service made of an earlier conversation."),
	 KIND_REFUSED("fallback", STORED_STATE, "Comes from another model."));

/* clang-format on */
