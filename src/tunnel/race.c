/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tunnel/race.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/clock.h"

/* RFC 8305 8: the Connection Attempt Delay. */
#define DELAY_MS 250
#define CONNECT_MS (LIMIT_CONNECT_SECONDS * 1000)

/* The sockets of the addresses in their order; those that failed are closed. */
struct race {
	const struct addresses *addresses;
	struct pollfd sockets[LIMIT_ADDRESSES + 1]; /* the last one: the owner's */
	uint64_t deadlines[LIMIT_ADDRESSES];
	size_t begun;
	uint64_t next; /* when the next one begins */
	int winner;
	struct failure *failure;
	enum reason reason; /* that it will have if nobody else answers */
	int error;
};

static void lose(struct race *race, size_t number, int error)
{
	bool unrouted = error == ENETUNREACH || error == EAFNOSUPPORT;
	char text[INET6_ADDRSTRLEN];

	close_fd(&race->sockets[number].fd);
	race->next = 0;
	/* A machine without IPv6 has failed to use it, which explains nothing. */
	if (race->error && unrouted)
		return;
	race->error = error;
	race->reason =
		error == ETIMEDOUT ? REASON_TUNNEL_TIMEOUT : REASON_TUNNEL_UNREACHABLE;
	socket_address_format(&race->addresses->list[number], text);
	failure_set(race->failure, race->reason, "%s port %u: %s", text,
		    ntohs(race->addresses->list[number].in.sin_port), strerror(error));
}

static void begin(struct race *race, uint64_t now)
{
	size_t number = race->begun++;
	const union socket_address *address = &race->addresses->list[number];
	bool ipv4 = address->any.sa_family == AF_INET;
	int fd = socket(address->any.sa_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	race->sockets[number] = (struct pollfd){.fd = fd, .events = POLLOUT};
	race->deadlines[number] = now + CONNECT_MS;
	race->next = now + DELAY_MS;
	if (fd < 0 || (connect(fd, &address->any,
			       ipv4 ? sizeof(address->in) : sizeof(address->in6)) < 0 &&
		       errno != EINPROGRESS))
		lose(race, number, errno);
}

/* Milliseconds until something is due; -1: nothing is. */
static int next_due(const struct race *race, uint64_t now)
{
	uint64_t due = race->begun < race->addresses->count ? race->next : UINT64_MAX;

	for (size_t i = 0; i < race->begun; i++)
		if (race->sockets[i].fd >= 0 && race->deadlines[i] < due)
			due = race->deadlines[i];
	if (due == UINT64_MAX)
		return -1;
	return due <= now ? 0 : (int)(due - now);
}

static void look(struct race *race, uint64_t now)
{
	for (size_t i = 0; i < race->begun && race->winner < 0; i++) {
		struct pollfd *polled = &race->sockets[i];
		socklen_t size = sizeof(int);
		int error = 0;

		if (polled->fd < 0)
			continue;
		if (polled->revents &&
		    getsockopt(polled->fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
			error = errno;
		if (polled->revents && error == 0)
			race->winner = take_fd(&polled->fd);
		else if (polled->revents)
			lose(race, i, error);
		else if (race->deadlines[i] <= now)
			lose(race, i, ETIMEDOUT);
	}
}

/* false: the owner wants no more, or nobody is left in the race. */
static bool run(struct race *race)
{
	struct pollfd *owner = &race->sockets[LIMIT_ADDRESSES];

	while (race->winner < 0) {
		uint64_t now = monotonic_ms();
		int due;

		if (race->begun < race->addresses->count && race->next <= now) {
			begin(race, now);
			continue;
		}
		due = next_due(race, now);
		if (due < 0)
			return false;
		if (poll(race->sockets, LIMIT_ADDRESSES + 1, due) < 0 && errno != EINTR)
			return false;
		if (owner->revents) {
			race->reason = REASON_SUPERVISOR_GONE;
			return false;
		}
		look(race, monotonic_ms());
	}
	return true;
}

enum reason race_connect(const struct addresses *addresses, int owner, int *ret_fd,
			 struct failure *failure)
{
	struct race race = {
		.addresses = addresses,
		.winner = -1,
		.failure = failure,
		.reason = REASON_TUNNEL_UNREACHABLE,
	};
	int on = 1;
	bool won;

	for (size_t i = 0; i < LIMIT_ADDRESSES; i++)
		race.sockets[i].fd = -1;
	race.sockets[LIMIT_ADDRESSES] = (struct pollfd){.fd = owner, .events = POLLIN};
	won = run(&race);
	for (size_t i = 0; i < race.begun; i++)
		close_fd(&race.sockets[i].fd);
	if (!won)
		return race.reason;
	/* What is passed on has been put together by its sender already. */
	(void)setsockopt(race.winner, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*ret_fd = race.winner;
	return REASON_OK;
}
