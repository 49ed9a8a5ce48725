/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_SESSION_CONNECTIONS_H
#define ANET_SESSION_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/reason.h"
#include "session/watch.h"

/* The connections of a run, and who carries them. */

/* Where the run connects to: its model service, or other hosts (SPEC S6, S8). */
enum endpoint_kind {
	ENDPOINT_MODEL,
	ENDPOINT_TUNNEL,
	ENDPOINT_KINDS,
};

struct endpoint {
	struct watch listener; /* fd -1: the run has none of this kind */
	bool paused;
	unsigned int tokens; /* thousandths of a connection */
	uint64_t tokens_at;  /* monotonic milliseconds */
};

/* A connection that has not sent a byte yet. */
struct waiting {
	struct watch connection;
	enum endpoint_kind kind;
	uint64_t number; /* within the session; 0: this place is free */
};

/* A gateway with its upstream, and the connection that they serve. */
struct pair {
	struct watch gateway, upstream;
	uint64_t number; /* of the connection; 0: it waits for one */
	bool used;
	bool gateway_told, upstream_told; /* an OUTCOME has come */
};

/* A helper that carries a connection to another host. */
struct tunnel {
	struct watch helper;
	uint64_t number; /* as of a pair */
	bool used;
	bool told;
};

/* Places of each of these: one for each connection, one that waits for the next, and
 * those that are just ending. */
#define MAX_PLACES 64
/* Refused connections whose clients have not read the answer yet. */
#define MAX_LINGERING 16

/* endpoint.c: accepts and counts the run's connections. */
int endpoint_begin(struct session *session, enum endpoint_kind kind, int listener);
void endpoint_tick(struct session *session, struct watch *watch, uint32_t events);
void endpoint_close(struct session *session);
/* One that was handed over has ended. */
void endpoint_connection_ended(struct session *session, enum endpoint_kind kind);

/* refuse.c: the answer to a connection that is not handed over, in the form of its
 * endpoint; takes `fd`. */
void refuse_connection(struct session *session, enum endpoint_kind kind, int fd,
		       enum reason reason);
void refuse_close(struct session *session);

/* pairs.c, tunnels.c: the helpers of connections.  One warm helper or pair waits ahead;
 * 0 or -errno.  The descriptor stays the caller's; without helpers -errno, and the
 * connection has not begun.  (0: an error of theirs tells itself.) */
int pairs_warm_up(struct session *session);
int pairs_hand_over(struct session *session, int fd, uint64_t number);
void pairs_close(struct session *session);
int tunnels_warm_up(struct session *session);
int tunnels_hand_over(struct session *session, int fd, uint64_t number);
void tunnels_close(struct session *session);

#endif
