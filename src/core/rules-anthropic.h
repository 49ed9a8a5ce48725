/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_RULES_ANTHROPIC_H
#define ANET_CORE_RULES_ANTHROPIC_H

#include <stddef.h>
#include <stdint.h>

/*
 * What an agent may ask of the Anthropic Messages API, as tables.
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

/* The flag as it stands in the header; NULL for a bit without a row. */
const char *anthropic_beta_name(unsigned int bit);

/* The bits of the flags in a header value (a comma separated list, RFC 9110
 * 5.6.1); flags without a row are left out. */
uint32_t anthropic_beta_parse(const uint8_t *value, size_t length);

#endif
