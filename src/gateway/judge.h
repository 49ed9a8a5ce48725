/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_GATEWAY_JUDGE_H
#define ANET_GATEWAY_JUDGE_H

#include <stddef.h>
#include <stdint.h>
#include "core/limits.h"
#include "core/policy.h"
#include "core/reason.h"
#include "core/upstream-record.h"

/*
 * Decides about one model request: either a refusal, or the body that goes out
 * instead of the agent's (SPEC S6.1 to S6.7, S6.10).  Nothing of the agent's
 * own text is forwarded: what goes out is written anew from what was read.
 */
struct judgement {
	/* REASON_OK: forward `text`; else refuse for this reason. */
	enum reason reason;
	/* What broke the rule, with its place: `tools[3].type is "x"`.  May
	 * quote the agent's bytes, cut; whoever shows it escapes it.  Ends with
	 * a NUL; "" when reason is REASON_OK. */
	char detail[LIMIT_DETAIL + 1];
	/* enum upstream_request_flags: UPSTREAM_STREAM or 0. */
	uint32_t flags;
	/* Beta flags to send, by row of core/rules-anthropic.h. */
	uint32_t beta;
	/* The body to forward, allocated, not NUL terminated as far as the
	 * caller is concerned, at most LIMIT_BODY_BYTES; NULL when refused. */
	char *text;
	size_t length;
	/* What was read, of a small body: to free its many pieces takes a while, in
	 * which the text can be on its way. */
	struct json_object *read;
};

/*
 * `body` is the whole request body (at most LIMIT_BODY_BYTES; longer is
 * refused), `beta_header` the value of the agent's anthropic-beta field
 * (several fields joined with a comma), NULL with beta_length 0 for none.
 * The policy is trusted.  Always fills in *ret; the caller calls judgement_clear().
 */
void judge_request(const struct policy *policy, enum endpoint endpoint,
		   const uint8_t *body, size_t length, const uint8_t *beta_header,
		   size_t beta_length, struct judgement *ret);

/* The same, and `body` is given up: freed as soon as it is not needed. */
void judge_request_taking(const struct policy *policy, enum endpoint endpoint,
			  uint8_t *body, size_t length, const uint8_t *beta_header,
			  size_t beta_length, struct judgement *ret);

void judgement_clear(struct judgement *judgement);

#endif
