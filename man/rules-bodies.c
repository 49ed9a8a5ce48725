/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rules-bodies.h"

#include "core/rules-anthropic.h"
#include "core/rules-openai.h"

#define ALL_BETAS (BETA_BIT(BETA_COUNT) - 1)

const struct rules_body rules_bodies[] = {
	{ENDPOINT_MESSAGES, "ANTHROPIC MESSAGES", &anthropic_messages_fields,
	 CHECK_COUNT, ALL_BETAS},
	{ENDPOINT_COUNT_TOKENS, "ANTHROPIC TOKEN COUNTS",
	 &anthropic_count_tokens_fields, CHECK_COUNT, ALL_BETAS},
	{ENDPOINT_RESPONSES, "OPENAI RESPONSES", &responses_fields, OPENAI_CHECK_COUNT,
	 0},
	{ENDPOINT_CHAT, "OPENAI CHAT COMPLETIONS", &chat_fields, OPENAI_CHECK_COUNT, 0},
};

const size_t rules_n_bodies = sizeof(rules_bodies) / sizeof(*rules_bodies);
