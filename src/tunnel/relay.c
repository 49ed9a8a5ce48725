/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two flows, one for each direction, each through a pipe, so that the bytes stay in
 * the kernel (splice(2)).  A flow reads only when its pipe is empty: a side that does
 * not read stops the other one, and the tunnel holds no more than the two pipes.
 *
 * A socket that was reset may still hold bytes that arrived before, which are passed
 * on as they would be without a tunnel; what was to go to it is dropped.
 */
#include "tunnel/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/clock.h"

#define IDLE_MS (LIMIT_TUNNEL_IDLE_SECONDS * 1000)
/* Between two looks at the other direction and the supervisor. */
#define ROUNDS 16

enum want { WANT_READ, WANT_WRITE, WANT_NOTHING };

struct flow {
	int from, to;
	int in, out; /* the pipe's end that is written, and the one that is read */
	size_t held; /* in the pipe, and reserved */
	const uint8_t *early; /* comes before what `from` has */
	size_t early_left;
	_Atomic uint64_t *counter;
	uint64_t limit;
	bool limited; /* there was more than the limit allows */
	uint64_t moved;
	bool ended;  /* nothing more is to be read */
	bool broken; /* `to` takes nothing any more */
	bool told;   /* that it ended */
	enum want want;
};

struct relay {
	struct flow sent, received;
	bool reset;
};

/* As many of the bytes as may still pass. */
static size_t reserve(struct flow *flow, size_t bytes)
{
	while (!ledger_reserve(flow->counter, bytes, flow->limit)) {
		uint64_t used = atomic_load(flow->counter);

		flow->limited = true;
		if (used >= flow->limit)
			return 0;
		if (flow->limit - used < bytes)
			bytes = (size_t)(flow->limit - used);
	}
	return bytes;
}

/* Gets something into the empty pipe; false: nothing now, or never. */
static bool fill(struct relay *relay, struct flow *flow)
{
	ssize_t got;

	if (flow->early_left > 0)
		got = write(flow->in, flow->early, flow->early_left);
	else
		got = splice(flow->from, NULL, flow->in, NULL, RELAY_PIPE_BYTES,
			     SPLICE_F_NONBLOCK);
	if (got > 0) {
		if (flow->early_left > 0) {
			flow->early += got;
			flow->early_left -= (size_t)got;
		}
		flow->held = reserve(flow, (size_t)got);
		return true;
	}
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	relay->reset = relay->reset || got < 0;
	flow->ended = true;
	return false;
}

static void drain(struct relay *relay, struct flow *flow)
{
	ssize_t put =
		splice(flow->out, NULL, flow->to, NULL, flow->held, SPLICE_F_NONBLOCK);

	if (put > 0) {
		flow->held -= (size_t)put;
		flow->moved += (uint64_t)put;
	} else if (put < 0 && errno != EAGAIN && errno != EINTR) {
		flow->broken = relay->reset = true;
	}
}

static bool is_done(const struct flow *flow)
{
	return flow->broken || flow->told || (flow->ended && flow->held == 0);
}

/* Moves what can be moved, and says what it waits for then. */
static void move(struct relay *relay, struct flow *flow)
{
	for (int round = 0; round < ROUNDS && !is_done(flow); round++) {
		size_t held = flow->held;

		if (held == 0 && (flow->limited || !fill(relay, flow)))
			break;
		held = flow->held;
		drain(relay, flow);
		if (flow->held == held)
			break;
	}
	if (flow->ended && flow->held == 0 && !flow->broken && !flow->told) {
		/* After a reset the other side is to see one, at the end. */
		if (!relay->reset)
			(void)shutdown(flow->to, SHUT_WR);
		flow->told = true;
	}
	flow->want = is_done(flow)    ? WANT_NOTHING
		     : flow->held > 0 ? WANT_WRITE
				      : WANT_READ;
}

/* A socket at which nobody waits for anything is not polled once it has hung up: it
 * would say so for ever. */
struct side {
	struct flow *from, *to; /* the flows that read it and write it */
	int fd;
	bool hung;
};

static short events_of(const struct side *side)
{
	return (short)((side->from->want == WANT_READ ? POLLIN : 0) |
		       (side->to->want == WANT_WRITE ? POLLOUT : 0));
}

static void hang_up(struct relay *relay, struct side *side)
{
	side->hung = true;
	/* Both ends said, or a reset. */
	if (!side->to->told && !side->to->broken) {
		side->to->broken = relay->reset = true;
		side->to->want = WANT_NOTHING;
	}
}

static enum reason wait_for_sides(struct relay *relay, struct side sides[2],
				  uint64_t deadline)
{
	struct pollfd set[3] = {{.fd = HANDOVER_FD, .events = POLLIN}};
	uint64_t now = monotonic_ms();
	int n;

	for (int i = 0; i < 2; i++) {
		set[i + 1].events = events_of(&sides[i]);
		set[i + 1].fd = sides[i].hung && !set[i + 1].events ? -1 : sides[i].fd;
	}
	n = poll(set, 3, now < deadline ? (int)(deadline - now) : 0);
	if (n < 0)
		return errno == EINTR ? REASON_OK : REASON_SYSTEM;
	/* Nothing is ever sent there after the connection: it ended. */
	if (set[0].revents)
		return REASON_SUPERVISOR_GONE;
	if (n == 0 && monotonic_ms() >= deadline)
		return REASON_TUNNEL_IDLE;
	for (int i = 0; i < 2; i++)
		if (set[i + 1].revents & (POLLERR | POLLHUP))
			hang_up(relay, &sides[i]);
	return REASON_OK;
}

static enum reason run(struct relay *relay, struct side sides[2])
{
	struct flow *sent = &relay->sent, *received = &relay->received;
	uint64_t deadline = monotonic_ms() + IDLE_MS;

	for (;;) {
		uint64_t moved = sent->moved + received->moved;
		enum reason reason;

		move(relay, sent);
		move(relay, received);
		if (sent->limited && sent->held == 0)
			return REASON_LIMIT_TUNNEL_SENT;
		if (received->limited && received->held == 0)
			return REASON_LIMIT_TUNNEL_RECEIVED;
		if (is_done(sent) && is_done(received))
			return REASON_OK;
		if (sent->moved + received->moved != moved)
			deadline = monotonic_ms() + IDLE_MS;
		reason = wait_for_sides(relay, sides, deadline);
		if (reason != REASON_OK)
			return reason;
	}
}

enum reason relay(struct tunnel *tunnel)
{
	const struct policy_limits *limits = &tunnel->policy->limits;
	struct relay relay = {
		.sent = {.from = tunnel->conn,
			 .to = tunnel->server,
			 .in = tunnel->sent[1],
			 .out = tunnel->sent[0],
			 .early = tunnel->buffer,
			 .early_left = tunnel->length,
			 .counter = &tunnel->ledger->tunnel.sent,
			 .limit = limits->tunnel_sent_bytes},
		.received = {.from = tunnel->server,
			     .to = tunnel->conn,
			     .in = tunnel->received[1],
			     .out = tunnel->received[0],
			     .counter = &tunnel->ledger->tunnel.received,
			     .limit = limits->tunnel_received_bytes},
	};
	struct side sides[2] = {
		{.from = &relay.sent, .to = &relay.received, .fd = tunnel->conn},
		{.from = &relay.received, .to = &relay.sent, .fd = tunnel->server},
	};
	const struct linger reset = {.l_onoff = 1, .l_linger = 0};
	enum reason reason = run(&relay, sides);

	tunnel->report.bytes_in = relay.sent.moved;
	tunnel->report.bytes_out = relay.received.moved;
	for (int i = 0; relay.reset && i < 2; i++)
		(void)setsockopt(sides[i].fd, SOL_SOCKET, SO_LINGER, &reset,
				 sizeof(reset));
	return reason;
}
