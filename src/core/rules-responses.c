/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The body of Responses, and its tools.  What stands in `input` is in
 * rules-responses-items.c; rules.h says how to read a row.
 */
#include "core/policy.h"
#include "core/rules-openai.h"
#include "core/rules-rows.h"

/* A row is a line. */
/* clang-format off */

TABLE(static, text_fields, DROP,
      PASS("format", OBJECT | NUL),
      CHECK("verbosity", STRING | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS));

TABLE(, responses_fields, DROP,
      CHECK("model", STRING, OPENAI_OUTPUT, OPENAI_MODEL),
      KINDS("input", STRING | ARRAY | NUL, responses_items, HERE),
      PASS("instructions", STRING | NUL),
      CLAMP("max_output_tokens", INTEGER | NUL, OPENAI_OUTPUT, "At most the output length of the policy, which is also set where it is missing."),
      PASS("stream", BOOL | NUL),
      NESTED("stream_options", OBJECT | NUL, openai_stream_options_fields),
      { .name = "store", .action = RULE_SET, .set = "false", .why = "An answer that is kept can be read again with the operator's key." },
      CHECK("include", ARRAY | NUL, OPENAI_INCLUDE, "What tools of the service found is left out unless they are allowed."),

      KINDS("tools", ARRAY | NUL, responses_tools, IN_TOOL_LIST),
      { .name = "tool_choice", .action = RULE_PASS, .types = STRING | OBJECT | NUL,
	.words = "none|auto|required", .reason = REASON_RULE_TOOL_TYPE,
	.kinds = &responses_tool_choices, .places = IN_TOOL_LIST },
      PASS("parallel_tool_calls", BOOL | NUL),
      PASS("max_tool_calls", INTEGER | NUL),

      CHECK("reasoning", OBJECT | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS, .object = &openai_reasoning_fields),
      NESTED("text", OBJECT | NUL, text_fields),
      CHECK("temperature", NUMBER | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      CHECK("top_p", NUMBER | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      CHECK("top_logprobs", INTEGER | NUL, OPENAI_OUTPUT, OPENAI_FOLLOWS),
      PASS("truncation", STRING | NUL),
      PASS("prompt_cache_key", STRING | NUL),
      NESTED("prompt_cache_options", OBJECT | NUL, openai_cache_options_fields),

      DROP("prompt_cache_retention", "The service keeps the prompt no longer than it does by default."),
      DROP("context_management", "A summary that the service writes by itself is output without a limit."),
      DROP("metadata", "It tells who asks, and is kept with the answer."),
      DROP("client_metadata", "It tells the installation, the work folder and where its git remotes are."),
      DROP("user", "It tells who asks."),
      DROP("safety_identifier", "It tells who asks."),

      ONLY("background", BOOL | NUL, "false", STORED_STATE, "An answer in the background is kept at the service."),
      ONLY("service_tier", STRING | NUL, "auto|default", STORED_STATE, "Another tier has another price."),
      REFUSE("previous_response_id", STORED_STATE, "It reaches what is kept with the operator's key."),
      REFUSE("conversation", STORED_STATE, "It reaches what is kept with the operator's key."),
      REFUSE("prompt", STORED_STATE, "A template of the service may hold any model, tool and text."),
      REFUSE("moderation", STORED_STATE, "It names another model."),
      REFUSE("multi_agent", SERVER_TOOL, "The service would run agents of its own."));

/* Tools. */

#define TYPE PASS("type", STRING)
#define CALLERS ONLY("allowed_callers", ARRAY | NUL, "direct", SERVER_TOOL, "Other calls come from code that the service runs.")

TABLE(static, function_fields, DROP,
      TYPE,
      PASS("name", STRING),
      PASS("description", STRING | NUL),
      /* JSON schemas: data of the agent, whatever their keys are called. */
      PASS("parameters", OBJECT | NUL),
      PASS("output_schema", OBJECT | NUL),
      PASS("strict", BOOL | NUL),
      PASS("defer_loading", BOOL | NUL),
      CALLERS);

TABLE(static, format_fields, DROP,
      TYPE,
      PASS("syntax", STRING),
      PASS("definition", STRING));

TABLE(static, custom_fields, DROP,
      TYPE,
      PASS("name", STRING),
      PASS("description", STRING | NUL),
      NESTED("format", OBJECT | NUL, format_fields),
      PASS("defer_loading", BOOL | NUL),
      CALLERS);

TABLE(static, namespace_fields, DROP,
      TYPE,
      PASS("name", STRING),
      PASS("description", STRING | NUL),
      KINDS("tools", ARRAY, responses_tools, IN_NAMESPACE));

TABLE(static, plain_fields, DROP,
      TYPE,
      CALLERS);

TABLE(static, tool_search_fields, DROP,
      TYPE,
      NEEDED("execution", STRING, "client", SERVER_TOOL, "Else the service searches, and by default it does."),
      PASS("description", STRING | NUL),
      PASS("parameters", OBJECT | NUL));

TABLE(static, computer_fields, DROP,
      TYPE,
      PASS("display_width", INTEGER),
      PASS("display_height", INTEGER),
      PASS("environment", STRING));

TABLE(static, local_environment_fields, DROP,
      TYPE,
      /* Names and paths at the agent's side. */
      PASS("skills", ARRAY | NUL));

VARIANTS(, responses_environments, "environment of a shell", CONTAINER, NULL,
      KIND("local", HERE, local_environment_fields),
      KIND_REFUSED("container_auto", CONTAINER, "A container at the service."),
      KIND_REFUSED("container_reference", CONTAINER, "A container at the service."));

TABLE(static, shell_fields, DROP,
      TYPE,
      { .name = "environment", .action = RULE_PASS, .types = OBJECT, .required = true,
	.reason = REASON_RULE_CONTAINER, .kinds = &responses_environments,
	.places = HERE, .why = "Without one the shell is a container at the service." },
      CALLERS);

TABLE(static, filter_fields, DROP,
      PASS("allowed_domains", ARRAY | NUL),
      PASS("blocked_domains", ARRAY | NUL));

TABLE(static, web_search_fields, DROP,
      TYPE,
      PASS("external_web_access", BOOL | NUL),
      NESTED("filters", OBJECT | NUL, filter_fields),
      PASS("search_context_size", STRING | NUL),
      PASS("search_content_types", ARRAY | NUL),
      PASS("user_location", OBJECT | NUL));

TABLE(static, network_fields, DROP,
      TYPE);

VARIANTS(static, container_networks, "network of a container", CONTAINER, NULL,
      KIND("disabled", HERE, network_fields),
      KIND_REFUSED("allowlist", CONTAINER, "The container would reach hosts."));

TABLE(static, container_fields, DROP,
      TYPE,
      REFUSE("file_ids", MEDIA, "Files of the operator's account."),
      ONLY("memory_limit", STRING | NUL, "1g", STORED_STATE, "More memory has another price."),
      KINDS("network_policy", OBJECT | NUL, container_networks, HERE));

VARIANTS(static, code_containers, "container", CONTAINER, NULL,
      KIND("auto", HERE, container_fields));

TABLE(static, code_interpreter_fields, DROP,
      TYPE,
      /* The id of one may be another session's. */
      { .name = "container", .action = RULE_PASS, .types = OBJECT | STRING, .required = true,
	.words = "", .reason = REASON_RULE_CONTAINER, .kinds = &code_containers,
	.places = HERE, .why = "One that is named may be another session's." },
      CALLERS);

VARIANTS(, responses_tools, "tool", TOOL_TYPE, NULL,
      /* The agent runs these. */
      KIND("function", IN_TOOL_LIST | IN_NAMESPACE, function_fields),
      KIND("custom", IN_TOOL_LIST | IN_NAMESPACE, custom_fields),
      KIND("namespace", IN_TOOL_LIST, namespace_fields),
      KIND("apply_patch", IN_TOOL_LIST, plain_fields),
      KIND("local_shell", IN_TOOL_LIST, plain_fields),
      KIND("shell", IN_TOOL_LIST, shell_fields),
      KIND("tool_search", IN_TOOL_LIST, tool_search_fields),
      KIND("computer", IN_TOOL_LIST, computer_fields),
      KIND("computer_use_preview", IN_TOOL_LIST, computer_fields),
      /* The service runs these. */
      KIND_OF_SERVER("web_search", IN_TOOL_LIST, SERVER_TOOL_WEB_SEARCH, web_search_fields, "The service searches the web."),
      KIND_OF_SERVER("web_search_2025_08_26", IN_TOOL_LIST, SERVER_TOOL_WEB_SEARCH, web_search_fields, "The service searches the web."),
      KIND_OF_SERVER("web_search_preview", IN_TOOL_LIST, SERVER_TOOL_WEB_SEARCH, web_search_fields, "The service searches the web."),
      KIND_OF_SERVER("web_search_preview_2025_03_11", IN_TOOL_LIST, SERVER_TOOL_WEB_SEARCH, web_search_fields, "The service searches the web."),
      KIND_OF_SERVER("code_interpreter", IN_TOOL_LIST, SERVER_TOOL_CODE_EXECUTION, code_interpreter_fields, "The service runs code."),
      KIND_REFUSED("file_search", SERVER_TOOL, "It reads files that are kept at the service."),
      KIND_REFUSED("image_generation", SERVER_TOOL, "Another model makes the image."),
      KIND_REFUSED("programmatic_tool_calling", SERVER_TOOL, "The service runs code that calls the tools."),
      KIND_REFUSED("mcp", MCP, "The service calls other people's programs."));

/* tool_choice. */

TABLE(static, choice_fields, DROP,
      TYPE,
      PASS("name", STRING));

TABLE(static, allowed_tools_fields, DROP,
      TYPE,
      PASS("mode", STRING),
      KINDS("tools", ARRAY, responses_tool_choices, IN_NAMESPACE));

#define EVERYWHERE (IN_TOOL_LIST | IN_NAMESPACE)

VARIANTS(, responses_tool_choices, "tool choice", TOOL_TYPE, NULL,
      KIND("function", EVERYWHERE, choice_fields),
      KIND("custom", EVERYWHERE, choice_fields),
      KIND("namespace", EVERYWHERE, choice_fields),
      KIND("apply_patch", EVERYWHERE, choice_fields),
      KIND("local_shell", EVERYWHERE, choice_fields),
      KIND("shell", EVERYWHERE, choice_fields),
      KIND("tool_search", EVERYWHERE, choice_fields),
      KIND("computer", EVERYWHERE, choice_fields),
      KIND("computer_use", EVERYWHERE, choice_fields),
      KIND("computer_use_preview", EVERYWHERE, choice_fields),
      KIND("allowed_tools", IN_TOOL_LIST, allowed_tools_fields),
      KIND_OF_SERVER("web_search", EVERYWHERE, SERVER_TOOL_WEB_SEARCH, choice_fields, "The service searches the web."),
      KIND_OF_SERVER("web_search_2025_08_26", EVERYWHERE, SERVER_TOOL_WEB_SEARCH, choice_fields, "The service searches the web."),
      KIND_OF_SERVER("web_search_preview", EVERYWHERE, SERVER_TOOL_WEB_SEARCH, choice_fields, "The service searches the web."),
      KIND_OF_SERVER("web_search_preview_2025_03_11", EVERYWHERE, SERVER_TOOL_WEB_SEARCH, choice_fields, "The service searches the web."),
      KIND_OF_SERVER("code_interpreter", EVERYWHERE, SERVER_TOOL_CODE_EXECUTION, choice_fields, "The service runs code."),
      KIND_REFUSED("file_search", SERVER_TOOL, "The service searches files that are stored there."),
      KIND_REFUSED("image_generation", SERVER_TOOL, "Another model makes the image."),
      KIND_REFUSED("programmatic_tool_calling", SERVER_TOOL, "The service runs code that calls the tools."),
      KIND_REFUSED("mcp", MCP, "The service calls other people's programs."));

/* clang-format on */
