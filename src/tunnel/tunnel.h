/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TUNNEL_TUNNEL_H
#define ANET_TUNNEL_TUNNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/connect.h"
#include "core/handover.h"
#include "core/ledger.h"
#include "core/policy.h"
#include "core/tls-hello.h"
#include "os/failure.h"

/* One tunnel, and what its first process has. */
struct tunnel {
	const struct policy *policy;
	struct ledger *ledger;
	int conn;		  /* the agent's connection */
	int server;		  /* the host's; -1 until it is there */
	int dialer;		  /* the socket to the second process */
	int sent[2], received[2]; /* pipes, for the two directions */
	struct report report;	  /* the outcome */
	bool opened;		  /* past the hello */

	/* What was read of the agent's and not passed on: first of the head, then of
	 * the hello. */
	size_t length;
	uint8_t buffer[TLS_HELLO_BYTES_MAX];
	struct connect_request request;
	struct tls_hello hello;

	/* Of a refusal: for the operator. */
	struct failure failure;
};

_Static_assert(TLS_HELLO_BYTES_MAX >= LIMIT_CONNECT_HEAD, "the buffer holds both");

/*
 * Waiting.  All of it also ends with the supervisor: SUPERVISOR_GONE.
 */

/* Until there is something of `events`, of poll(2), on the descriptor, or an error of
 * it.  REASON_OK, or HTTP_TIMEOUT at the deadline, of monotonic_ms(). */
enum reason tunnel_wait(int fd, short events, uint64_t deadline);

/* Reads what is there into the buffer, of which `size` bytes may be filled.  REASON_OK,
 * CLIENT_GONE at the end or an error of the connection, HTTP_TIMEOUT. */
enum reason client_read(struct tunnel *tunnel, size_t size, uint64_t deadline);

/* All of the bytes: REASON_OK or CLIENT_GONE. */
enum reason client_send(struct tunnel *tunnel, const void *bytes, size_t length);

/* An event: what the operator is told of a refusal, which host and why ("": what the
 * reason says).  Comes before the outcome. */
void tell_supervisor(struct tunnel *tunnel, enum reason reason, const char *why);

/* Refuses with an answer of HTTP, or an alert of TLS, tells the supervisor, and waits a
 * moment until the agent has read it. */
void client_refuse(struct tunnel *tunnel, enum reason reason);
void client_alert(struct tunnel *tunnel, enum reason reason);

/* Asks the dialer for the host of the request.  REASON_OK: `server` is there.  Else
 * what dialer.c answers, CLIENT_GONE, or SUPERVISOR_GONE. */
enum reason dial(struct tunnel *tunnel);

#endif
