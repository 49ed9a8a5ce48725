/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_GATEWAY_GATEWAY_H
#define ANET_GATEWAY_GATEWAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/handover.h"
#include "core/http1.h"
#include "core/ledger.h"
#include "core/policy.h"
#include "core/reason.h"
#include "core/run.h"
#include "core/upstream-record.h"
#include "gateway/judge.h"

/*
 * The parts of anet-gateway.  A function that returns enum reason gives
 * REASON_OK, or why this request or the connection cannot go on: a reason that
 * has an HTTP status is to be answered, one without ends the connection.
 */
struct gateway {
	const struct policy *policy;
	const struct ledger *ledger;
	int conn; /* the agent's connection */
	int pair; /* to anet-upstream */
	/* What was received and not yet used: buffer[start..end). */
	uint8_t *buffer; /* LIMIT_HTTP_HEAD bytes */
	size_t start, end;
	/* What a request must prove to know, of ENDPOINT_KEY_BYTES; "": nothing,
	 * since nobody else can connect. */
	char key[ENDPOINT_KEY_BYTES + 1];
	struct report report; /* counts for the outcome */
	uint64_t refused;
};

/* A request whose head was read and found acceptable, or refused. */
struct request {
	enum http1_method method;
	const struct route *route; /* NULL: none */
	bool close;		   /* no further request after this one */
	bool expects_continue;
	bool chunked;
	uint64_t content_length;
	uint32_t flags; /* enum upstream_request_flags */
	/* All anthropic-beta fields joined by ", ", allocated; NULL: none. */
	uint8_t *beta;
	size_t beta_length;
	char detail[LIMIT_DETAIL + 1]; /* why it is refused */
	bool told;		       /* the upstream has told the supervisor why */
};

/* A request body, at most LIMIT_BODY_BYTES. */
struct body {
	uint8_t *data; /* allocated */
	size_t length, size;
};

/* gateway-io.c */

uint64_t now_usec(void);

/* Waits until more bytes are there and adds them to the buffer, which must have
 * room.  HTTP_TIMEOUT at the deadline (microseconds of now_usec()), CLIENT_GONE
 * at the end of the agent's bytes, SUPERVISOR_GONE, SYSTEM. */
enum reason gateway_receive(struct gateway *g, uint64_t deadline);

/* Waits until more bytes are there and reads up to `size` of them, which is not 0, to
 * `bytes`.  As above. */
enum reason gateway_receive_into(struct gateway *g, uint8_t *bytes, size_t size,
				 uint64_t deadline, size_t *ret_got);

/* Between two requests: waits for the first byte of the next, and gives back
 * memory when none comes at once.  As above, and HELPER_DIED when the upstream
 * has ended. */
enum reason gateway_wait_for_request(struct gateway *g);

/* Waits for a record of the upstream, or its end; gives back memory as above. */
enum reason gateway_wait_for_upstream(struct gateway *g);

/* Sends all; the agent has to take it within a fixed time. */
enum reason gateway_send(struct gateway *g, const void *bytes, size_t length);

/* Closes so that the agent gets what was sent last: no more bytes out, what
 * still comes in is thrown away, within bounds. */
void gateway_close(struct gateway *g);

/* gateway-answer.c */

/* Answers that the request is refused and tells the supervisor, unless
 * request->told.  `request` may be NULL (no head could be read); `detail` may
 * quote the agent's bytes. */
enum reason gateway_refuse(struct gateway *g, const struct request *request,
			   enum reason reason, const char *detail, bool close);

/* Answers with what the gateway knows itself: an empty page, or the list of
 * models. */
enum reason gateway_answer_locally(struct gateway *g, const struct request *request);

/* gateway-request.c */

/* What is served, and how. */
struct route {
	enum endpoint endpoint; /* 0: answered by the gateway itself */
	const char *path;	/* of those; the model service's have endpoint_path() */
	bool models;		/* the list of models */
};

/* The Allow field for a route. */
const char *route_methods(const struct route *route);

/* Reads and serves requests until the connection ends.  REASON_OK when that is
 * nobody's fault. */
enum reason gateway_serve(struct gateway *g);

/* gateway-key.c */

/* Whether the request may be served at all: it holds the endpoint's key as an API
 * key or as a bearer token, where there is one.  REASON_OK or ENDPOINT_KEY. */
enum reason gateway_check_key(const struct gateway *g, const struct http1_head *head);

/* gateway-body.c */

/* Reads the request's body to its end, into `body`; NULL: throws it away.  The
 * caller frees body->data in any case. */
enum reason gateway_read_body(struct gateway *g, const struct request *request,
			      struct body *body, const char **ret_detail);

/* gateway-forward.c */

/* How a forwarded request has left the agent's connection. */
struct forwarded {
	bool close;    /* no further request can be served on it */
	bool answered; /* the agent has got at least a byte of an answer */
	bool told;     /* the upstream has told the supervisor why */
};

/* Hands the judged body to the upstream, clears the judgement, and waits until the
 * answer has been sent.  Unless REASON_OK, *ret_detail says why, and the refusal is
 * still to be answered unless ret->answered: what broke off cannot be told from the
 * beginning of another answer, so that then the connection has to end.  *ret is
 * filled in by the caller with zeros. */
enum reason gateway_forward(struct gateway *g, const struct upstream_request *record,
			    struct judgement *judgement, struct forwarded *ret,
			    char ret_detail[LIMIT_DETAIL + 1]);

#endif
