/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Per object of a request: which fields it may have.  rules.h says how to read
 * a row.
 */
#include "core/policy.h"
#include "core/rules-anthropic.h"

/* A row is a line. */
/* clang-format off */

#define NUL RULE_NULL
#define BOOL RULE_BOOL
#define INTEGER RULE_INTEGER
#define NUMBER (RULE_INTEGER | RULE_REAL)
#define STRING RULE_STRING
#define ARRAY RULE_ARRAY
#define OBJECT RULE_OBJECT
#define ANY RULE_ANY

#define PASS(name_, types_) { .name = name_, .action = RULE_PASS, .types = types_ }
#define CHECK(name_, types_, check_) \
	{ .name = name_, .action = RULE_CHECK, .types = types_, .check = CHECK_##check_ }
#define CHECK_BETA(name_, types_, check_, beta_)                                         \
	{ .name = name_, .action = RULE_CHECK, .types = types_, .check = CHECK_##check_, \
	  .beta = BETA_BIT(BETA_##beta_) }
#define PASS_BETA(name_, types_, beta_)                       \
	{ .name = name_, .action = RULE_PASS, .types = types_, \
	  .beta = BETA_BIT(BETA_##beta_) }
#define DROP(name_) { .name = name_, .action = RULE_DROP }
#define REFUSE(name_, reason_) \
	{ .name = name_, .action = RULE_REFUSE, .reason = REASON_RULE_##reason_ }

#define TABLE_AS(storage_, name_, unknown_, ...)                                 \
	static const struct rule_field name_##_rows[] = { __VA_ARGS__ };         \
	storage_ const struct rule_table anthropic_##name_ = {                   \
		.fields = name_##_rows,                                          \
		.n_fields = sizeof(name_##_rows) / sizeof(*name_##_rows),        \
		.unknown = RULE_##unknown_,                                      \
	}
#define TABLE(name_, unknown_, ...) TABLE_AS(, name_, unknown_, __VA_ARGS__)
#define BLOCK(name_, ...) TABLE_AS(static, name_, REFUSE, __VA_ARGS__)

/* Every block may be marked as the end of what is cached. */
#define TYPE PASS("type", STRING)
#define CACHE CHECK("cache_control", OBJECT | NUL, CACHE_CONTROL)

/* What both endpoints take. */
#define BODY                                                                             \
	CHECK("model", STRING, OUTPUT), CHECK("messages", ARRAY, MESSAGES),              \
	CHECK("system", STRING | ARRAY, SYSTEM), CHECK("tools", ARRAY, TOOLS),           \
	CHECK("tool_choice", OBJECT, TOOL_CHOICE), CHECK("thinking", OBJECT, OUTPUT),    \
	CACHE, CHECK("output_config", OBJECT | NUL, OUTPUT_CONFIG),                      \
	CHECK_BETA("context_management", OBJECT | NUL, CONTEXT_MANAGEMENT,               \
		   CONTEXT_MANAGEMENT),                                                  \
	/* Other people's programs, reached by the service. */                           \
	REFUSE("mcp_servers", MCP),                                                      \
	/* Whose usage it is, as seen from the operator's account. */                    \
	REFUSE("user_profile_id", STORED_STATE),                                         \
	/* Another price; its beta flag is dropped.  Dropped, it is `standard`. */       \
	DROP("speed"),                                                                   \
	/* What output_config.format was called under a beta flag that is dropped. */    \
	DROP("output_format")

TABLE(messages_fields, REFUSE,
      BODY,
      CHECK("max_tokens", INTEGER, OUTPUT),
      PASS("stream", BOOL),
      PASS("stop_sequences", ARRAY),
      CHECK("temperature", NUMBER, OUTPUT),
      CHECK("top_p", NUMBER, OUTPUT),
      CHECK("top_k", INTEGER, OUTPUT),
      /* user_id holds the ids of the operator's device and account. */
      DROP("metadata"),
      CHECK("service_tier", STRING, SERVICE_TIER),
      REFUSE("container", CONTAINER),
      REFUSE("inference_geo", STORED_STATE),
      /* Other models and lengths, and an earlier answer, each under a beta
       * flag that is dropped.  Dropped, the pinned model answers. */
      DROP("fallbacks"),
      DROP("fallback_credit_token"),
      DROP("diagnostics"));

TABLE(count_tokens_fields, REFUSE, BODY);

TABLE(message_fields, REFUSE,
      CHECK("role", STRING, ROLE),
      CHECK("content", STRING | ARRAY, CONTENT),
      /* Of per-turn-control, which is dropped. */
      DROP("output_config"));

TABLE(source_fields, REFUSE,
      TYPE,
      PASS("media_type", STRING),
      PASS("data", STRING),
      CHECK("content", STRING | ARRAY, SOURCE_CONTENT),
      REFUSE("url", MEDIA),
      REFUSE("file_id", MEDIA));

/* Where an earlier answer was taken from. */
TABLE(citation_fields, REFUSE,
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
      CHECK("url", STRING | NUL, CITATION_URL),
      REFUSE("file_id", MEDIA));

/* New hints to a tool appear with most releases of the clients.  Without a row
 * they are left out: that costs the hint, a refusal would cost the agent. */
TABLE(client_tool_fields, DROP,
      PASS("type", STRING | NUL),
      PASS("name", STRING),
      PASS("description", STRING | NUL),
      /* A JSON schema: data of the agent, whatever its keys are called. */
      PASS("input_schema", OBJECT),
      PASS("input_examples", ARRAY | NUL),
      PASS("strict", BOOL | NUL),
      PASS("defer_loading", BOOL | NUL),
      PASS("eager_input_streaming", BOOL | NUL),
      CHECK("allowed_callers", ARRAY | NUL, CALLERS),
      PASS("max_characters", INTEGER | NUL),
      PASS("display_width_px", INTEGER),
      PASS("display_height_px", INTEGER),
      PASS("display_number", INTEGER | NUL),
      PASS("enable_zoom", BOOL | NUL),
      PASS("configs", OBJECT | NUL),
      CACHE);

/* Only where the policy allows the tool. */
TABLE(server_tool_fields, REFUSE,
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
      CHECK("allowed_callers", ARRAY | NUL, CALLERS),
      CACHE);

TABLE(tool_choice_fields, REFUSE,
      TYPE,
      PASS("name", STRING),
      PASS("disable_parallel_tool_use", BOOL | NUL));

TABLE(tool_change_fields, REFUSE,
      TYPE,
      PASS("name", STRING),
      REFUSE("server_name", MCP));

TABLE(caller_fields, REFUSE,
      TYPE,
      PASS("tool_id", STRING));

TABLE(thinking_fields, REFUSE,
      TYPE,
      PASS("budget_tokens", INTEGER),
      CHECK("display", STRING | NUL, DISPLAY));

TABLE(output_config_fields, REFUSE,
      PASS("effort", STRING | NUL),
      PASS("format", OBJECT | NUL),
      /* Of a beta flag that is dropped. */
      DROP("task_budget"));

TABLE(context_management_fields, REFUSE,
      CHECK("edits", ARRAY, EDITS));

TABLE(edit_fields, REFUSE,
      TYPE,
      PASS("keep", STRING | OBJECT),
      PASS("trigger", OBJECT | NUL),
      PASS("clear_at_least", OBJECT | NUL),
      PASS("clear_tool_inputs", BOOL | ARRAY | NUL),
      PASS("exclude_tools", ARRAY | NUL));

TABLE(cache_control_fields, REFUSE,
      TYPE,
      PASS("ttl", STRING | NUL),
      PASS_BETA("scope", STRING | NUL, PROMPT_CACHING_SCOPE));

/* Content blocks. */

BLOCK(text_fields,
      TYPE, CACHE,
      PASS("text", STRING),
      CHECK("citations", ARRAY | NUL, CITATIONS));

BLOCK(image_fields,
      TYPE, CACHE,
      CHECK("source", OBJECT, SOURCE),
      PASS("transformations", OBJECT | NUL),
      REFUSE("file_id", MEDIA),
      REFUSE("url", MEDIA),
      REFUSE("image_url", MEDIA));

BLOCK(document_fields,
      TYPE, CACHE,
      CHECK("source", OBJECT, SOURCE),
      PASS("title", STRING | NUL),
      PASS("context", STRING | NUL),
      PASS("citations", OBJECT | NUL),
      REFUSE("file_id", MEDIA),
      REFUSE("url", MEDIA));

BLOCK(search_result_fields,
      TYPE, CACHE,
      /* A label for people, which nobody fetches. */
      PASS("source", STRING),
      PASS("title", STRING),
      CHECK("content", ARRAY, SEARCH_CONTENT),
      PASS("citations", OBJECT | NUL));

BLOCK(thinking_block_fields,
      TYPE,
      PASS("thinking", STRING),
      PASS("signature", STRING));

BLOCK(redacted_thinking_fields,
      TYPE,
      PASS("data", STRING));

BLOCK(tool_use_fields,
      TYPE, CACHE,
      PASS("id", STRING),
      PASS("name", STRING),
      /* What the model gave the agent: data, whatever its keys are called. */
      PASS("input", ANY),
      PASS("toolset_name", STRING | NUL),
      CHECK("caller", OBJECT | NUL, CALLER));

BLOCK(tool_result_fields,
      TYPE, CACHE,
      PASS("tool_use_id", STRING),
      PASS("is_error", BOOL | NUL),
      PASS("toolset_name", STRING | NUL),
      CHECK("content", STRING | ARRAY | NUL, RESULT_CONTENT));

BLOCK(tool_reference_fields,
      TYPE, CACHE,
      PASS("tool_name", STRING));

BLOCK(browser_state_fields,
      TYPE, CACHE,
      /* Their `url` tells what the agent's browser shows; nobody fetches it. */
      PASS("tabs", ARRAY),
      PASS("state_changes", ARRAY | NUL));

BLOCK(tool_change_block_fields,
      TYPE, CACHE,
      CHECK("tool", OBJECT, TOOL_CHANGE));

/* Only where the policy allows a tool that makes them. */
BLOCK(server_result_fields,
      TYPE, CACHE,
      PASS("tool_use_id", STRING),
      CHECK("content", OBJECT | ARRAY, SERVER_RESULT),
      CHECK("caller", OBJECT | NUL, CALLER));

#define CLIENT(type_, places_, fields_) \
	{ .type = type_, .places = places_, .fields = &anthropic_##fields_ }
#define SERVER(type_, places_, tools_, fields_)                \
	{ .type = type_, .places = places_,                    \
	  .reason = REASON_RULE_SERVER_TOOL, .server_tools = tools_, \
	  .fields = &anthropic_##fields_ }
#define REFUSED(type_, reason_) \
	{ .type = type_, .reason = REASON_RULE_##reason_ }
#define BY_BETA(type_, places_, beta_, fields_)                          \
	{ .type = type_, .places = places_, .beta = BETA_BIT(BETA_##beta_), \
	  .fields = &anthropic_##fields_ }

#define ANY_SERVER_TOOL \
	(SERVER_TOOL_WEB_SEARCH | SERVER_TOOL_WEB_FETCH | SERVER_TOOL_CODE_EXECUTION)
#define ANY_PLACE \
	(IN_MESSAGE | IN_SYSTEM | IN_TOOL_RESULT | IN_SOURCE | IN_SEARCH_RESULT)

static const struct rule_variant blocks[] = {
	CLIENT("text", ANY_PLACE, text_fields),
	CLIENT("tool_use", IN_MESSAGE, tool_use_fields),
	CLIENT("tool_result", IN_MESSAGE, tool_result_fields),
	CLIENT("thinking", IN_MESSAGE, thinking_block_fields),
	CLIENT("redacted_thinking", IN_MESSAGE, redacted_thinking_fields),
	CLIENT("image", IN_MESSAGE | IN_TOOL_RESULT | IN_SOURCE, image_fields),
	CLIENT("document", IN_MESSAGE | IN_TOOL_RESULT, document_fields),
	CLIENT("search_result", IN_MESSAGE | IN_TOOL_RESULT, search_result_fields),
	CLIENT("tool_reference", IN_TOOL_RESULT, tool_reference_fields),
	CLIENT("browser_state", IN_TOOL_RESULT, browser_state_fields),
	BY_BETA("tool_addition", IN_MESSAGE, MID_CONVERSATION_TOOL_CHANGES,
		tool_change_block_fields),
	BY_BETA("tool_removal", IN_MESSAGE, MID_CONVERSATION_TOOL_CHANGES,
		tool_change_block_fields),
	SERVER("server_tool_use", IN_MESSAGE, ANY_SERVER_TOOL, tool_use_fields),
	SERVER("web_search_tool_result", IN_MESSAGE, SERVER_TOOL_WEB_SEARCH, server_result_fields),
	SERVER("web_fetch_tool_result", IN_MESSAGE, SERVER_TOOL_WEB_FETCH, server_result_fields),
	/* Newer searches and fetches filter what they found by running code. */
	SERVER("code_execution_tool_result", IN_MESSAGE, ANY_SERVER_TOOL, server_result_fields),
	SERVER("bash_code_execution_tool_result", IN_MESSAGE, ANY_SERVER_TOOL, server_result_fields),
	SERVER("text_editor_code_execution_tool_result", IN_MESSAGE, ANY_SERVER_TOOL,
	       server_result_fields),
	REFUSED("tool_search_tool_result", SERVER_TOOL),
	REFUSED("advisor_tool_result", SERVER_TOOL),
	REFUSED("mcp_tool_use", MCP),
	REFUSED("mcp_tool_result", MCP),
	REFUSED("container_upload", MEDIA),
	/* What the service made of an earlier conversation, and by which model. */
	REFUSED("compaction", STORED_STATE),
	REFUSED("fallback", STORED_STATE),
};

const struct rule_variants anthropic_blocks = {
	.rows = blocks,
	.n_rows = sizeof(blocks) / sizeof(*blocks),
	.unknown = REASON_RULE_BLOCK,
};

static const struct rule_variant tools[] = {
	/* The agent runs these. */
	CLIENT("custom", IN_TOOLS, client_tool_fields),
	CLIENT("bash_20241022", IN_TOOLS, client_tool_fields),
	CLIENT("bash_20250124", IN_TOOLS, client_tool_fields),
	CLIENT("text_editor_20241022", IN_TOOLS, client_tool_fields),
	CLIENT("text_editor_20250124", IN_TOOLS, client_tool_fields),
	CLIENT("text_editor_20250429", IN_TOOLS, client_tool_fields),
	CLIENT("text_editor_20250728", IN_TOOLS, client_tool_fields),
	CLIENT("computer_20241022", IN_TOOLS, client_tool_fields),
	CLIENT("computer_20250124", IN_TOOLS, client_tool_fields),
	CLIENT("computer_20251124", IN_TOOLS, client_tool_fields),
	CLIENT("memory_20250818", IN_TOOLS, client_tool_fields),
	CLIENT("computer_toolset_20260801", IN_TOOLS, client_tool_fields),
	CLIENT("browser_toolset_20260801", IN_TOOLS, client_tool_fields),
	/* The service runs these. */
	SERVER("web_search_20250305", IN_TOOLS, SERVER_TOOL_WEB_SEARCH, server_tool_fields),
	SERVER("web_search_20260209", IN_TOOLS, SERVER_TOOL_WEB_SEARCH, server_tool_fields),
	SERVER("web_search_20260318", IN_TOOLS, SERVER_TOOL_WEB_SEARCH, server_tool_fields),
	SERVER("web_fetch_20250910", IN_TOOLS, SERVER_TOOL_WEB_FETCH, server_tool_fields),
	SERVER("web_fetch_20260209", IN_TOOLS, SERVER_TOOL_WEB_FETCH, server_tool_fields),
	SERVER("web_fetch_20260309", IN_TOOLS, SERVER_TOOL_WEB_FETCH, server_tool_fields),
	SERVER("web_fetch_20260318", IN_TOOLS, SERVER_TOOL_WEB_FETCH, server_tool_fields),
	SERVER("code_execution_20250522", IN_TOOLS, SERVER_TOOL_CODE_EXECUTION, server_tool_fields),
	SERVER("code_execution_20250825", IN_TOOLS, SERVER_TOOL_CODE_EXECUTION, server_tool_fields),
	SERVER("code_execution_20260120", IN_TOOLS, SERVER_TOOL_CODE_EXECUTION, server_tool_fields),
	SERVER("code_execution_20260521", IN_TOOLS, SERVER_TOOL_CODE_EXECUTION, server_tool_fields),
	/* Names a model and an output length of its own. */
	REFUSED("advisor_20260301", SERVER_TOOL),
	REFUSED("tool_search_tool_regex", SERVER_TOOL),
	REFUSED("tool_search_tool_regex_20251119", SERVER_TOOL),
	REFUSED("tool_search_tool_bm25", SERVER_TOOL),
	REFUSED("tool_search_tool_bm25_20251119", SERVER_TOOL),
	REFUSED("mcp_toolset", MCP),
};

const struct rule_variants anthropic_tools = {
	.rows = tools,
	.n_rows = sizeof(tools) / sizeof(*tools),
	.unknown = REASON_RULE_TOOL_TYPE,
	.absent = "custom",
};

/* clang-format on */
