/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include "gateway/gateway.h"

#define SECOND UINT64_C(1000000)
/* Agents keep connections for minutes between two turns of a person. */
#define IDLE_USEC (600 * SECOND)
/* A pause after which memory of the last request is not needed soon. */
#define PAUSE_USEC (1 * SECOND)
/* Answers are small; an agent that does not take one in this time is gone. */
#define SEND_USEC (30 * SECOND)
/* What an agent may still send after a refusal: it gets the answer only if
 * none of its bytes is left unread (RFC 9112 9.6).  Somewhat more than the
 * largest request that an agent sends by mistake. */
#define LINGER_BYTES (UINT64_C(32) * 1024 * 1024)
#define LINGER_USEC (10 * SECOND)
#define LINGER_SILENCE_USEC (2 * SECOND)

/* The two ends that a wait may have besides what it waits for. */
enum watch {
	WATCH_SUPERVISOR,
	WATCH_BOTH, /* and the upstream */
};

uint64_t now_usec(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec / 1000;
}

static int milliseconds_until(uint64_t deadline)
{
	uint64_t now = now_usec();

	/* Rounded up: waking up early would mean to spin. */
	return deadline <= now ? 0 : (int)((deadline - now + 999) / 1000);
}

static enum reason wait_for(struct gateway *g, int fd, short events, uint64_t deadline,
			    enum watch watch)
{
	struct pollfd set[] = {
		{.fd = HANDOVER_FD, .events = POLLIN},
		{.fd = fd, .events = events},
		{.fd = watch == WATCH_BOTH ? g->pair : -1, .events = POLLIN},
	};

	for (;;) {
		int n = poll(set, 3, milliseconds_until(deadline));

		if (n < 0 && errno != EINTR)
			return REASON_SYSTEM;
		if (n < 0)
			continue;
		/* Nothing is ever sent there after the connection: it ended. */
		if (set[0].revents)
			return REASON_SUPERVISOR_GONE;
		if (set[1].revents)
			return REASON_OK;
		if (set[2].revents)
			return REASON_HELPER_DIED;
		if (n == 0 && now_usec() >= deadline)
			return REASON_HTTP_TIMEOUT;
	}
}

enum reason gateway_receive_into(struct gateway *g, uint8_t *bytes, size_t size,
				 uint64_t deadline, size_t *ret_got)
{
	for (;;) {
		/* Of a large body most is there already. */
		ssize_t got = recv(g->conn, bytes, size, MSG_DONTWAIT);
		enum reason reason;

		if (got > 0) {
			g->report.bytes_in += (uint64_t)got;
			*ret_got = (size_t)got;
			return REASON_OK;
		}
		if (got == 0 || errno == ECONNRESET || errno == ETIMEDOUT)
			return REASON_CLIENT_GONE;
		if (errno != EAGAIN && errno != EINTR)
			return REASON_SYSTEM;
		reason = wait_for(g, g->conn, POLLIN, deadline, WATCH_SUPERVISOR);
		if (reason != REASON_OK)
			return reason;
	}
}

enum reason gateway_receive(struct gateway *g, uint64_t deadline)
{
	size_t got = 0;
	enum reason reason = gateway_receive_into(
		g, g->buffer + g->end, LIMIT_HTTP_HEAD - g->end, deadline, &got);

	g->end += got;
	return reason;
}

enum reason gateway_wait_for_request(struct gateway *g)
{
	uint64_t start = now_usec();
	enum reason reason =
		wait_for(g, g->conn, POLLIN, start + PAUSE_USEC, WATCH_BOTH);

	if (reason != REASON_HTTP_TIMEOUT)
		return reason;
	(void)malloc_trim(0); /* 0 only says that there was nothing to give back */
	return wait_for(g, g->conn, POLLIN, start + IDLE_USEC, WATCH_BOTH);
}

enum reason gateway_wait_for_upstream(struct gateway *g)
{
	enum reason reason =
		wait_for(g, g->pair, POLLIN, now_usec() + PAUSE_USEC, WATCH_SUPERVISOR);

	if (reason == REASON_HTTP_TIMEOUT)
		(void)malloc_trim(0); /* as above */
	/* How long an answer may take is the upstream's to decide. */
	while (reason == REASON_HTTP_TIMEOUT)
		reason = wait_for(g, g->pair, POLLIN, now_usec() + IDLE_USEC,
				  WATCH_SUPERVISOR);
	return reason;
}

enum reason gateway_send(struct gateway *g, const void *bytes, size_t length)
{
	uint64_t deadline = now_usec() + SEND_USEC;
	const uint8_t *at = bytes;

	while (length > 0) {
		ssize_t sent = send(g->conn, at, length, MSG_DONTWAIT | MSG_NOSIGNAL);
		enum reason reason;

		if (sent >= 0) {
			g->report.bytes_out += (uint64_t)sent;
			at += sent;
			length -= (size_t)sent;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return REASON_CLIENT_GONE;
		reason = wait_for(g, g->conn, POLLOUT, deadline, WATCH_SUPERVISOR);
		if (reason != REASON_OK)
			return reason == REASON_HTTP_TIMEOUT ? REASON_CLIENT_GONE
							     : reason;
	}
	return REASON_OK;
}

void gateway_close(struct gateway *g)
{
	uint64_t end = now_usec() + LINGER_USEC;
	uint64_t bytes = 0;

	if (shutdown(g->conn, SHUT_WR) < 0)
		return; /* the agent has closed or reset it already */
	while (bytes < LINGER_BYTES) {
		uint64_t silence = now_usec() + LINGER_SILENCE_USEC;
		size_t got = 0;

		if (gateway_receive_into(g, g->buffer, LIMIT_HTTP_HEAD,
					 silence < end ? silence : end,
					 &got) != REASON_OK)
			return;
		bytes += got;
	}
}
