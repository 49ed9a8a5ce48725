/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a request: the first one chooses who sends it and what he is
 * allowed, the rest is the body.  Either there is a reason with words to it, or
 * a body that is bounded, passes the scan and would be judged the same again.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/json-scan.h"
#include "core/rules-anthropic.h"
#include "gateway/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool truth)
{
	if (!truth)
		abort();
}

static struct policy choose_policy(uint8_t choice)
{
	/* One of each kind, and one that the tables do not have. */
	static const char *const models[] = {"claude-opus-5-5", "claude-haiku-4-5",
					     "claude-opus-4-6", "other"};
	struct policy policy = {
		.profile = choice & 1 ? PROFILE_OWN : PROFILE_PEER,
		.server_tools = choice >> 5,
		.limits.output_tokens = LIMIT_OUTPUT_TOKENS,
	};

	strcpy(policy.model, models[choice >> 1 & 3]);
	return policy;
}

static void judge(uint8_t choice, const void *body, size_t length,
		  struct judgement *ret)
{
	static const char betas[] = "context-management-2025-06-27,"
				    "prompt-caching-scope-2026-01-05,"
				    "mid-conversation-tool-changes-2026-07-01,"
				    "thinking-display-updates-2026-08-18";
	struct policy policy = choose_policy(choice);

	judge_request(&policy, choice & 8 ? ENDPOINT_COUNT_TOKENS : ENDPOINT_MESSAGES,
		      body, length, (const uint8_t *)betas,
		      choice & 16 ? strlen(betas) : 0, ret);
}

static void check_body(const struct judgement *judgement)
{
	const struct json_scan_seed seed = {.k = {1, 2}};
	const uint8_t *text = (const uint8_t *)judgement->text;
	size_t n_slots = json_scan_slots(text, judgement->length);
	struct json_scan_slot *slots = malloc(n_slots * sizeof(*slots));
	size_t offset;

	demand(slots != NULL);
	demand(judgement->length <= LIMIT_BODY_BYTES);
	demand(json_scan(text, judgement->length, &seed, slots, n_slots, &offset) ==
	       REASON_OK);
	demand(!(judgement->flags & ~(uint32_t)UPSTREAM_STREAM));
	demand(judgement->beta < BETA_BIT(BETA_COUNT));
	free(slots);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct judgement judgement;
	struct judgement again;

	if (!size)
		return 0;
	judge(data[0], data + 1, size - 1, &judgement);
	if (judgement.reason) {
		demand(!judgement.text && !judgement.length && *judgement.detail);
		demand(judgement.reason != REASON_INTERNAL);
		demand(reason_http_status(judgement.reason) >= 400);
		return 0;
	}
	check_body(&judgement);
	judge(data[0], judgement.text, judgement.length, &again);
	demand(again.reason == REASON_OK && again.length == judgement.length);
	demand(!memcmp(again.text, judgement.text, again.length));
	demand(again.flags == judgement.flags && again.beta == judgement.beta);
	judgement_clear(&again);
	judgement_clear(&judgement);
	return 0;
}
