/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_UPSTREAM_SERVE_H
#define ANET_UPSTREAM_SERVE_H

#include "core/handover.h"
#include "core/ledger.h"
#include "upstream/exchange.h"

/* The requests of one agent connection, one after the other. */
struct server {
	const struct policy *policy;
	struct ledger *ledger;
	struct exchange exchange;
	struct report report; /* the counts of the outcome */
	int64_t begin;	      /* when the connection came, of watch_now() */
};

/*
 * Serves the gateway's records until it ends the pair (REASON_OK), the
 * supervisor ends (SUPERVISOR_GONE), or one of them breaks the protocol
 * (HANDOVER_INVALID).  Each request that the service failed is reported as an
 * EVENT.
 */
enum reason serve(struct server *server, struct failure *failure)
	__attribute__((warn_unused_result));

#endif
