/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tools of a Messages request.  rules.h says how to read a row. */
#include "core/policy.h"
#include "core/rules-anthropic.h"
#include "core/rules-rows.h"

/* A row is a line. */
/* clang-format off */

#define TYPE PASS("type", STRING)
#define CACHE NESTED("cache_control", OBJECT | NUL, anthropic_cache_control_fields)
#define CALLERS CHECK("allowed_callers", ARRAY | NUL, CHECK_CALLERS, \
		      "Only the model itself (direct) unless code execution at the service is allowed.")

/* New hints to a tool appear with most releases of the clients.  Without a row
 * they are left out: that costs the hint, a refusal would cost the agent. */
TABLE(static, client_tool_fields, DROP,
      PASS("type", STRING | NUL),
      PASS("name", STRING),
      PASS("description", STRING | NUL),
      PASS("input_schema", OBJECT, .why = "A JSON schema: data, whatever its keys are called."),
      PASS("input_examples", ARRAY | NUL),
      PASS("strict", BOOL | NUL),
      PASS("defer_loading", BOOL | NUL),
      PASS("eager_input_streaming", BOOL | NUL),
      CALLERS,
      PASS("max_characters", INTEGER | NUL),
      PASS("display_width_px", INTEGER),
      PASS("display_height_px", INTEGER),
      PASS("display_number", INTEGER | NUL),
      PASS("enable_zoom", BOOL | NUL),
      PASS("configs", OBJECT | NUL),
      CACHE);

TABLE(static, server_tool_fields, REFUSE,
      TYPE,
      PASS("name", STRING),
      PASS("max_uses", INTEGER | NUL),
      PASS("allowed_domains", ARRAY | NUL),
      PASS("blocked_domains", ARRAY | NUL),
      PASS("user_location", OBJECT | NUL),
      PASS("max_content_tokens", INTEGER | NUL),
      PASS("citations", OBJECT | NUL),
      PASS("use_cache", BOOL | NUL),
      PASS("response_inclusion", STRING | NUL),
      PASS("strict", BOOL | NUL),
      PASS("defer_loading", BOOL | NUL),
      CALLERS,
      CACHE);

#define CLIENT(type_) KIND(type_, HERE, client_tool_fields)
#define SEARCH(type_) KIND_OF_SERVER(type_, HERE, SERVER_TOOL_WEB_SEARCH, server_tool_fields, \
				     "Searches the web from the service.")
#define FETCH(type_) KIND_OF_SERVER(type_, HERE, SERVER_TOOL_WEB_FETCH, server_tool_fields, \
				    "Fetches what the model names from the service.")
#define CODE(type_) KIND_OF_SERVER(type_, HERE, SERVER_TOOL_CODE_EXECUTION, server_tool_fields, \
				   "Runs code in a container at the service.")
#define TOOL_SEARCH(type_) KIND_REFUSED(type_, SERVER_TOOL, "Runs at the service.")

VARIANTS(, anthropic_tools, "tool", TOOL_TYPE, "custom",
	 /* The agent runs these. */
	 CLIENT("custom"),
	 CLIENT("bash_20241022"),
	 CLIENT("bash_20250124"),
	 CLIENT("text_editor_20241022"),
	 CLIENT("text_editor_20250124"),
	 CLIENT("text_editor_20250429"),
	 CLIENT("text_editor_20250728"),
	 CLIENT("computer_20241022"),
	 CLIENT("computer_20250124"),
	 CLIENT("computer_20251124"),
	 CLIENT("memory_20250818"),
	 CLIENT("computer_toolset_20260801"),
	 CLIENT("browser_toolset_20260801"),
	 /* The service runs these. */
	 SEARCH("web_search_20250305"),
	 SEARCH("web_search_20260209"),
	 SEARCH("web_search_20260318"),
	 FETCH("web_fetch_20250910"),
	 FETCH("web_fetch_20260209"),
	 FETCH("web_fetch_20260309"),
	 FETCH("web_fetch_20260318"),
	 CODE("code_execution_20250522"),
	 CODE("code_execution_20250825"),
	 CODE("code_execution_20260120"),
	 CODE("code_execution_20260521"),
	 TOOL_SEARCH("tool_search_tool_regex"),
	 TOOL_SEARCH("tool_search_tool_regex_20251119"),
	 TOOL_SEARCH("tool_search_tool_bm25"),
	 TOOL_SEARCH("tool_search_tool_bm25_20251119"),
	 KIND_REFUSED("advisor_20260301", SERVER_TOOL, "Names a model and an output length of its own."),
	 KIND_REFUSED("mcp_toolset", MCP, "Other people's programs, reached by the service."));

/* clang-format on */
