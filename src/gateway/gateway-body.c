/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/http1-chunked.h"
#include "gateway/gateway.h"

#define SECOND UINT64_C(1000000)
/* A body must move on, and end. */
#define BODY_SILENCE_USEC (60 * SECOND)
#define BODY_USEC (600 * SECOND)
/* Where a body of unknown length begins to grow; agents' first ones have 5 to
 * 130 kB. */
#define FIRST_BYTES (64u * 1024)

/* Where in a body the reader is. */
struct reader {
	struct http1_chunked chunked;
	uint64_t remaining; /* of a body whose length is known */
	size_t length;	    /* read so far */
	struct body *body;  /* NULL: nobody wants it */
	const char *detail;
};

static enum reason too_large(struct reader *reader)
{
	reader->detail = "the chunks are larger than that in all";
	return REASON_HTTP_BODY_TOO_LARGE;
}

static enum reason reserve(struct body *body, size_t size)
{
	uint8_t *data = realloc(body->data, size);

	if (!data)
		return REASON_INTERNAL;
	body->data = data;
	body->size = size;
	return REASON_OK;
}

static enum reason append(struct reader *reader, const uint8_t *bytes, size_t length)
{
	struct body *body = reader->body;

	if (length > LIMIT_BODY_BYTES - reader->length)
		return too_large(reader);
	reader->length += length;
	if (!body || length == 0)
		return REASON_OK;
	if (length > body->size - body->length) {
		size_t size = body->size ? body->size : FIRST_BYTES;
		enum reason reason;

		while (length > size - body->length)
			size *= 2;
		reason = reserve(body,
				 size < LIMIT_BODY_BYTES ? size : LIMIT_BODY_BYTES);
		if (reason != REASON_OK)
			return reason;
	}
	memcpy(body->data + body->length, bytes, length);
	body->length += length;
	return REASON_OK;
}

static enum reason use_chunked(struct gateway *g, struct reader *reader, bool *ret_done)
{
	const uint8_t *piece;
	size_t used, length;
	enum reason reason =
		http1_chunked_feed(&reader->chunked, g->buffer + g->start,
				   g->end - g->start, &used, &piece, &length);

	if (reason != REASON_OK) {
		reader->detail = reader->chunked.detail;
		return reason;
	}
	g->start += used;
	reason = append(reader, piece, length);
	if (reason != REASON_OK)
		return reason;
	/* Told as soon as it is announced, not when it has been sent. */
	if (reader->chunked.remaining > LIMIT_BODY_BYTES - reader->length)
		return too_large(reader);
	*ret_done = reader->chunked.done;
	return REASON_OK;
}

static enum reason use_counted(struct gateway *g, struct reader *reader, bool *ret_done)
{
	size_t length = g->end - g->start;
	enum reason reason;

	if (length > reader->remaining)
		length = (size_t)reader->remaining;
	reason = append(reader, g->buffer + g->start, length);
	g->start += length;
	reader->remaining -= length;
	*ret_done = reader->remaining == 0;
	return reason;
}

/* More of the body: where its length is known to its place, else to the buffer. */
static enum reason receive_more(struct gateway *g, struct reader *reader,
				const struct request *request, uint64_t end)
{
	uint64_t silence = now_usec() + BODY_SILENCE_USEC;
	uint64_t deadline = silence < end ? silence : end;
	struct body *body = reader->body;
	enum reason reason;
	size_t got = 0;

	g->start = g->end = 0;
	if (request->chunked || !body) {
		reason = gateway_receive(g, deadline);
	} else {
		reason =
			gateway_receive_into(g, body->data + body->length,
					     (size_t)reader->remaining, deadline, &got);
		body->length += got;
		reader->length += got;
		reader->remaining -= got;
	}
	if (reason == REASON_HTTP_TIMEOUT)
		reader->detail = "the body stopped";
	return reason;
}

enum reason gateway_read_body(struct gateway *g, const struct request *request,
			      struct body *body, const char **ret_detail)
{
	struct reader reader = {.remaining = request->content_length, .body = body};
	uint64_t end = now_usec() + BODY_USEC;
	enum reason reason = REASON_OK;
	bool done = false;

	http1_chunked_init(&reader.chunked);
	/* The length is known to be within the limit: memory is taken once. */
	if (body && request->content_length > 0)
		reason = reserve(body, (size_t)request->content_length);
	while (reason == REASON_OK) {
		reason = request->chunked ? use_chunked(g, &reader, &done)
					  : use_counted(g, &reader, &done);
		if (reason != REASON_OK || done)
			break;
		if (g->start == g->end)
			reason = receive_more(g, &reader, request, end);
	}
	*ret_detail = reader.detail ? reader.detail : "";
	return reason;
}
