/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_HTTP1_RESPONSE_H
#define ANET_CORE_HTTP1_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/limits.h"
#include "core/reason.h"

/*
 * The head of a response (RFC 9112 4 and 5), read in any split of its bytes,
 * and what it says about the body.  As strict as the services known allow:
 * lines end with CR LF; no folded lines, no space before a colon, no control
 * bytes; one Content-Length of digits, or Transfer-Encoding of exactly
 * `chunked`, never both; HTTP/1.1, or 1.0, whose bodies are never chunked.
 * Interim responses (1xx) are skipped, a few of them; 101 is refused, because
 * nobody asked for another protocol.  A content coding is refused, because
 * only `identity` was asked for.
 */
enum http1_body {
	HTTP1_BODY_NONE,	/* 204, 304 */
	HTTP1_BODY_LENGTH,	/* content_length bytes */
	HTTP1_BODY_CHUNKED,	/* core/http1-chunked.h */
	HTTP1_BODY_UNTIL_CLOSE, /* all until the connection ends */
};

/* Places in struct http1_response.head. */
struct http1_response_field {
	uint16_t name, name_length;   /* in lower case */
	uint16_t value, value_length; /* without white space around it */
};

struct http1_response {
	bool done; /* the final head has been read; what follows counts then */
	bool keep_alive;
	uint16_t status; /* 200 to 599 */
	enum http1_body body;
	uint64_t content_length; /* HTTP1_BODY_LENGTH */
	const char *detail;	 /* static; why feed() refused, else NULL */

	size_t n_fields;
	struct http1_response_field fields[LIMIT_RESPONSE_FIELDS];

	/* Of the parser. */
	uint8_t interim;     /* heads skipped */
	size_t skipped;	     /* their bytes */
	size_t line, length; /* of head[]: begin of this line, end of all */
	uint8_t version;     /* the minor one */
	uint8_t head[LIMIT_RESPONSE_HEAD];
};

void http1_response_init(struct http1_response *response);

/*
 * Consumes up to `length` bytes, none beyond the end of the final head, and
 * puts their number into *ret_used.  Returns REASON_OK, or
 * REASON_UPSTREAM_PROTOCOL, which it repeats from then on.
 */
enum reason http1_response_feed(struct http1_response *response, const uint8_t *in,
				size_t length, size_t *ret_used)
	__attribute__((warn_unused_result));

#endif
