/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_RULES_ANTHROPIC_H
#define ANET_CORE_RULES_ANTHROPIC_H

#include <stddef.h>
#include <stdint.h>
#include "core/reason.h"
#include "core/rules.h"

/*
 * What an agent may ask of the Anthropic Messages API (SPEC S6), as tables.
 * Sources: the request types of Anthropic's TypeScript SDK of August 2026, and
 * what Claude Code 2.1.197 to 2.1.332 sent.
 */

/* Beta flags that go out when the agent sends them.  Row i is bit i of struct
 * upstream_request.beta; rows are only ever added at the end. */
enum anthropic_beta {
	BETA_CLAUDE_CODE,
	BETA_INTERLEAVED_THINKING,
	BETA_CONTEXT_MANAGEMENT,
	BETA_EFFORT,
	BETA_PROMPT_CACHING_SCOPE,
	BETA_EXTENDED_CACHE_TTL,
	BETA_THINKING_TOKEN_COUNT,
	BETA_FINE_GRAINED_TOOL_STREAMING,
	BETA_TOKEN_EFFICIENT_TOOLS,
	BETA_MID_CONVERSATION_SYSTEM,
	BETA_MID_CONVERSATION_TOOL_CHANGES,
	BETA_THINKING_DISPLAY_UPDATES,
	BETA_COUNT
};

#define BETA_BIT(row) (UINT32_C(1) << (row))

/* The flags that go out, and those that are known and never do. */
extern const struct rule_flag anthropic_flags[BETA_COUNT];
extern const struct rule_flag anthropic_dropped_flags[];
extern const size_t anthropic_n_dropped_flags;

/* The flag as it stands in the header; NULL for a bit without a row. */
const char *anthropic_beta_name(unsigned int bit);

/* The bits of the flags in a header value (a comma separated list, RFC 9110
 * 5.6.1); flags without a row are left out. */
uint32_t anthropic_beta_parse(const uint8_t *value, size_t length);

/* What the CHECK and CLAMP rows of the tables below name. */
enum anthropic_check {
	CHECK_OUTPUT = 1, /* depends on the model and the output length: seen to last */
	CHECK_CALLER,
	CHECK_CALLERS,
	CHECK_SERVICE_TIER,
	CHECK_CONTEXT_MANAGEMENT,
	CHECK_EDITS,
	CHECK_ROLE,
	CHECK_CITATION_URL,
	CHECK_SERVER_RESULT,
	CHECK_DISPLAY,
	CHECK_COUNT
};

/* The bodies; all other tables are reached from them. */
extern const struct rule_table anthropic_messages_fields;
extern const struct rule_table anthropic_count_tokens_fields;

/* Where content blocks stand. */
enum anthropic_place {
	IN_MESSAGE = 1 << 0,
	IN_SYSTEM = 1 << 1,
	IN_TOOL_RESULT = 1 << 2,
	IN_SOURCE = 1 << 3, /* a document made of blocks */
	IN_SEARCH_RESULT = 1 << 4,
};

extern const struct rule_variants anthropic_blocks;
extern const struct rule_variants anthropic_tools;
/* Of blocks and of tools. */
extern const struct rule_table anthropic_cache_control_fields;

#endif
