/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_RULES_OPENAI_H
#define ANET_CORE_RULES_OPENAI_H

#include "core/rules.h"

/*
 * What an agent may ask of OpenAI's Responses and Chat Completions (SPEC S6), as
 * tables.  Sources: the request types of OpenAI's SDK for Node of August 2026, what
 * Codex 0.171, OpenCode 1.18, OpenClaw 2026.9, Pi 0.73, Qwen Code 0.24, Cline 3.0 and
 * Continue 1.5 sent, and for Chat what the compatible services add.
 *
 * A field without a row is left out, in the body and everywhere else: these clients
 * send new hints with most releases, and what is left out reaches nothing; a refusal
 * would cost the agent for a hint that nobody asked for.  What asks for more than a
 * run may have is named and refused, so that the agent is told.  A type of tool, item
 * or content without a row is refused: without it the request would mean something
 * else.
 */

/* The only host whose models, defaults and spellings are known to be OpenAI's. */
#define OPENAI_HOST "api.openai.com"

/* RULE_CHECK, RULE_CLAMP and RULE_SET of the tables. */
enum openai_check {
	OPENAI_OUTPUT =
		1, /* depends on the model, the host, the length: seen to last */
	OPENAI_INCLUDE,
	OPENAI_DATA_URL,
	OPENAI_INLINE_DATA,
	OPENAI_CHECK_COUNT
};

/* Why fields that models differ in may be left out. */
#define OPENAI_FOLLOWS                                                                 \
	"Left out where another model was put in the place of the agent's, and it "    \
	"does not take it."
#define OPENAI_MODEL                                                                   \
	"The model of the policy answers, whichever is asked for.  Where it is left "  \
	"to "                                                                          \
	"the agent, none that searches the web by itself."

/* The bodies. */
extern const struct rule_table responses_fields;
extern const struct rule_table chat_fields;

/* Where parts of content stand. */
enum openai_place {
	IN_INPUT_MESSAGE = 1 << 0,
	IN_TOOL_OUTPUT = 1 << 1,
	IN_REASONING = 1 << 2,
	IN_SUMMARY = 1 << 3,
	IN_AGENT_MESSAGE = 1 << 4,
	IN_SCREENSHOT = 1 << 5,
};

/* Where a tool stands. */
enum openai_tool_place {
	IN_TOOL_LIST = 1 << 0,
	IN_NAMESPACE = 1 << 1,
};

extern const struct rule_variants responses_items;
extern const struct rule_variants responses_parts;
extern const struct rule_variants responses_tools;
extern const struct rule_variants responses_tool_choices;
extern const struct rule_variants responses_environments; /* of a shell */
extern const struct rule_variants chat_parts;
extern const struct rule_variants chat_tools;
extern const struct rule_variants chat_tool_choices;

/* Shared by both. */
extern const struct rule_table openai_cache_breakpoint_fields;
extern const struct rule_table openai_cache_options_fields;
extern const struct rule_table openai_reasoning_fields;
extern const struct rule_table openai_stream_options_fields;

/* Something more that an agent may ask to be in the answer. */
struct openai_include {
	const char *name;
	uint32_t
		server_tools; /* only where the policy allows one of these; 0: always */
};

extern const struct openai_include openai_includes[];
extern const size_t openai_n_includes;

/* The row of one of `include`; NULL for a name without a row, which is left out. */
const struct openai_include *openai_include_find(const char *name);

#endif
