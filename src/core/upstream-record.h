/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_UPSTREAM_RECORD_H
#define ANET_CORE_UPSTREAM_RECORD_H

#include <stdint.h>
#include "core/limits.h"

/*
 * What passes between a gateway and its upstream over `pair`
 * (core/handover.h).  The gateway sends one struct upstream_request with one
 * descriptor: the body, a memfd sealed against writing, growing and
 * shrinking, exactly body_bytes long.  It then reads nothing from the agent
 * until it gets one struct upstream_done.
 *
 * The upstream trusts nothing here but the sizes that it checks itself: it
 * builds the request line and all headers from these numbers, the policy and
 * its own constants.
 */
#define UPSTREAM_MAGIC 0x554e4131u /* "1ANU" */
#define UPSTREAM_VERSION 1

/* What the gateway serves by way of the model service.  SPEC S6.8. */
enum endpoint {
	ENDPOINT_MESSAGES = 1,	   /* POST /v1/messages */
	ENDPOINT_COUNT_TOKENS = 2, /* POST /v1/messages/count_tokens */
	ENDPOINT_RESPONSES = 3,	   /* POST /v1/responses */
	ENDPOINT_CHAT = 4,	   /* POST /v1/chat/completions */
};

enum upstream_request_flags {
	UPSTREAM_STREAM = 1 << 0,     /* the body asks for server-sent events */
	UPSTREAM_LAST = 1 << 1,	      /* close the connection after the answer */
	UPSTREAM_QUERY_BETA = 1 << 2, /* the agent's target had ?beta=true */
};

struct upstream_request {
	uint32_t magic;
	uint16_t version;
	uint16_t size; /* sizeof(struct upstream_request) */
	uint16_t endpoint;
	uint16_t reserved;
	uint32_t flags;
	uint32_t body_bytes;
	/* Beta flags that go out: bit i is row i of core/rules-anthropic.h's
	 * table; the upstream refuses bits that the table does not have. */
	uint32_t beta;
};

enum upstream_done_flags {
	DONE_HEAD_SENT = 1 << 0, /* the agent has got at least a byte of the answer */
	DONE_CLOSE = 1 << 1,	 /* the agent's connection cannot be used again */
};

struct upstream_done {
	uint32_t magic;
	uint16_t version;
	uint16_t size; /* sizeof(struct upstream_done) */
	/* enum reason.  Not OK and no DONE_HEAD_SENT: the gateway answers with
	 * this refusal.  Not OK and DONE_HEAD_SENT: it closes. */
	uint32_t reason;
	uint16_t http_status; /* of the service; 0: none was read */
	uint16_t flags;
	uint64_t response_bytes;
	char detail[LIMIT_DETAIL + 1];
};

#endif
