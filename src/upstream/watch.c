/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/watch.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

#include "core/handover.h"

enum place { SUPERVISOR, PAIR, CONN, SERVICE, PLACES };

int64_t watch_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* always there */
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int remaining(int64_t deadline)
{
	int64_t left = deadline - watch_now();

	return left > 0 ? (int)left : 0;
}

/* Departures count before bytes: SEQPACKET sockets say POLLIN at their end. */
static enum reason judge(const struct pollfd *watched)
{
	const short gone = POLLHUP | POLLERR | POLLNVAL;

	if (watched[SUPERVISOR].revents & gone)
		return REASON_SUPERVISOR_GONE;
	if (watched[SUPERVISOR].revents)
		return REASON_HANDOVER_INVALID;
	if (watched[PAIR].revents & gone)
		return REASON_CLIENT_GONE;
	if (watched[CONN].revents & (gone | POLLRDHUP))
		return REASON_CLIENT_GONE;
	return REASON_OK;
}

enum reason watch_wait(const struct watch *watch, struct wait *wait)
{
	struct pollfd watched[PLACES] = {
		[SUPERVISOR] = {.fd = HANDOVER_FD, .events = POLLIN},
		[PAIR] = {.fd = watch->pair, .events = POLLIN},
		[CONN] = {.fd = watch->conn,
			  .events = POLLRDHUP | (wait->agent ? POLLOUT : 0)},
		/* Without events it would still wake for POLLHUP, again and again. */
		[SERVICE] = {.fd = wait->service_events ? wait->service : -1,
			     .events = wait->service_events},
	};
	enum reason reason;
	int r;

	do
		r = poll(watched, PLACES, remaining(wait->deadline));
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return REASON_SYSTEM;
	if (r == 0)
		return REASON_UPSTREAM_TIMEOUT;
	reason = judge(watched);
	if (reason != REASON_OK)
		return reason;
	if (watched[PAIR].revents)
		return REASON_HANDOVER_INVALID;
	wait->agent_ready = watched[CONN].revents & POLLOUT;
	wait->service_ready = watched[SERVICE].revents != 0;
	return REASON_OK;
}

enum reason watch_idle(const struct watch *watch)
{
	struct pollfd watched[PLACES] = {
		[SUPERVISOR] = {.fd = HANDOVER_FD, .events = POLLIN},
		[PAIR] = {.fd = watch->pair, .events = POLLIN},
		[CONN] = {.fd = -1},
		[SERVICE] = {.fd = -1},
	};
	int r;

	do
		r = poll(watched, PLACES, -1);
	while (r < 0 && errno == EINTR);
	return r < 0 ? REASON_SYSTEM : judge(watched);
}
