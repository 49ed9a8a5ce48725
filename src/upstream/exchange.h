/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_UPSTREAM_EXCHANGE_H
#define ANET_UPSTREAM_EXCHANGE_H

#include "upstream/relay.h"
#include "upstream/request.h"
#include "upstream/service.h"
#include "upstream/watch.h"

/* One request and its answer, both ways at once. */
struct exchange {
	struct watch watch;
	struct service service;
	struct request request;
	struct relay relay;
	uint8_t piece[RELAY_PIECE];
};

/*
 * Sends exchange->request over the kept connection, or a new one, and relays
 * the answer.  A kept connection that turns out to be closed before it gave a
 * single byte is replaced once: its service closed it for having been idle.
 *
 * REASON_OK when the agent has the whole answer, or has left when a stream had said all
 * (then relay.last is set).  Else why not; relay.head_sent tells whether it got a part.
 * The connection to the service is closed unless the whole answer came.
 */
enum reason exchange_run(struct exchange *exchange, struct failure *failure)
	__attribute__((warn_unused_result));

#endif
