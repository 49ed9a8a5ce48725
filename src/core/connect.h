/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_CONNECT_H
#define ANET_CORE_CONNECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/http1.h"
#include "core/limits.h"
#include "core/reason.h"

/*
 * The head of a CONNECT request (RFC 9110 9.3.6, RFC 9112 3.2.3), as strict as
 * core/http1.h: `CONNECT HOST:443 HTTP/1.1`, or HTTP/1.0, which some clients' libraries
 * still say here; one Host at most, which then is the same host; no body.
 */
struct connect_request {
	bool done; /* all below is complete */
	char host[LIMIT_HOST_NAME + 1]; /* as hostname_check() takes it */
	size_t length; /* of the head; what lies behind it is the client's for the host */
	const char *detail; /* static; why parse() refused */

	struct http1_head head; /* of the parser */
};

void connect_request_init(struct connect_request *request);

/*
 * As http1_head_parse(): to be called with the same bytes and more until `done`; there
 * are at most LIMIT_CONNECT_HEAD.  REASON_OK; TUNNEL_REQUEST for any other method or
 * form, also for a plain `http://` request; TUNNEL_PORT, TUNNEL_NAME; HTTP_MALFORMED,
 * HTTP_VERSION, HTTP_FRAMING, HTTP_HEAD_TOO_LARGE.
 */
enum reason connect_request_parse(struct connect_request *request, const uint8_t *buffer,
				  size_t length);

#endif
