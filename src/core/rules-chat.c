/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chat Completions, of OpenAI and of the many services that speak it.  rules.h says
 * how to read a row.
 */
#include "core/policy.h"
#include "core/rules-openai.h"
#include "core/rules-rows.h"

/* A row is a line. */
/* clang-format off */

#define TYPE PASS("type", STRING)
#define NO_FILES                                                    \
	REFUSE("file_id", MEDIA, "A file of the operator's account."), \
	REFUSE("file_url", MEDIA, "The service would fetch it.")
#define CACHE \
	NESTED("prompt_cache_breakpoint", OBJECT | NUL, openai_cache_breakpoint_fields), \
	NESTED("cache_control", OBJECT | NUL, cache_control_fields)

TABLE(static, cache_control_fields, DROP,
      TYPE,
      PASS("ttl", STRING | NUL));

/* Parts of content. */

TABLE(static, text_fields, DROP,
      TYPE, NO_FILES, CACHE,
      PASS("text", STRING));

TABLE(static, refusal_fields, DROP,
      TYPE, NO_FILES,
      PASS("refusal", STRING));

TABLE(static, image_url_fields, DROP,
      NO_FILES,
      CHECK("url", STRING, OPENAI_DATA_URL, "It must hold the image itself (data:)."),
      PASS("detail", STRING | NUL));

TABLE(static, image_fields, DROP,
      TYPE, NO_FILES, CACHE,
      CHECK("image_url", OBJECT | STRING, OPENAI_DATA_URL, "It must hold the image itself (data:).",
	    .object = &image_url_fields));

TABLE(static, audio_data_fields, DROP,
      NO_FILES,
      CHECK("data", STRING, OPENAI_INLINE_DATA, "It must hold the sound itself."),
      PASS("format", STRING));

TABLE(static, audio_fields, DROP,
      TYPE, NO_FILES, CACHE,
      NESTED("input_audio", OBJECT, audio_data_fields));

TABLE(static, file_data_fields, DROP,
      NO_FILES,
      CHECK("file_data", STRING | NUL, OPENAI_INLINE_DATA, "It must hold the file itself."),
      PASS("filename", STRING | NUL));

TABLE(static, file_fields, DROP,
      TYPE, NO_FILES, CACHE,
      NESTED("file", OBJECT, file_data_fields));

VARIANTS(, chat_parts, "content part", BLOCK, NULL,
      KIND("text", HERE, text_fields),
      KIND("refusal", HERE, refusal_fields),
      KIND("image_url", HERE, image_fields),
      KIND("input_audio", HERE, audio_fields),
      KIND("file", HERE, file_fields));

/* Tools. */

TABLE(static, definition_fields, DROP,
      PASS("name", STRING),
      PASS("description", STRING | NUL),
      /* A JSON schema: data of the agent, whatever its keys are called. */
      PASS("parameters", OBJECT | NUL),
      PASS("strict", BOOL | NUL));

TABLE(static, function_tool_fields, DROP,
      TYPE, CACHE,
      NESTED("function", OBJECT, definition_fields));

TABLE(static, grammar_fields, DROP,
      PASS("syntax", STRING),
      PASS("definition", STRING));

TABLE(static, format_fields, DROP,
      TYPE,
      NESTED("grammar", OBJECT, grammar_fields));

TABLE(static, custom_definition_fields, DROP,
      PASS("name", STRING),
      PASS("description", STRING | NUL),
      NESTED("format", OBJECT | NUL, format_fields));

TABLE(static, custom_tool_fields, DROP,
      TYPE, CACHE,
      NESTED("custom", OBJECT, custom_definition_fields));

#define SERVICE_RUNS "A tool that some services run."

VARIANTS(, chat_tools, "tool", TOOL_TYPE, NULL,
      KIND("function", HERE, function_tool_fields),
      KIND("custom", HERE, custom_tool_fields),
      /* What compatible services run; no operator can allow them. */
      KIND_REFUSED("builtin_function", SERVER_TOOL, SERVICE_RUNS),
      KIND_REFUSED("web_search", SERVER_TOOL, SERVICE_RUNS),
      KIND_REFUSED("browser_search", SERVER_TOOL, SERVICE_RUNS),
      KIND_REFUSED("code_interpreter", SERVER_TOOL, SERVICE_RUNS),
      KIND_REFUSED("file_search", SERVER_TOOL, SERVICE_RUNS),
      KIND_REFUSED("retrieval", SERVER_TOOL, SERVICE_RUNS),
      KIND_REFUSED("mcp", MCP, "The service calls other people's programs."));

TABLE(static, named_fields, DROP,
      PASS("name", STRING));

TABLE(static, choice_fields, DROP,
      TYPE,
      NESTED("function", OBJECT, named_fields),
      NESTED("custom", OBJECT, named_fields));

TABLE(static, allowed_fields, DROP,
      PASS("mode", STRING),
      KINDS("tools", ARRAY, chat_tool_choices, IN_NAMESPACE));

TABLE(static, allowed_tools_fields, DROP,
      TYPE,
      NESTED("allowed_tools", OBJECT, allowed_fields));

VARIANTS(, chat_tool_choices, "tool choice", TOOL_TYPE, NULL,
      KIND("function", IN_TOOL_LIST | IN_NAMESPACE, choice_fields),
      KIND("custom", IN_TOOL_LIST | IN_NAMESPACE, choice_fields),
      KIND("allowed_tools", IN_TOOL_LIST, allowed_tools_fields));

/* Messages. */

TABLE(static, call_fields, DROP,
      PASS("name", STRING),
      /* What the model gave the agent, as text. */
      PASS("arguments", STRING),
      PASS("input", STRING));

/* The index of a streamed call, which some clients send back, is left out. */
TABLE(static, tool_call_fields, DROP,
      TYPE,
      PASS("id", STRING | NUL),
      NESTED("function", OBJECT, call_fields),
      NESTED("custom", OBJECT, call_fields),
      /* What Google's models want to see again. */
      PASS("extra_content", OBJECT | NUL));

VARIANTS(static, chat_tool_calls, "tool call", TOOL_TYPE, "function",
      KIND("function", HERE, tool_call_fields),
      KIND("custom", HERE, tool_call_fields));

TABLE(static, message_fields, DROP,
      NEEDED("role", STRING, "system|developer|user|assistant|tool|function", FIELD, NULL),
      KINDS("content", STRING | ARRAY | NUL, chat_parts, HERE),
      PASS("name", STRING | NUL),
      PASS("refusal", STRING | NUL),
      KINDS("tool_calls", ARRAY | NUL, chat_tool_calls, HERE),
      PASS("tool_call_id", STRING | NUL),
      NESTED("function_call", OBJECT | NUL, call_fields),
      NESTED("cache_control", OBJECT | NUL, cache_control_fields),
      /* The reasoning of an earlier answer, which several services want to see again. */
      PASS("reasoning_content", STRING | NUL),
      PASS("reasoning", STRING | NUL),
      PASS("reasoning_details", ARRAY | NUL),
      NO_FILES,
      REFUSE("audio", STORED_STATE, "An earlier answer that is kept at the service."));

/* The body. */

TABLE(static, function_call_fields, DROP,
      PASS("name", STRING));

TABLE(static, thinking_fields, DROP,
      TYPE);

TABLE(static, template_fields, DROP,
      PASS("enable_thinking", BOOL | NUL),
      PASS("thinking", BOOL | NUL));

#define LENGTH "At most the output length of the policy, which is also set where it is missing."

TABLE(, chat_fields, DROP,
      CHECK("model", STRING, OPENAI_OUTPUT, OPENAI_MODEL),
      NESTED("messages", ARRAY, message_fields),
      CLAMP("max_tokens", INTEGER | NUL, OPENAI_OUTPUT, LENGTH "  OpenAI's own service gets it as max_completion_tokens."),
      CLAMP("max_completion_tokens", INTEGER | NUL, OPENAI_OUTPUT, LENGTH),
      PASS("stream", BOOL | NUL),
      NESTED("stream_options", OBJECT | NUL, openai_stream_options_fields),
      SET("store", BOOL | NUL, "False, at services other than OpenAI's where the agent names it: an answer that is kept can be read again with the operator's key."),

      KINDS("tools", ARRAY | NUL, chat_tools, HERE),
      { .name = "tool_choice", .action = RULE_PASS, .types = STRING | OBJECT | NUL,
	.words = "none|auto|required|any", .reason = REASON_RULE_TOOL_TYPE,
	.kinds = &chat_tool_choices, .places = IN_TOOL_LIST },
      PASS("parallel_tool_calls", BOOL | NUL),
      /* What tools were called before: functions of the agent, as today's are. */
      NESTED("functions", ARRAY | NUL, definition_fields),
      { .name = "function_call", .action = RULE_PASS, .types = STRING | OBJECT | NUL,
	.words = "none|auto", .reason = REASON_RULE_TOOL_TYPE, .object = &function_call_fields },

      CHECK("temperature", NUMBER | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      CHECK("top_p", NUMBER | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      CHECK("frequency_penalty", NUMBER | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      CHECK("presence_penalty", NUMBER | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      CHECK("logit_bias", OBJECT | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      CHECK("logprobs", BOOL | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      CHECK("top_logprobs", INTEGER | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      PASS("seed", INTEGER | NUL),
      PASS("stop", STRING | ARRAY | NUL),
      PASS("response_format", OBJECT | NUL),
      CHECK("reasoning_effort", STRING | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      CHECK("verbosity", STRING | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      PASS("prompt_cache_key", STRING | NUL),
      NESTED("prompt_cache_options", OBJECT | NUL, openai_cache_options_fields),
      /* Of compatible services. */
      CHECK("top_k", INTEGER | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      CHECK("min_p", NUMBER | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      CHECK("repetition_penalty", NUMBER | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      PASS("enable_thinking", BOOL | NUL),
      NESTED("thinking", OBJECT | NUL, thinking_fields),
      CHECK("reasoning", OBJECT | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS, .object = &openai_reasoning_fields),
      NESTED("chat_template_kwargs", OBJECT | NUL, template_fields),

      DROP("prediction", "What is foretold and does not come is paid for beyond the output length."),
      DROP("prompt_cache_retention", "The service keeps the prompt no longer than it does by default."),
      DROP("metadata", "It tells who asks, and is kept with the answer."),
      DROP("user", "It tells who asks."),
      DROP("safety_identifier", "It tells who asks."),

      ONLY("n", INTEGER | NUL, "1", STORED_STATE, "Each answer more is paid for."),
      ONLY("modalities", ARRAY | NUL, "text", FIELD, "Sound and images have another price."),
      ONLY("service_tier", STRING | NUL, "auto|default", STORED_STATE, "Another tier has another price."),
      REFUSE("audio", FIELD, "Sound has another price."),
      REFUSE("moderation", STORED_STATE, "It names another model."),
      { .name = "web_search_options", .types = OBJECT | NUL, .action = RULE_REFUSE, .reason = REASON_RULE_SERVER_TOOL,
	.server_tools = SERVER_TOOL_WEB_SEARCH, .why = "The service searches the web." });

/* clang-format on */
