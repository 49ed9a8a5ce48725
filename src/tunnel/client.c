/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "os/clock.h"
#include "os/handover.h"
#include "os/report.h"
#include "tunnel/tunnel.h"

#define SECOND UINT64_C(1000)
/* Answers are small; an agent that does not take one in this time is gone. */
#define SEND_MS (10 * SECOND)
/* What an agent may still send after a refusal: it gets the answer only if none of its
 * bytes is left unread (RFC 9112 9.6).  A hello with data behind it. */
#define LINGER_BYTES (UINT64_C(1024) * 1024)
#define LINGER_MS (5 * SECOND)
#define LINGER_SILENCE_MS (2 * SECOND)
/* A sentence, a name and why. */
#define LINE_BYTES 1024
/* What is quoted of a target that is no name, before it is escaped. */
#define QUOTED_BYTES 64

enum reason tunnel_wait(int fd, short events, uint64_t deadline)
{
	struct pollfd set[] = {
		{.fd = HANDOVER_FD, .events = POLLIN},
		{.fd = fd, .events = events},
	};

	for (;;) {
		uint64_t now = monotonic_ms();
		int n = poll(set, 2, now < deadline ? (int)(deadline - now) : 0);

		if (n < 0 && errno != EINTR)
			return REASON_SYSTEM;
		if (n < 0)
			continue;
		/* Nothing is ever sent there after the connection: it ended. */
		if (set[0].revents)
			return REASON_SUPERVISOR_GONE;
		if (set[1].revents)
			return REASON_OK;
		if (monotonic_ms() >= deadline)
			return REASON_HTTP_TIMEOUT;
	}
}

enum reason client_read(struct tunnel *tunnel, size_t size, uint64_t deadline)
{
	for (;;) {
		ssize_t got = recv(tunnel->conn, tunnel->buffer + tunnel->length,
				   size - tunnel->length, MSG_DONTWAIT);
		enum reason reason;

		if (got > 0) {
			tunnel->length += (size_t)got;
			return REASON_OK;
		}
		if (got == 0 || (errno != EAGAIN && errno != EINTR))
			return REASON_CLIENT_GONE;
		reason = tunnel_wait(tunnel->conn, POLLIN, deadline);
		if (reason != REASON_OK)
			return reason;
	}
}

enum reason client_send(struct tunnel *tunnel, const void *bytes, size_t length)
{
	uint64_t deadline = monotonic_ms() + SEND_MS;
	const uint8_t *at = bytes;

	while (length > 0) {
		ssize_t sent =
			send(tunnel->conn, at, length, MSG_DONTWAIT | MSG_NOSIGNAL);
		enum reason reason;

		if (sent >= 0) {
			at += sent;
			length -= (size_t)sent;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return REASON_CLIENT_GONE;
		reason = tunnel_wait(tunnel->conn, POLLOUT, deadline);
		if (reason != REASON_OK)
			return reason == REASON_HTTP_TIMEOUT ? REASON_CLIENT_GONE
							     : reason;
	}
	return REASON_OK;
}

/* Takes what still comes, and forgets it. */
static void linger(struct tunnel *tunnel)
{
	uint64_t end = monotonic_ms() + LINGER_MS;
	uint64_t bytes = 0;

	if (shutdown(tunnel->conn, SHUT_WR) < 0)
		return; /* the agent has closed or reset it already */
	while (bytes < LINGER_BYTES) {
		uint64_t silence = monotonic_ms() + LINGER_SILENCE_MS;

		tunnel->length = 0;
		if (client_read(tunnel, sizeof(tunnel->buffer),
				silence < end ? silence : end) != REASON_OK)
			return;
		bytes += tunnel->length;
	}
}

void tell_supervisor(struct tunnel *tunnel, enum reason reason, const char *why)
{
	const struct connect_request *request = &tunnel->request;
	struct http1_slice target = request->head.path;
	struct report event = {
		.kind = HANDOVER_TUNNEL,
		.connection = tunnel->report.connection,
	};
	char quoted[4 * QUOTED_BYTES + 1];
	const char *host = request->host;

	/* What the client asked for where that is no host's name. */
	if (!*host && request->head.done) {
		escape_ascii(tunnel->buffer + target.offset,
			     target.length < QUOTED_BYTES ? target.length
							  : QUOTED_BYTES,
			     quoted, sizeof(quoted));
		host = quoted;
	}
	/* A reason with a status is told with its own sentence before this. */
	if (!*why && reason_http_status(reason) == 0)
		why = reason_sentence(reason);
	if (tunnel->failure.detail[0])
		report_send(&event, REPORT_EVENT, reason, "%s", tunnel->failure.detail);
	else if (*host)
		report_send(&event, REPORT_EVENT, reason, "'%s'%s%s", host,
			    *why ? ": " : "", why);
	else
		report_send(&event, REPORT_EVENT, reason, "%s", why);
}

void client_refuse(struct tunnel *tunnel, enum reason reason)
{
	const char *host = tunnel->request.host;
	const char *why = tunnel->request.detail ? tunnel->request.detail : "";
	bool both = *host && *why;
	char line[LINE_BYTES], answer[2 * LINE_BYTES + 256];
	int length;

	tell_supervisor(tunnel, reason, why);
	/* In the first line as well: pip, npm and wget show that and nothing else,
	 * curl and git when they are asked to say more.  Only what has been checked
	 * to be a name is quoted. */
	length = snprintf(line, sizeof(line), "anet: %s%s%s%s%s%s",
			  reason_sentence(reason), *host || *why ? " [" : "", host,
			  both ? ": " : "", why, *host || *why ? "]" : "");
	length = snprintf(
		answer, sizeof(answer),
		"HTTP/1.1 %d %s\r\ncontent-type: text/plain\r\n"
		"content-length: %d\r\nanet-reason: %s\r\n%s"
		"connection: close\r\n\r\n%s\n",
		reason_http_status(reason), line, length + 1, reason_code(reason),
		/* RFC 9110 15.5.6. */
		reason == REASON_TUNNEL_REQUEST ? "allow: CONNECT\r\n" : "", line);
	if (client_send(tunnel, answer, (size_t)length) == REASON_OK)
		linger(tunnel);
}

void client_alert(struct tunnel *tunnel, enum reason reason)
{
	/* RFC 8446 6: a fatal access_denied, in a record of its own. */
	static const uint8_t alert[] = {21, 3, 1, 0, 2, 2, 49};

	tell_supervisor(tunnel, reason,
			tunnel->hello.detail ? tunnel->hello.detail : "");
	if (client_send(tunnel, alert, sizeof(alert)) == REASON_OK)
		linger(tunnel);
}
