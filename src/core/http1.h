/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_HTTP1_H
#define ANET_CORE_HTTP1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/limits.h"
#include "core/reason.h"

/*
 * Parser of the head of an HTTP/1.1 request (RFC 9112 2 to 6).  It takes no
 * memory and copies nothing: a slice is a place in the caller's buffer.
 *
 * It knows one spelling of everything that says where a request ends, and
 * refuses what two programs could read differently:
 *   - lines end with CR LF; a CR or LF elsewhere, NUL, other control bytes and
 *     folded lines are refused; one empty line before the request is allowed
 *     (RFC 9112 2.2);
 *   - the request line is METHOD SP TARGET SP HTTP/1.1 with single spaces; the
 *     target is in origin-form (`/…`).  absolute-form, authority-form and `*`
 *     are for proxies and OPTIONS, which are not served here;
 *   - no white space in or behind a field name;
 *   - exactly one Host, not empty (RFC 9112 3.2);
 *   - either one Content-Length (digits only, fits 64 bits) or one
 *     Transfer-Encoding: chunked (in any case), never both, and for these two
 *     no white space but one space behind the colon.
 *
 * As a proxy (core/connect.h) it takes any form of target, which it does not look
 * into, HTTP/1.0 too, and requests without Host.
 */
struct http1_slice {
	uint16_t offset;
	uint16_t length;
};

struct http1_field {
	struct http1_slice name;
	struct http1_slice value; /* without white space around it */
};

enum http1_method {
	HTTP1_OTHER = 0,
	HTTP1_GET,
	HTTP1_HEAD,
	HTTP1_POST,
};

struct http1_head {
	bool done; /* all below is complete; `scanned` bytes belong to the head */
	/* The framing is clear, but the request is not acceptable: 100-continue
	 * is not what it expects, it wants another protocol, or its body is
	 * compressed.  The first such thing, else REASON_OK. */
	enum reason refusal;
	const char *detail; /* static; why, for `refusal` and parse()'s result */

	enum http1_method method;
	struct http1_slice method_name;
	struct http1_slice path;  /* up to the `?`; for a proxy the whole target */
	struct http1_slice query; /* behind the `?`; empty without one */
	bool close;		  /* Connection: close */
	bool expects_continue;
	bool chunked;
	bool has_length;
	uint64_t content_length; /* 0 without has_length */
	size_t n_fields;
	struct http1_field fields[LIMIT_HTTP_HEADERS];

	/* Of the parser: */
	bool for_proxy;
	enum reason failed;
	size_t scanned;
	size_t line; /* where the line being scanned begins */
	bool after_cr;
	bool had_request_line;
	bool had_empty_line;
	bool has_host;
	bool has_coding;
};

void http1_head_init(struct http1_head *head);
void http1_head_init_proxy(struct http1_head *head);

/*
 * Goes on where the last call stopped: `buffer` holds the same bytes as then,
 * and perhaps more (the address may have changed).  To be called with more
 * until `done`.  The result depends on the bytes only, not on how they were
 * split.  Returns REASON_OK, or the refusal, which it repeats from then on;
 * nothing is known then about where the request ends.  Slices lie inside the
 * first head->scanned bytes, of which there are at most LIMIT_HTTP_HEAD.
 */
enum reason http1_head_parse(struct http1_head *head, const uint8_t *buffer,
			     size_t length);

/* The first field from number `from` on whose name is `name` (lower case, RFC
 * 9110 5.1); head->n_fields if there is none. */
size_t http1_head_find(const struct http1_head *head, const uint8_t *buffer,
		       const char *name, size_t from);

/* Whether the slice is exactly `text`. */
bool http1_slice_is(const uint8_t *buffer, struct http1_slice slice, const char *text);

#endif
