/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_HTTP1_CHUNKED_H
#define ANET_CORE_HTTP1_CHUNKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/reason.h"

/*
 * Decoder of the chunked transfer coding (RFC 9112 7.1) that copies nothing
 * and may be fed any split of the bytes.  One grammar, without the leniency
 * that lets two programs see two different bodies:
 *   - a size is 1 to 16 hexadecimal digits, which cannot overflow 64 bits; no
 *     sign, no space, no `0x`;
 *   - each line ends with exactly CR LF;
 *   - extensions are skipped, as RFC 9112 7.1.1 demands, but may hold no
 *     control byte; a line has at most LIMIT_HTTP_CHUNK_LINE bytes;
 *   - trailer fields are refused: no agent sends any, and to merge them into the
 *     head is where others went wrong.  Of a service's answer they are thrown away
 *     (RFC 9112 7.1.2), up to LIMIT_RESPONSE_TRAILERS bytes.
 * How much data there may be in all is the caller's to say.
 */
struct http1_chunked {
	bool done; /* the last byte of the body has been consumed */
	uint8_t state;
	bool skip_trailers;  /* the caller's, after init() */
	uint8_t digits;	     /* of this chunk's size */
	uint16_t line_bytes; /* of this chunk-size line, or of all trailer fields */
	uint64_t remaining;  /* of this chunk's data; its size once the line is read */
	const char *detail;  /* static; why feed() refused, else NULL */
};

void http1_chunked_init(struct http1_chunked *c);

/*
 * Consumes up to `length` bytes of `in` and stops after at most one piece of
 * data, which lies inside `in`: *ret_used bytes are consumed, the piece is
 * *ret_data, *ret_length (NULL, 0 if there was none).  Consumes nothing once
 * c->done.  To be called until done or all is consumed.  Returns REASON_OK, or
 * REASON_HTTP_FRAMING, which it repeats from then on.
 */
enum reason http1_chunked_feed(struct http1_chunked *c, const uint8_t *in,
			       size_t length, size_t *ret_used,
			       const uint8_t **ret_data, size_t *ret_length);

#endif
