/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names: beta flags, tools.  The tables of fields are in
 * rules-anthropic-fields.c.
 */
#include <stdbool.h>
#include <string.h>
#include "core/policy.h"
#include "core/rules-anthropic.h"

/*
 * Not here, and so dropped: what leads to other prices, models, stored state or
 * tools at the service (context-1m, fast-mode, output-*, server-side-fallback,
 * fallback-credit, advisor-tool, files-api, skills, mcp-client, code-execution,
 * compact, ...), what changes nothing any more (structured-outputs,
 * advanced-tool-use, token-counting: their fields need no flag today), and
 * per-turn-control, whose field in messages goes with it.
 */
static const char *const beta_names[BETA_COUNT] = {
	[BETA_CLAUDE_CODE] = "claude-code-20250219",
	[BETA_INTERLEAVED_THINKING] = "interleaved-thinking-2025-05-14",
	[BETA_CONTEXT_MANAGEMENT] = "context-management-2025-06-27",
	[BETA_EFFORT] = "effort-2025-11-24",
	[BETA_PROMPT_CACHING_SCOPE] = "prompt-caching-scope-2026-01-05",
	[BETA_EXTENDED_CACHE_TTL] = "extended-cache-ttl-2025-04-11",
	[BETA_THINKING_TOKEN_COUNT] = "thinking-token-count-2026-05-13",
	[BETA_FINE_GRAINED_TOOL_STREAMING] = "fine-grained-tool-streaming-2025-05-14",
	[BETA_TOKEN_EFFICIENT_TOOLS] = "token-efficient-tools-2025-02-19",
	/* Claude Code sends messages of role `system` with either of these. */
	[BETA_MID_CONVERSATION_SYSTEM] = "mid-conversation-system-2026-04-07",
	[BETA_MID_CONVERSATION_TOOL_CHANGES] =
		"mid-conversation-tool-changes-2026-07-01",
	[BETA_THINKING_DISPLAY_UPDATES] = "thinking-display-updates-2026-08-18",
};

_Static_assert(BETA_COUNT <= 32, "one bit each in struct upstream_request");

const char *anthropic_beta_name(unsigned int bit)
{
	return bit < BETA_COUNT ? beta_names[bit] : NULL;
}

static uint32_t beta_bit(const uint8_t *name, size_t length)
{
	for (unsigned int bit = 0; bit < BETA_COUNT; bit++)
		if (strlen(beta_names[bit]) == length &&
		    !memcmp(beta_names[bit], name, length))
			return BETA_BIT(bit);
	return 0;
}

static bool blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

uint32_t anthropic_beta_parse(const uint8_t *value, size_t length)
{
	uint32_t bits = 0;
	size_t at = 0;

	while (at < length) {
		size_t begin = at;
		size_t end;

		while (at < length && value[at] != ',')
			at++;
		end = at++;
		while (begin < end && blank(value[begin]))
			begin++;
		while (end > begin && blank(value[end - 1]))
			end--;
		bits |= beta_bit(value + begin, end - begin);
	}
	return bits;
}
