/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/relay.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "upstream/relay-head.h"

void relay_init(struct relay *relay, int conn, const struct policy *policy,
		const struct ledger *ledger, const uint8_t *key, size_t key_length)
{
	int on = 1;

	memset(relay, 0, offsetof(struct relay, head));
	relay->conn = conn;
	relay->policy = policy;
	relay->ledger = ledger;
	needle_init(&relay->needle, key, key_length);
	/* Each event at once.  Where the agent's connection is no TCP there is
	 * nothing to switch off. */
	(void)setsockopt(conn, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

void relay_begin(struct relay *relay, bool last)
{
	relay->last = last;
	relay->head_sent = relay->complete = relay->surplus = false;
	relay->body_bytes = 0;
	relay->text_length = 0;
	relay->pending_begin = relay->pending_end = 0;
	relay->end = (struct sse_end){.seen = false};
	needle_reset(&relay->needle);
	http1_chunked_init(&relay->chunked);
	relay->chunked.skip_trailers = true;
	http1_response_init(&relay->head);
}

bool relay_said_all(const struct relay *relay)
{
	return relay->end.seen && !relay_pending(relay);
}

bool relay_pending(const struct relay *relay)
{
	return relay->pending_begin < relay->pending_end;
}

/* Bytes taken, 0 if none can be taken now; -1: the agent is gone. */
static ssize_t send_parts(struct relay *relay, struct iovec *parts, size_t n_parts)
{
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = n_parts};
	ssize_t sent;

	do
		sent = sendmsg(relay->conn, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return errno == EAGAIN ? 0 : -1;
	if (sent > 0)
		relay->head_sent = true;
	return sent;
}

enum reason relay_flush(struct relay *relay)
{
	struct iovec part = {
		.iov_base = relay->pending + relay->pending_begin,
		.iov_len = relay->pending_end - relay->pending_begin,
	};
	ssize_t sent = send_parts(relay, &part, 1);

	if (sent < 0)
		return REASON_CLIENT_GONE;
	relay->pending_begin += (size_t)sent;
	return REASON_OK;
}

/* One write of all parts; what is not taken is kept. */
static enum reason write_parts(struct relay *relay, struct iovec *parts, size_t n_parts)
{
	ssize_t sent = send_parts(relay, parts, n_parts);
	size_t skip;

	if (sent < 0)
		return REASON_CLIENT_GONE;
	skip = (size_t)sent;
	relay->pending_begin = relay->pending_end = 0;
	for (size_t i = 0; i < n_parts; i++) {
		size_t length = parts[i].iov_len;

		if (skip < length) {
			length -= skip;
			assert(length <= sizeof(relay->pending) - relay->pending_end);
			memcpy(relay->pending + relay->pending_end,
			       (const uint8_t *)parts[i].iov_base + skip, length);
			relay->pending_end += length;
			skip = 0;
		} else {
			skip -= length;
		}
	}
	return REASON_OK;
}

/* Writes the head if that has not been done, and the next bytes of the body:
 * what was held back and may go, then the piece, then (at the end) what is
 * still held back, for no more of the key can come. */
static enum reason emit(struct relay *relay, uint8_t *piece,
			struct needle_release release)
{
	const struct needle *needle = &relay->needle;
	size_t rest = relay->complete ? needle->matched : 0;
	size_t body = release.held + release.piece + rest;
	bool chunked = relay->head.body == HTTP1_BODY_CHUNKED ||
		       relay->head.body == HTTP1_BODY_UNTIL_CLOSE;
	struct iovec parts[7];
	size_t n = 0;
	char size[24];

#define PART(base, length)                                                             \
	parts[n++] = (struct iovec){.iov_base = (void *)(base), .iov_len = (length)}
	PART(relay->text, relay->text_length);
	relay->text_length = 0;
	if (chunked && body > 0)
		PART(size, (size_t)snprintf(size, sizeof(size), "%zx\r\n", body));
	PART(needle->bytes, release.held);
	PART(piece, release.piece);
	PART(needle->bytes, rest);
	if (chunked && body > 0)
		PART("\r\n", 2);
	if (chunked && relay->complete)
		PART("0\r\n\r\n", 5);
#undef PART
	relay->body_bytes += body;
	if (parts[0].iov_len == 0 && body == 0 && !relay->complete)
		return REASON_OK; /* only framing came, or all is held back */
	return write_parts(relay, parts, n);
}

/* Takes the body's bytes out of their framing, in place. */
static enum reason decode_chunks(struct relay *relay, uint8_t *bytes, size_t length,
				 size_t *ret_length, struct failure *failure)
{
	size_t at = 0, out = 0;

	while (at < length && !relay->chunked.done) {
		const uint8_t *data;
		size_t used, data_length;

		if (http1_chunked_feed(&relay->chunked, bytes + at, length - at, &used,
				       &data, &data_length) != REASON_OK)
			return failure_set(failure, REASON_UPSTREAM_PROTOCOL, "%s",
					   relay->chunked.detail);
		if (data_length > 0)
			memmove(bytes + out, data, data_length);
		out += data_length;
		at += used;
	}
	relay->complete = relay->chunked.done;
	relay->surplus = at < length;
	*ret_length = out;
	return REASON_OK;
}

static enum reason decode(struct relay *relay, uint8_t *bytes, size_t length,
			  size_t *ret_length, struct failure *failure)
{
	if (relay->head.body == HTTP1_BODY_CHUNKED)
		return decode_chunks(relay, bytes, length, ret_length, failure);
	if (relay->head.body == HTTP1_BODY_UNTIL_CLOSE) {
		*ret_length = length;
		return REASON_OK;
	}
	*ret_length = length < relay->remaining ? length : (size_t)relay->remaining;
	relay->remaining -= *ret_length;
	relay->complete = relay->remaining == 0;
	relay->surplus = *ret_length < length;
	return REASON_OK;
}

static enum reason feed_body(struct relay *relay, uint8_t *bytes, size_t length,
			     struct failure *failure)
{
	struct needle_release release;
	enum reason reason;

	reason = decode(relay, bytes, length, &length, failure);
	if (reason != REASON_OK)
		return reason;
	if (!needle_feed(&relay->needle, bytes, length, &release))
		return failure_set(failure, REASON_UPSTREAM_KEY_ECHO,
				   "its body, after %ju bytes",
				   (uintmax_t)relay->body_bytes);
	reason = emit(relay, bytes, release);
	if (reason == REASON_OK && relay->head.status == 200)
		sse_end_feed(&relay->end, bytes, length);
	return reason;
}

enum reason relay_feed(struct relay *relay, uint8_t *bytes, size_t length,
		       struct failure *failure)
{
	enum reason reason;
	size_t used = 0;

	assert(length > 0 && length <= RELAY_PIECE && !relay_pending(relay));
	if (!relay->head.done) {
		reason = http1_response_feed(&relay->head, bytes, length, &used);
		if (reason != REASON_OK)
			return failure_set(failure, reason, "%s", relay->head.detail);
		if (!relay->head.done)
			return REASON_OK;
		relay->remaining = relay->head.content_length;
		if (relay->head.body == HTTP1_BODY_NONE)
			relay->remaining = 0;
		reason = relay_head_write(relay, failure);
		if (reason != REASON_OK)
			return reason;
	}
	return feed_body(relay, bytes + used, length - used, failure);
}

enum reason relay_end(struct relay *relay, struct failure *failure)
{
	if (relay->head.done && relay->head.body == HTTP1_BODY_UNTIL_CLOSE) {
		relay->complete = true;
		return emit(relay, NULL, (struct needle_release){0});
	}
	return failure_set(failure, REASON_UPSTREAM_PROTOCOL,
			   relay->head.done ? "it ended the connection within the body"
			   : relay->head.length + relay->head.skipped > 0
				   ? "it ended the connection within the head"
				   : "it ended the connection without an answer");
}
