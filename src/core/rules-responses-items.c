/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands in `input` of Responses: items, and the parts of their content. */
#include "core/policy.h"
#include "core/rules-openai.h"
#include "core/rules-rows.h"

/* A row is a line. */
/* clang-format off */

#define TYPE PASS("type", STRING | NUL)
/* Files of the operator's account, and what the service would fetch. */
#define NO_FILES                                                    \
	REFUSE("file_id", MEDIA, "A file of the operator's account."), \
	REFUSE("file_url", MEDIA, "The service would fetch it.")
#define BREAKPOINT \
	NESTED("prompt_cache_breakpoint", OBJECT | NUL, openai_cache_breakpoint_fields)

/* Parts of content. */

TABLE(static, url_citation_fields, DROP,
      TYPE,
      PASS("start_index", INTEGER),
      PASS("end_index", INTEGER),
      PASS("title", STRING | NUL),
      /* An address that a search found: nobody fetches it. */
      PASS("url", STRING));

VARIANTS(static, output_annotations, "annotation", BLOCK, NULL,
      KIND_OF_SERVER("url_citation", HERE, SERVER_TOOL_WEB_SEARCH, url_citation_fields, "A search of the service found the page."),
      KIND_REFUSED("file_citation", MEDIA, "A file of the operator's account."),
      KIND_REFUSED("container_file_citation", MEDIA, "A file at the service."),
      KIND_REFUSED("file_path", MEDIA, "A file at the service."));

TABLE(static, text_fields, DROP,
      TYPE, NO_FILES, BREAKPOINT,
      PASS("text", STRING));

TABLE(static, output_text_fields, DROP,
      TYPE, NO_FILES,
      PASS("text", STRING),
      KINDS("annotations", ARRAY | NUL, output_annotations, HERE),
      PASS("logprobs", ARRAY | NUL));

TABLE(static, refusal_fields, DROP,
      TYPE, NO_FILES,
      PASS("refusal", STRING));

#define IMAGE_URL CHECK("image_url", STRING | NUL, OPENAI_DATA_URL, "It must hold the image itself (data:).")

TABLE(static, image_fields, DROP,
      TYPE, NO_FILES, BREAKPOINT, IMAGE_URL,
      PASS("detail", STRING | NUL));

TABLE(static, file_fields, DROP,
      TYPE, NO_FILES, BREAKPOINT,
      CHECK("file_data", STRING | NUL, OPENAI_INLINE_DATA, "It must hold the file itself."),
      PASS("filename", STRING | NUL),
      PASS("detail", STRING | NUL));

TABLE(static, audio_data_fields, DROP,
      NO_FILES,
      CHECK("data", STRING, OPENAI_INLINE_DATA, "It must hold the sound itself."),
      PASS("format", STRING));

TABLE(static, audio_fields, DROP,
      TYPE, NO_FILES,
      NESTED("input_audio", OBJECT, audio_data_fields),
      CHECK("audio_url", STRING | NUL, OPENAI_DATA_URL, "It must hold the sound itself (data:)."));

TABLE(static, encrypted_fields, DROP,
      TYPE,
      PASS("encrypted_content", STRING));

VARIANTS(, responses_parts, "content part", BLOCK, NULL,
      KIND("input_text", IN_INPUT_MESSAGE | IN_TOOL_OUTPUT | IN_AGENT_MESSAGE, text_fields),
      KIND("text", IN_INPUT_MESSAGE | IN_TOOL_OUTPUT | IN_REASONING, text_fields),
      KIND("output_text", IN_INPUT_MESSAGE | IN_TOOL_OUTPUT, output_text_fields),
      KIND("refusal", IN_INPUT_MESSAGE, refusal_fields),
      KIND("summary_text", IN_SUMMARY, text_fields),
      KIND("reasoning_text", IN_REASONING, text_fields),
      KIND("input_image", IN_INPUT_MESSAGE | IN_TOOL_OUTPUT | IN_AGENT_MESSAGE, image_fields),
      KIND("input_file", IN_INPUT_MESSAGE | IN_TOOL_OUTPUT, file_fields),
      KIND("input_audio", IN_INPUT_MESSAGE | IN_TOOL_OUTPUT, audio_fields),
      KIND("computer_screenshot", IN_SCREENSHOT, image_fields),
      /* What only the service can read: it was in an earlier answer. */
      KIND("encrypted_content", IN_INPUT_MESSAGE | IN_REASONING | IN_AGENT_MESSAGE, encrypted_fields));

/* Items. */

/* What Codex says of itself with each item: turn, time, hooks, where texts came from. */
#define NO_METADATA \
	DROP("internal_chat_message_metadata_passthrough", "It tells the turn and the time, and what the client knows of the text.")
#define ITEM_OF(id_) TYPE, NO_METADATA, NO_FILES, id_, PASS("status", STRING | NUL)
#define ITEM ITEM_OF(PASS("id", STRING | NUL))
#define CALL ITEM, PASS("call_id", STRING | NUL), KINDS("caller", OBJECT | NUL, item_callers, HERE)
#define CONTENT(name_, types_, place_) KINDS(name_, types_, responses_parts, place_)

TABLE(static, caller_fields, DROP,
      TYPE);

VARIANTS(static, item_callers, "caller", SERVER_TOOL, NULL,
      KIND("direct", HERE, caller_fields),
      KIND_REFUSED("program", SERVER_TOOL, "Code that the service runs."));

TABLE(static, message_fields, DROP,
      ITEM,
      /* An item of an id alone is a reference to one that is kept. */
      { .name = "content", .action = RULE_PASS, .types = STRING | ARRAY, .required = true,
	.reason = REASON_RULE_STORED_STATE, .kinds = &responses_parts, .places = IN_INPUT_MESSAGE,
	.why = "An item without content is a reference to one that is kept at the service." },
      NEEDED("role", STRING, "user|assistant|system|developer", FIELD, NULL),
      PASS("phase", STRING | NUL));

TABLE(static, agent_message_fields, DROP,
      ITEM,
      PASS("author", STRING),
      PASS("recipient", STRING),
      CONTENT("content", STRING | ARRAY, IN_AGENT_MESSAGE));

TABLE(static, reasoning_item_fields, DROP,
      ITEM_OF(CHECK("id", STRING | NUL, OPENAI_OUTPUT,
		    "Left out without encrypted_content: by its id alone the service would look it up.")),
      CONTENT("summary", ARRAY | NUL, IN_SUMMARY),
      CONTENT("content", ARRAY | NUL, IN_REASONING),
      PASS("encrypted_content", STRING | NUL));

TABLE(static, compaction_fields, DROP,
      ITEM,
      PASS("encrypted_content", STRING | NUL));

TABLE(static, trigger_fields, DROP,
      ITEM);

TABLE(static, configuration_fields, DROP,
      ITEM,
      REFUSE("model", STORED_STATE, "The model of the policy answers."),
      NESTED("reasoning", OBJECT | NUL, openai_reasoning_fields));

TABLE(static, function_call_fields, DROP,
      CALL,
      PASS("name", STRING),
      PASS("namespace", STRING | NUL),
      /* What the model gave the agent, as text. */
      PASS("arguments", STRING),
      PASS("encrypted_function_args", STRING | NUL));

TABLE(static, custom_call_fields, DROP,
      CALL,
      PASS("name", STRING),
      PASS("namespace", STRING | NUL),
      PASS("input", STRING));

TABLE(static, call_output_fields, DROP,
      CALL,
      PASS("name", STRING | NUL),
      PASS("namespace", STRING | NUL),
      CONTENT("output", STRING | ARRAY, IN_TOOL_OUTPUT));

/* `action` and `operation` are what the model gave the agent: data. */
TABLE(static, local_shell_call_fields, DROP,
      CALL,
      PASS("action", OBJECT));

TABLE(static, text_output_fields, DROP,
      CALL,
      PASS("output", STRING | NUL));

TABLE(static, shell_call_fields, DROP,
      CALL,
      PASS("action", OBJECT),
      PASS("max_output_length", INTEGER | NUL),
      KINDS("environment", OBJECT | NUL, responses_environments, HERE));

TABLE(static, shell_end_fields, DROP,
      PASS("stdout", STRING),
      PASS("stderr", STRING),
      PASS("outcome", OBJECT));

TABLE(static, shell_output_fields, DROP,
      CALL,
      PASS("max_output_length", INTEGER | NUL),
      NESTED("output", ARRAY, shell_end_fields));

TABLE(static, patch_call_fields, DROP,
      CALL,
      PASS("operation", OBJECT));

TABLE(static, computer_call_fields, DROP,
      CALL,
      PASS("action", OBJECT | NUL),
      PASS("actions", ARRAY | NUL),
      PASS("pending_safety_checks", ARRAY | NUL));

TABLE(static, computer_output_fields, DROP,
      CALL,
      CONTENT("output", OBJECT, IN_SCREENSHOT),
      PASS("acknowledged_safety_checks", ARRAY | NUL));

#define EXECUTION NEEDED("execution", STRING, "client", SERVER_TOOL, "Else the service searched.")

TABLE(static, search_call_fields, DROP,
      CALL, EXECUTION,
      PASS("arguments", ANY));

TABLE(static, search_output_fields, DROP,
      CALL, EXECUTION,
      KINDS("tools", ARRAY, responses_tools, IN_TOOL_LIST));

TABLE(static, additional_tools_fields, DROP,
      ITEM,
      PASS("role", STRING),
      KINDS("tools", ARRAY, responses_tools, IN_TOOL_LIST));

/* Only where the policy allows the tool: what it did, sent back. */
TABLE(static, web_search_call_fields, DROP,
      ITEM,
      /* Addresses that were searched and found: nobody fetches them again. */
      PASS("action", OBJECT | NUL),
      PASS("results", ARRAY | NUL));

TABLE(static, code_output_fields, DROP,
      TYPE, NO_FILES,
      PASS("logs", STRING),
      CHECK("url", STRING, OPENAI_DATA_URL, "It must hold the image itself (data:)."));

TABLE(static, code_call_fields, DROP,
      ITEM,
      PASS("code", STRING | NUL),
      /* Of an earlier answer; the service goes on in it while it lives. */
      PASS("container_id", STRING),
      NESTED("outputs", ARRAY | NUL, code_output_fields));

VARIANTS(, responses_items, "input item", BLOCK, "message",
      KIND("message", HERE, message_fields),
      KIND("agent_message", HERE, agent_message_fields),
      KIND("reasoning", HERE, reasoning_item_fields, .why = OPENAI_FOLLOWS),
      KIND("configuration_update", HERE, configuration_fields, .why = OPENAI_FOLLOWS),
      KIND("function_call", HERE, function_call_fields),
      KIND("function_call_output", HERE, call_output_fields),
      KIND("custom_tool_call", HERE, custom_call_fields),
      KIND("custom_tool_call_output", HERE, call_output_fields),
      KIND("local_shell_call", HERE, local_shell_call_fields),
      KIND("local_shell_call_output", HERE, text_output_fields),
      KIND("shell_call", HERE, shell_call_fields),
      KIND("shell_call_output", HERE, shell_output_fields),
      KIND("apply_patch_call", HERE, patch_call_fields),
      KIND("apply_patch_call_output", HERE, text_output_fields),
      KIND("computer_call", HERE, computer_call_fields),
      KIND("computer_call_output", HERE, computer_output_fields),
      KIND("tool_search_call", HERE, search_call_fields),
      KIND("tool_search_output", HERE, search_output_fields),
      KIND("additional_tools", HERE, additional_tools_fields),
      /* A summary that the service wrote where the agent asked for one, encrypted. */
      KIND("compaction_trigger", HERE, trigger_fields),
      KIND("compaction", HERE, compaction_fields),
      KIND("compaction_summary", HERE, compaction_fields),
      KIND("context_compaction", HERE, compaction_fields),
      KIND_OF_SERVER("web_search_call", HERE, SERVER_TOOL_WEB_SEARCH, web_search_call_fields, "What a tool of the service did."),
      KIND_OF_SERVER("code_interpreter_call", HERE, SERVER_TOOL_CODE_EXECUTION, code_call_fields, "What a tool of the service did."),
      KIND_REFUSED("file_search_call", SERVER_TOOL, "What a tool of the service did."),
      KIND_REFUSED("image_generation_call", SERVER_TOOL, "What a tool of the service did; its id is a reference to the image."),
      KIND_REFUSED("program", SERVER_TOOL, "Code that the service runs."),
      KIND_REFUSED("program_output", SERVER_TOOL, "Code that the service runs."),
      KIND_REFUSED("multi_agent_call", SERVER_TOOL, "Agents that the service runs."),
      KIND_REFUSED("multi_agent_call_output", SERVER_TOOL, "Agents that the service runs."),
      KIND_REFUSED("mcp_list_tools", MCP, "Tools of other people's programs."),
      KIND_REFUSED("mcp_approval_request", MCP, "A call of other people's programs."),
      KIND_REFUSED("mcp_approval_response", MCP, "A call of other people's programs."),
      KIND_REFUSED("mcp_call", MCP, "A call of other people's programs."),
      KIND_REFUSED("item_reference", STORED_STATE, "It reaches what is kept with the operator's key."));

/* clang-format on */
