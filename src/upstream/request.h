/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_UPSTREAM_REQUEST_H
#define ANET_UPSTREAM_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/policy.h"
#include "core/upstream-record.h"
#include "upstream/secret.h"
#include "upstream/service.h"

/*
 * One request on its way to the service: a head made of constants, the policy
 * and the numbers of the gateway's record, then the body, read piece by piece
 * from its memfd.  Never mapped: a file could shrink, were its seals not what
 * they should be.
 */
struct request {
	const struct policy *policy;
	struct secret *secret; /* its buffer holds what is sent next */
	struct upstream_request record;
	int body;	   /* the memfd, not owned */
	uint32_t offset;   /* of the body: read so far */
	size_t begin, end; /* of the buffer: not sent yet */
	bool done;	   /* all is sent, or sending was given up */
	bool whole;	   /* all is sent */
};

/* REASON_OK if the record and its descriptor are what core/upstream-record.h
 * demands, and the endpoint one of the policy's API; else HANDOVER_INVALID. */
enum reason request_check(const struct upstream_request *record,
			  const struct policy *policy, int body,
			  struct failure *failure) __attribute__((warn_unused_result));

/* Begins to send, from the beginning (also again, on another connection). */
void request_begin(struct request *request);

/* Sends as much as the service takes now.  When sending fails the rest is given
 * up: what the service answered tells more than the error.  REASON_OK, or
 * HANDOVER_INVALID when the body cannot be read. */
enum reason request_send(struct request *request, struct service *service,
			 bool *ret_progress, struct failure *failure)
	__attribute__((warn_unused_result));

/* Nothing more is sent; what held the key is wiped. */
void request_give_up(struct request *request);

#endif
