/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The beta flags.  The tables of fields are in
 * rules-anthropic-{fields,blocks,tools}.c.
 */
#include <stdbool.h>
#include <string.h>
#include "core/policy.h"
#include "core/rules-anthropic.h"

/* clang-format off */

const struct rule_flag anthropic_flags[BETA_COUNT] = {
	[BETA_CLAUDE_CODE] = {"claude-code-20250219"},
	[BETA_INTERLEAVED_THINKING] = {"interleaved-thinking-2025-05-14"},
	[BETA_CONTEXT_MANAGEMENT] = {"context-management-2025-06-27"},
	[BETA_EFFORT] = {"effort-2025-11-24"},
	[BETA_PROMPT_CACHING_SCOPE] = {"prompt-caching-scope-2026-01-05"},
	[BETA_EXTENDED_CACHE_TTL] = {"extended-cache-ttl-2025-04-11"},
	[BETA_THINKING_TOKEN_COUNT] = {"thinking-token-count-2026-05-13"},
	[BETA_FINE_GRAINED_TOOL_STREAMING] = {"fine-grained-tool-streaming-2025-05-14"},
	[BETA_TOKEN_EFFICIENT_TOOLS] = {"token-efficient-tools-2025-02-19"},
	/* Claude Code sends messages of role `system` with either of these. */
	[BETA_MID_CONVERSATION_SYSTEM] = {"mid-conversation-system-2026-04-07"},
	[BETA_MID_CONVERSATION_TOOL_CHANGES] = {"mid-conversation-tool-changes-2026-07-01"},
	[BETA_THINKING_DISPLAY_UPDATES] = {"thinking-display-updates-2026-08-18"},
};

#define NOT_NEEDED "Changes nothing any more: its fields need no flag today."
#define OTHER_LENGTH "Longer answers, at another price."
#define OTHER_API "Of endpoints that anet does not have."

const struct rule_flag anthropic_dropped_flags[] = {
	{"context-1m-2025-08-07", NULL, "Longer prompts, at another price."},
	{"fast-mode-2026-02-01", "speed", "Another price."},
	{"output-128k-2025-02-19", NULL, OTHER_LENGTH},
	{"output-300k-2026-03-24", NULL, OTHER_LENGTH},
	{"server-side-fallback-2026-06-01", "fallbacks", "Other models than the pinned one."},
	{"server-side-fallback-2026-07-01", "fallbacks", "Other models than the pinned one."},
	{"fallback-credit-2026-06-01", "fallback_credit_token", "Other models than the pinned one."},
	{"advisor-tool-2026-03-01", NULL, "A tool at the service that asks another model."},
	{"compact-2026-01-12", NULL, "A summary that the service writes, at a price of its own."},
	{"cache-diagnosis-2026-04-07", "diagnostics", "Names an answer that the service has stored."},
	{"per-turn-control-2026-07-01", "output_config",
	 "Effort that changes within a conversation; the whole request has one."},
	{"files-api-2025-04-14", NULL, "Files that are stored at the service."},
	{"skills-2025-10-02", NULL, "Programs that run in a container at the service."},
	{"code-execution-2025-05-22", NULL, "The tools that the policy can allow need no flag."},
	{"web-fetch-2025-09-10", NULL, "The tools that the policy can allow need no flag."},
	{"mcp-client-2025-04-04", NULL, "Other people's programs, reached by the service."},
	{"mcp-client-2025-11-20", NULL, "Other people's programs, reached by the service."},
	{"oauth-2025-04-20", NULL, "Of account log-ins; the operator's key is none."},
	{"agent-memory-2026-07-22", NULL, "State that is stored at the service."},
	{"dreaming-2026-04-21", NULL, OTHER_API},
	{"managed-agents-2026-04-01", NULL, OTHER_API},
	{"message-batches-2024-09-24", NULL, OTHER_API},
	{"structured-outputs-2025-12-15", "output_format", NOT_NEEDED},
	{"adaptive-thinking-2026-01-28", NULL, NOT_NEEDED},
	{"advanced-tool-use-2025-11-20", NULL, NOT_NEEDED},
	{"token-counting-2024-11-01", NULL, NOT_NEEDED},
	{"prompt-caching-2024-07-31", NULL, NOT_NEEDED},
	{"pdfs-2024-09-25", NULL, NOT_NEEDED},
	{"computer-use-2024-10-22", NULL, NOT_NEEDED},
	{"computer-use-2025-01-24", NULL, NOT_NEEDED},
	{"redact-thinking-2026-02-12", NULL, "Nothing depends on it: thinking.display says the same."},
};

const size_t anthropic_n_dropped_flags =
	sizeof(anthropic_dropped_flags) / sizeof(*anthropic_dropped_flags);

/* clang-format on */

_Static_assert(BETA_COUNT <= 32, "one bit each in struct upstream_request");

const char *anthropic_beta_name(unsigned int bit)
{
	return bit < BETA_COUNT ? anthropic_flags[bit].name : NULL;
}

static uint32_t beta_bit(const uint8_t *name, size_t length)
{
	for (unsigned int bit = 0; bit < BETA_COUNT; bit++)
		if (strlen(anthropic_flags[bit].name) == length &&
		    !memcmp(anthropic_flags[bit].name, name, length))
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
