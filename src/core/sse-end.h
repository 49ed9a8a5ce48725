/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_SSE_END_H
#define ANET_CORE_SSE_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether a stream of server-sent events (WHATWG HTML 9.2) has said the last that it
 * has to say, as the APIs mark it: agents then close their connection without waiting
 * for the end of the HTTP body.  What a model writes cannot look so: inside JSON no
 * line ends.
 */
#define SSE_END_LINE 64

struct sse_end {
	bool seen; /* the last event is there, with the empty line behind it */
	/* Of the parser. */
	bool last;	/* the event being read is it */
	bool too_long;	/* this line is longer than line[] */
	uint8_t length; /* of line[] */
	char line[SSE_END_LINE];
};

/* An object of zeros has read nothing.  Takes any number of bytes, in any split. */
void sse_end_feed(struct sse_end *end, const uint8_t *bytes, size_t length);

#endif
