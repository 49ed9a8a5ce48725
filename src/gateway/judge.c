/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include "core/json-scan.h"
#include "gateway/judge-internal.h"
#include "os/cleanup.h"

/* Of the key table; drawn once in the life of the process. */
static struct json_scan_seed seed;
static bool seeded;

static int seed_once(void)
{
	if (seeded)
		return 0;
	if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		return -errno;
	seeded = true;
	return 0;
}

static void cleanup_tokener(struct json_tokener **tokener)
{
	if (*tokener)
		json_tokener_free(*tokener);
}

static enum reason scan_body(struct judge *judge, const uint8_t *body, size_t length)
{
	size_t n_slots = json_scan_slots(body, length);
	auto_free struct json_scan_slot *slots = malloc(n_slots * sizeof(*slots));
	enum reason reason;
	size_t offset;

	if (!slots)
		return judge_refuse(judge, REASON_INTERNAL, NULL, "out of memory");
	reason = json_scan(body, length, &seed, slots, n_slots, &offset);
	if (reason)
		return judge_refuse(judge, reason, NULL, "at byte %zu of the body",
				    offset);
	return REASON_OK;
}

static enum reason parse_body(struct judge *judge, const uint8_t *body, size_t length)
{
	/* One more than what the scan lets through: json-c counts otherwise. */
	__attribute__((cleanup(cleanup_tokener))) struct json_tokener *tokener =
		json_tokener_new_ex(LIMIT_JSON_DEPTH + 1);

	if (!tokener)
		return judge_refuse(judge, REASON_INTERNAL, NULL, "out of memory");
	/* Not JSON_TOKENER_STRICT: the scan is stricter, and json-c 0.18 then takes
	 * every byte above 0x7f for a control character. */
	judge->body = json_tokener_parse_ex(tokener, (const char *)body, (int)length);
	if (!json_object_is_type(judge->body, json_type_object))
		/* The scan let it through, so the two disagree. */
		return judge_refuse(
			judge, REASON_INTERNAL, NULL, "the JSON parser says: %s",
			json_tokener_error_desc(json_tokener_get_error(tokener)));
	return REASON_OK;
}

judge_check *const anthropic_checks[CHECK_COUNT] = {
	[CHECK_CALLER] = judge_caller,
	[CHECK_CALLERS] = judge_callers,
	[CHECK_SERVICE_TIER] = judge_service_tier,
	[CHECK_CONTEXT_MANAGEMENT] = judge_context_management,
	[CHECK_EDITS] = judge_edits,
	[CHECK_ROLE] = judge_role,
	[CHECK_CITATION_URL] = judge_citation_url,
	[CHECK_SERVER_RESULT] = judge_server_result,
	[CHECK_DISPLAY] = judge_display,
};

static const struct {
	const struct rule_table *fields;
	judge_check *const *checks;
	enum reason (*output)(struct judge *);
} apis[] = {
	[ENDPOINT_MESSAGES] = {&anthropic_messages_fields, anthropic_checks,
			       judge_output},
	[ENDPOINT_COUNT_TOKENS] = {&anthropic_count_tokens_fields, anthropic_checks,
				   judge_output},
	[ENDPOINT_RESPONSES] = {&responses_fields, openai_checks,
				judge_responses_output},
	[ENDPOINT_CHAT] = {&chat_fields, openai_checks, judge_chat_output},
};

static enum reason judge_body(struct judge *judge)
{
	enum reason reason =
		judge_fields(judge, apis[judge->endpoint].fields, judge->body, NULL);

	return reason ? reason : apis[judge->endpoint].output(judge);
}

/* What the judge may add to a body, in most cases: fields that were missing. */
#define ADDED 4096

static enum reason write_body(struct judge *judge, size_t read)
{
	struct judgement *judgement = judge->judgement;
	struct json_object *stream;
	size_t length;
	auto_free char *text = judge_write(judge->body, read + ADDED, &length);

	if (!text)
		return judge_refuse(judge, REASON_INTERNAL, NULL, "out of memory");
	if (length > LIMIT_BODY_BYTES)
		return judge_refuse(judge, REASON_HTTP_BODY_TOO_LARGE, NULL,
				    "%zu bytes as rewritten", length);
	if (json_object_object_get_ex(judge->body, "stream", &stream) &&
	    json_object_get_boolean(stream))
		judgement->flags |= UPSTREAM_STREAM;
	judgement->beta = judge->beta;
	judgement->length = length;
	judgement->text = take_ptr(text);
	return REASON_OK;
}

static enum reason judge_all(struct judge *judge, const uint8_t *body, size_t length)
{
	enum reason reason;

	if (seed_once() < 0)
		return judge_refuse(judge, REASON_INTERNAL, NULL, "no random numbers");
	reason = scan_body(judge, body, length);
	if (!reason)
		reason = parse_body(judge, body, length);
	/* Of the largest bodies each copy counts. */
	free(take_ptr(judge->taken));
	if (!reason)
		reason = judge_body(judge);
	return reason ? reason : write_body(judge, length);
}

/* Beyond this, memory counts more than the time to free it. */
#define KEPT_BODY (1024u * 1024)

static void judge_with(struct judge *judge, const struct policy *policy,
		       enum endpoint endpoint, const uint8_t *body, size_t length,
		       const uint8_t *beta_header, size_t beta_length,
		       struct judgement *ret)
{
	assert((size_t)endpoint < sizeof(apis) / sizeof(*apis) &&
	       apis[endpoint].fields);
	judge->policy = policy;
	judge->endpoint = endpoint;
	judge->beta = anthropic_beta_parse(beta_header, beta_length);
	/* A peer's turn has none, whatever its record says. */
	judge->server_tools = policy->profile == PROFILE_OWN ? policy->server_tools : 0;
	judge->checks = apis[endpoint].checks;
	judge->judgement = ret;
	*ret = (struct judgement){.reason = REASON_OK};
	ret->reason = judge_all(judge, body, length);
	if (ret->reason == REASON_OK && length <= KEPT_BODY)
		ret->read = judge->body;
	else
		json_object_put(judge->body);
	free(judge->taken);
}

void judge_request(const struct policy *policy, enum endpoint endpoint,
		   const uint8_t *body, size_t length, const uint8_t *beta_header,
		   size_t beta_length, struct judgement *ret)
{
	struct judge judge = {.taken = NULL};

	judge_with(&judge, policy, endpoint, body, length, beta_header, beta_length,
		   ret);
}

void judge_request_taking(const struct policy *policy, enum endpoint endpoint,
			  uint8_t *body, size_t length, const uint8_t *beta_header,
			  size_t beta_length, struct judgement *ret)
{
	struct judge judge = {.taken = body};

	judge_with(&judge, policy, endpoint, body, length, beta_header, beta_length,
		   ret);
}

void judgement_clear(struct judgement *judgement)
{
	free(judgement->text);
	json_object_put(judgement->read);
	*judgement = (struct judgement){.reason = REASON_OK};
}
