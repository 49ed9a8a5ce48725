/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_UPSTREAM_RELAY_H
#define ANET_UPSTREAM_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/http1-chunked.h"
#include "core/http1-response.h"
#include "core/ledger.h"
#include "core/needle.h"
#include "core/policy.h"
#include "core/sse-end.h"
#include "os/failure.h"

/* Most bytes of the service taken at once: one TLS record. */
#define RELAY_PIECE (16 * 1024)
/* Fields that go to the agent; a dozen of up to 100 bytes are usual. */
#define RELAY_HEAD (8 * 1024)

/*
 * One answer on its way to the agent: reads the service's head and framing,
 * writes a head of its own and the body, unchanged, in a framing of its own,
 * each piece at once.  The agent's connection shares its file description with
 * the gateway, so its flags are left alone: every write is MSG_DONTWAIT.
 *
 * What the agent does not take waits in `pending`; while something does,
 * nothing more is to be fed.
 */
struct relay {
	int conn;
	const struct policy *policy;
	const struct ledger *ledger;
	bool last;	     /* announce that the connection will be closed */
	bool head_sent;	     /* the agent has got at least one byte */
	bool complete;	     /* the end of the answer has been read */
	bool surplus;	     /* the service said more than the answer */
	uint64_t body_bytes; /* read so far and not held back */

	struct sse_end end; /* of what the agent has got, without `pending` */
	struct needle needle;
	struct http1_chunked chunked;
	uint64_t remaining; /* of a body of known length */
	size_t text_length; /* of the head that has not been written yet */
	char text[RELAY_HEAD];
	size_t pending_begin, pending_end;
	uint8_t pending[RELAY_HEAD + RELAY_PIECE + 2 * LIMIT_API_KEY + 64];
	struct http1_response head;
};

/* `policy`, `ledger` and `key` must outlive the relay. */
void relay_init(struct relay *relay, int conn, const struct policy *policy,
		const struct ledger *ledger, const uint8_t *key, size_t key_length);

/* Begins the next answer. */
void relay_begin(struct relay *relay, bool last);

/*
 * Takes 1 to RELAY_PIECE bytes of the service, which it may overwrite.
 * REASON_OK, UPSTREAM_PROTOCOL, UPSTREAM_CREDENTIAL (401, 403) and
 * UPSTREAM_REDIRECT (3xx): nothing has been written, UPSTREAM_KEY_ECHO, CLIENT_GONE.
 */
enum reason relay_feed(struct relay *relay, uint8_t *bytes, size_t length,
		       struct failure *failure) __attribute__((warn_unused_result));

/* The service has ended the connection: the end of the answer if its head says
 * so, else UPSTREAM_PROTOCOL. */
enum reason relay_end(struct relay *relay, struct failure *failure)
	__attribute__((warn_unused_result));

/* The agent has the last event of a stream: that it leaves now, before the end of the
 * body, is how some clients end one (Codex does with each). */
bool relay_said_all(const struct relay *relay);

/* Something waits for the agent. */
bool relay_pending(const struct relay *relay);

/* Writes what waits, as far as the agent takes it.  REASON_OK or CLIENT_GONE. */
enum reason relay_flush(struct relay *relay) __attribute__((warn_unused_result));

#endif
