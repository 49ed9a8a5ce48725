/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a request: the first two choose the API, who sends it and what he
 * is allowed, the rest is the body.  Either there is a reason with words to it, or
 * a body that is bounded, passes the scan and would be judged the same again.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "core/json-scan.h"
#include "core/model-abilities.h"
#include "core/rules-anthropic.h"
#include "core/rules-openai.h"
#include "gateway/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool truth)
{
	if (!truth)
		abort();
}

/* What the two bytes in front of a body choose. */
struct choice {
	enum endpoint endpoint; /* byte 0, bits 0 and 1 */
	bool at_openai;		/* bit 2 */
	bool betas;		/* bit 3 */
	enum profile profile;	/* byte 1, bit 0 */
	unsigned int model;	/* bits 1 and 2 */
	uint32_t server_tools;	/* bits 3 to 5 */
	bool any_model;		/* bit 6 */
};

static struct choice read_choice(const uint8_t bytes[2])
{
	return (struct choice){
		.endpoint = (enum endpoint)(ENDPOINT_MESSAGES + (bytes[0] & 3)),
		.at_openai = bytes[0] & 4,
		.betas = bytes[0] & 8,
		.profile = bytes[1] & 1 ? PROFILE_OWN : PROFILE_PEER,
		.model = bytes[1] >> 1 & 3,
		.server_tools = bytes[1] >> 3 & 7,
		.any_model = bytes[1] & 64,
	};
}

static struct policy choose_policy(const struct choice *choice)
{
	/* One of each kind, and one of which nothing is known. */
	static const struct {
		const char *name;
		uint32_t abilities;
	} models[] = {
		{"claude-opus-5-5",
		 MODEL_KNOWN | MODEL_THINKING_ADAPTIVE | MODEL_EFFORT},
		{"claude-haiku-4-5", MODEL_KNOWN | MODEL_THINKING_BUDGET |
					     MODEL_THINKING_OFF | MODEL_SAMPLING},
		{"claude-opus-4-6", MODEL_KNOWN | MODEL_THINKING_BUDGET |
					    MODEL_THINKING_OFF | MODEL_SAMPLING |
					    MODEL_THINKING_ADAPTIVE | MODEL_EFFORT |
					    MODEL_VERBOSITY},
		{"other", 0},
	};
	struct policy policy = {
		.profile = (uint16_t)choice->profile,
		.server_tools = choice->server_tools,
		.limits.output_tokens = LIMIT_OUTPUT_TOKENS,
		.model_abilities = models[choice->model].abilities,
	};

	if (choice->at_openai)
		strcpy(policy.host, OPENAI_HOST);
	if (!choice->any_model)
		strcpy(policy.model, models[choice->model].name);
	return policy;
}

static void judge(const struct choice *choice, const void *body, size_t length,
		  struct judgement *ret)
{
	static const char betas[] = "context-management-2025-06-27,"
				    "prompt-caching-scope-2026-01-05,"
				    "mid-conversation-tool-changes-2026-07-01,"
				    "thinking-display-updates-2026-08-18";
	struct policy policy = choose_policy(choice);

	judge_request(&policy, choice->endpoint, body, length, (const uint8_t *)betas,
		      choice->betas ? strlen(betas) : 0, ret);
}

/* What no request may be without, whatever the agent sent. */
static void check_bounds(const struct choice *choice, const struct judgement *judgement)
{
	static const char *const lengths[] = {"max_tokens", "max_completion_tokens",
					      "max_output_tokens"};
	struct json_tokener *tokener = json_tokener_new_ex(LIMIT_JSON_DEPTH + 1);
	struct json_object *body =
		json_tokener_parse_ex(tokener, judgement->text, (int)judgement->length);
	struct json_object *value;
	size_t n_lengths = 0;

	demand(json_object_is_type(body, json_type_object));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		if (json_object_object_get_ex(body, lengths[i], &value)) {
			demand(json_object_is_type(value, json_type_int));
			demand(json_object_get_int64(value) <= LIMIT_OUTPUT_TOKENS);
			n_lengths++;
		}
	demand(n_lengths > 0 || choice->endpoint == ENDPOINT_COUNT_TOKENS);
	demand(json_object_object_get_ex(body, "model", &value));
	if (choice->endpoint == ENDPOINT_RESPONSES ||
	    choice->endpoint == ENDPOINT_CHAT) {
		if (json_object_object_get_ex(body, "store", &value))
			demand(json_object_is_type(value, json_type_boolean) &&
			       !json_object_get_boolean(value));
		else
			demand(choice->endpoint == ENDPOINT_CHAT && !choice->at_openai);
	}
	json_object_put(body);
	json_tokener_free(tokener);
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
	struct choice choice;

	if (size < 2)
		return 0;
	choice = read_choice(data);
	judge(&choice, data + 2, size - 2, &judgement);
	if (judgement.reason) {
		demand(!judgement.text && !judgement.length && *judgement.detail);
		demand(judgement.reason != REASON_INTERNAL);
		demand(reason_http_status(judgement.reason) >= 400);
		judgement_clear(&judgement);
		return 0;
	}
	check_body(&judgement);
	check_bounds(&choice, &judgement);
	judge(&choice, judgement.text, judgement.length, &again);
	demand(again.reason == REASON_OK && again.length == judgement.length);
	demand(!memcmp(again.text, judgement.text, again.length));
	demand(again.flags == judgement.flags && again.beta == judgement.beta);
	judgement_clear(&again);
	judgement_clear(&judgement);
	return 0;
}
