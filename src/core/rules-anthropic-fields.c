/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects of a Messages request but for content blocks and tools
 * (rules-anthropic-blocks.c, rules-anthropic-tools.c).  rules.h says how to read
 * a row.
 */
#include "core/rules-anthropic.h"
#include "core/rules-rows.h"

/* A row is a line. */
/* clang-format off */

#define NEEDS(beta_) .beta = BETA_BIT(BETA_##beta_)
#define TYPE PASS("type", STRING)

TABLE(, anthropic_cache_control_fields, REFUSE,
      TYPE,
      PASS("ttl", STRING | NUL),
      PASS("scope", STRING | NUL, NEEDS(PROMPT_CACHING_SCOPE)));

TABLE(static, tool_choice_fields, REFUSE,
      TYPE,
      PASS("name", STRING),
      PASS("disable_parallel_tool_use", BOOL | NUL));

VARIANTS(static, tool_choices, "tool choice", TOOL_TYPE, NULL,
	 KIND("auto", HERE, tool_choice_fields),
	 KIND("any", HERE, tool_choice_fields),
	 KIND("tool", HERE, tool_choice_fields),
	 KIND("none", HERE, tool_choice_fields));

TABLE(static, thinking_fields, REFUSE,
      TYPE,
      CLAMP("budget_tokens", INTEGER, CHECK_OUTPUT,
	    "Stays 1024 below max_tokens; where less than 1024 is left, thinking is left out."),
      CHECK("display", STRING | NUL, CHECK_DISPLAY,
	    "The value updates is left out unless the beta flag "
	    "thinking-display-updates-2026-08-18 goes out."));

VARIANTS(static, thinking_kinds, "thinking", FIELD, NULL,
	 KIND("adaptive", HERE, thinking_fields),
	 KIND("enabled", HERE, thinking_fields),
	 KIND("disabled", HERE, thinking_fields));

TABLE(static, output_config_fields, REFUSE,
      CHECK("effort", STRING | NUL, CHECK_OUTPUT,
	    "Left out where the model in place of the agent's takes none."),
      PASS("format", OBJECT | NUL),
      DROP("task_budget", "Belongs to a beta flag that is dropped."));

TABLE(static, clear_edit_fields, REFUSE,
      TYPE,
      PASS("keep", STRING | OBJECT),
      PASS("trigger", OBJECT | NUL),
      PASS("clear_at_least", OBJECT | NUL),
      PASS("clear_tool_inputs", BOOL | ARRAY | NUL),
      PASS("exclude_tools", ARRAY | NUL));

TABLE(static, compact_edit_fields, DROP,
      TYPE);

VARIANTS(static, edits, "edit", FIELD, NULL,
	 KIND("clear_tool_uses_20250919", HERE, clear_edit_fields),
	 KIND("clear_thinking_20251015", HERE, clear_edit_fields,
	      .why = "Left out with thinking: the API refuses to clear what is not there."),
	 KIND("compact_20260112", HERE, compact_edit_fields,
	      .why = "Left out: a summary that the service writes, at a price of its own."));

TABLE(static, context_management_fields, REFUSE,
      CHECK("edits", ARRAY, CHECK_EDITS, "Left out when no edit remains.",
	    .kinds = &edits, .places = HERE));

TABLE(static, message_fields, REFUSE,
      CHECK("role", STRING, CHECK_ROLE, "Only user, assistant and system."),
      KINDS("content", STRING | ARRAY, anthropic_blocks, IN_MESSAGE),
      DROP("output_config", "Belongs to the beta flag per-turn-control, which is dropped."));

/* What both endpoints take. */
#define BODY                                                                             \
	SET("model", STRING,                                                             \
	    "The model that the policy pins; the agent's own where it pins none, "       \
	    "which only the profile own can."),                                          \
	NESTED("messages", ARRAY, message_fields),                                       \
	KINDS("system", STRING | ARRAY, anthropic_blocks, IN_SYSTEM),                    \
	KINDS("tools", ARRAY, anthropic_tools, HERE),                                    \
	KINDS("tool_choice", OBJECT, tool_choices, HERE),                                \
	CHECK("thinking", OBJECT, CHECK_OUTPUT,                                          \
	      "Where the model is not the agent's, made the kind that it takes, "        \
	      "or left out.",                                                            \
	      .kinds = &thinking_kinds, .places = HERE),                                 \
	NESTED("cache_control", OBJECT | NUL, anthropic_cache_control_fields),           \
	NESTED("output_config", OBJECT | NUL, output_config_fields),                     \
	CHECK("context_management", OBJECT | NUL, CHECK_CONTEXT_MANAGEMENT,              \
	      "Left out when it has no edits.", NEEDS(CONTEXT_MANAGEMENT),               \
	      .object = &context_management_fields),                                     \
	REFUSE("mcp_servers", MCP, "Other people's programs, reached by the service."),  \
	REFUSE("user_profile_id", STORED_STATE,                                          \
	       "Names a person in the operator's account, to whom the usage is put down."), \
	DROP("speed", "Another price; without it the service is at its standard speed."), \
	DROP("output_format",                                                            \
	     "The old name of output_config.format, under a beta flag that is dropped.")

TABLE(, anthropic_messages_fields, REFUSE,
      BODY,
      CLAMP("max_tokens", INTEGER, CHECK_OUTPUT,
	    "At most the output length of the policy, and that where it is missing."),
      PASS("stream", BOOL),
      PASS("stop_sequences", ARRAY),
      CHECK("temperature", NUMBER, CHECK_OUTPUT,
	    "Left out where the model in place of the agent's refuses it."),
      CHECK("top_p", NUMBER, CHECK_OUTPUT,
	    "Left out where the model in place of the agent's refuses it."),
      CHECK("top_k", INTEGER, CHECK_OUTPUT,
	    "Left out where the model in place of the agent's refuses it."),
      DROP("metadata", "Its user_id holds ids of the operator's device and account."),
      CHECK("service_tier", STRING, CHECK_SERVICE_TIER,
	    "Only standard_only; auto is left out, as others cost more."),
      REFUSE("container", CONTAINER, "A machine at the service with its own state and price."),
      REFUSE("inference_geo", STORED_STATE, "Moves the request to another region and price."),
      DROP("fallbacks", "Other models and lengths; without it the pinned model answers."),
      DROP("fallback_credit_token", "Belongs to fallbacks."),
      DROP("diagnostics", "Names an earlier answer that the service has stored."));

TABLE(, anthropic_count_tokens_fields, REFUSE, BODY);

/* clang-format on */
