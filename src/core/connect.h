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
	/* As hostname_check() takes it, also where something behind it is what is
	 * refused; else empty. */
	char host[LIMIT_HOST_NAME + 1];
	size_t length; /* of the head; what lies behind it is the client's for the host
			*/
	const char *detail; /* static; why parse() refused */

	/* Of the parser.  Once it is done, `method_name` and `path`, the target, are
	 * what the client said, unchecked. */
	struct http1_head head;
};

void connect_request_init(struct connect_request *request);

/*
 * As http1_head_parse(): to be called with the same bytes and more until `done`; there
 * are at most LIMIT_CONNECT_HEAD.  The whole head is read before it is judged, so that
 * the client is ready for an answer.  REASON_OK; TUNNEL_REQUEST for any other method,
 * also for a plain `http://` request; TUNNEL_PORT, TUNNEL_NAME; HTTP_MALFORMED,
 * HTTP_VERSION, HTTP_FRAMING, HTTP_HEAD_TOO_LARGE, or what http1_head.refusal may be.
 */
enum reason connect_request_parse(struct connect_request *request,
				  const uint8_t *buffer, size_t length);

#endif
