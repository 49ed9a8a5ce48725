/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The run's connections, to its model service and to other hosts.
 *
 * They are accepted here, outside the run, and each is handed to helpers of its own
 * once its first byte is there; this program reads none.  What a run can make others
 * start is bounded by a bucket of connections of each kind, their number at once, and
 * their number in all.  What does not fit at once waits in the listener's backlog, in
 * order; only tunnels that are too many are answered, since those that they would wait
 * for may stay open as long as the run likes.
 */
#include "session/session.h"

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/cleanup.h"

#define TOKEN 1000u
/* A request has been sent on its way by then; a burst does not wait for it. */
#define WARM_DELAY_MS 50

static const struct {
	int (*warm_up)(struct session *session);
	int (*hand_over)(struct session *session, int fd, uint64_t number);
} kinds[ENDPOINT_KINDS] = {
	[ENDPOINT_MODEL] = {pairs_warm_up, pairs_hand_over},
	[ENDPOINT_TUNNEL] = {tunnels_warm_up, tunnels_hand_over},
};

/* The kind of the endpoint that a listener belongs to. */
static enum endpoint_kind kind_of(const struct session *session,
				  const struct watch *listener)
{
	return listener == &session->endpoints[ENDPOINT_TUNNEL].listener
		       ? ENDPOINT_TUNNEL
		       : ENDPOINT_MODEL;
}

static void store_counts(const struct session *session)
{
	struct ledger_session *page = &session->ledger->session;

	atomic_store(&page->connections, session->connections);
	atomic_store(&page->connections_open, session->connections_open);
	atomic_store(&page->tunnels, session->tunnels);
	atomic_store(&page->tunnels_open, session->tunnels_open);
}

static void pause_listener(struct session *session, struct endpoint *endpoint)
{
	endpoint->paused = true;
	(void)watch_set(session, &endpoint->listener, 0);
}

static void resume_listeners(struct session *session)
{
	for (size_t i = 0; i < ENDPOINT_KINDS; i++) {
		struct endpoint *endpoint = &session->endpoints[i];

		if (!endpoint->paused)
			continue;
		endpoint->paused = false;
		(void)watch_set(session, &endpoint->listener, EPOLLIN);
	}
}

void endpoint_connection_ended(struct session *session, enum endpoint_kind kind)
{
	session->connections_open--;
	session->tunnels_open -= kind == ENDPOINT_TUNNEL;
	store_counts(session);
	if (session->stage == STAGE_RUNNING)
		resume_listeners(session);
}

static void tell_missing(struct session *session, enum endpoint_kind kind, int error)
{
	char detail[LIMIT_DETAIL + 1];
	enum reason reason =
		helper_missing(session, kind, error, detail, sizeof(detail));

	session_event(session, reason, "anet-session", detail);
}

static bool take_token(struct endpoint *endpoint)
{
	uint64_t now = monotonic_ms();
	uint64_t tokens =
		endpoint->tokens + (now - endpoint->tokens_at) * LIMIT_CONNECTION_RATE;

	endpoint->tokens_at = now;
	endpoint->tokens = tokens > LIMIT_CONNECTION_BURST * TOKEN
				   ? LIMIT_CONNECTION_BURST * TOKEN
				   : (unsigned int)tokens;
	if (endpoint->tokens < TOKEN)
		return false;
	endpoint->tokens -= TOKEN;
	return true;
}

/* Before it was handed over. */
static void drop(struct session *session, struct waiting *waiting)
{
	watch_close(session, &waiting->connection);
	waiting->number = 0;
	endpoint_connection_ended(session, waiting->kind);
}

static void hand_over(struct session *session, struct waiting *waiting)
{
	enum endpoint_kind kind = waiting->kind;
	auto_fd int fd = -1;
	int r;

	(void)watch_set(session, &waiting->connection, 0);
	if (!take_token(&session->endpoints[kind])) {
		/* Tried again when the next token is there. */
		(void)timer_set(session->tick.fd, TOKEN / LIMIT_CONNECTION_RATE);
		return;
	}
	fd = take_fd(&waiting->connection.fd);
	r = kinds[kind].hand_over(session, fd, waiting->number);
	waiting->number = 0;
	if (r < 0) {
		tell_missing(session, kind, r);
		endpoint_connection_ended(session, kind);
	}
	/* Later: its start would compete with this connection's first request. */
	(void)timer_set(session->tick.fd, WARM_DELAY_MS);
}

static void handle_waiting(struct session *session, struct watch *watch,
			   uint32_t events)
{
	struct waiting *waiting =
		(struct waiting *)((char *)watch -
				   offsetof(struct waiting, connection));
	ssize_t got;
	char byte;

	/* One that was closed without a byte costs nobody a helper. */
	got = recv(watch->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	if (got == 0 || (got < 0 && errno != EAGAIN))
		drop(session, waiting);
	else if (events & EPOLLIN)
		hand_over(session, waiting);
}

/* Without a boundary any process of the machine can connect and say nothing: the one
 * that has done so for longest makes room, so that nobody is kept out for ever. */
static void make_room(struct session *session)
{
	struct waiting *oldest = NULL;
	char byte;

	if (session->policy.strategy != STRATEGY_HOST)
		return;
	for (size_t i = 0; i < MAX_PLACES; i++) {
		struct waiting *waiting = &session->waiting[i];

		if (waiting->number && (!oldest || waiting->number < oldest->number) &&
		    recv(waiting->connection.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0)
			oldest = waiting;
	}
	if (oldest)
		drop(session, oldest);
}

/* Why one more is refused, REASON_OK if it is not. */
static enum reason judge(const struct session *session, enum endpoint_kind kind)
{
	const struct policy_limits *limits = &session->policy.limits;

	if (limits->connections && session->connections >= limits->connections)
		return REASON_LIMIT_CONNECTIONS;
	if (kind == ENDPOINT_MODEL)
		return REASON_OK;
	if (limits->tunnels && session->tunnels >= limits->tunnels)
		return REASON_LIMIT_TUNNELS;
	return session->tunnels_open >= limits->tunnels_at_once
		       ? REASON_LIMIT_TUNNELS_OPEN
		       : REASON_OK;
}

static void take(struct session *session, enum endpoint_kind kind, int fd)
{
	struct waiting *waiting = session->waiting;

	/* There are more places than connections that may be open: check_limits(). */
	while (waiting->number)
		waiting++;
	session->connections++;
	session->connections_open++;
	session->tunnels += kind == ENDPOINT_TUNNEL;
	session->tunnels_open += kind == ENDPOINT_TUNNEL;
	store_counts(session);
	*waiting = (struct waiting){
		.connection = {.fd = fd, .handle = handle_waiting},
		.kind = kind,
		.number = session->connections,
	};
	(void)watch_set(session, &waiting->connection, EPOLLIN | EPOLLRDHUP);
}

static void handle_listener(struct session *session, struct watch *watch,
			    uint32_t events)
{
	enum endpoint_kind kind = kind_of(session, watch);
	struct endpoint *endpoint = &session->endpoints[kind];
	unsigned int at_once = session->policy.limits.connections_at_once;
	enum reason reason = judge(session, kind);
	int fd;

	(void)events;
	if (reason == REASON_OK) {
		if (session->connections_open >= at_once)
			make_room(session);
		if (session->connections_open >= at_once) {
			pause_listener(session, endpoint);
			return;
		}
	}
	fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0) {
		if (reason == REASON_OK)
			take(session, kind, fd);
		else
			refuse_connection(session, kind, fd, reason);
		return;
	}
	/* Reset while it waited; or nothing is left to accept it with, and the listener
	 * would stay ready: tried again in a while. */
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
		pause_listener(session, endpoint);
		(void)timer_set(session->tick.fd, TOKEN);
	}
}

void endpoint_tick(struct session *session, struct watch *watch, uint32_t events)
{
	uint64_t expirations;

	(void)events;
	(void)!read(watch->fd, &expirations, sizeof(expirations));
	for (size_t i = 0; i < MAX_PLACES; i++)
		if (session->waiting[i].number)
			(void)watch_set(session, &session->waiting[i].connection,
					EPOLLIN | EPOLLRDHUP);
	if (session->connections_open < session->policy.limits.connections_at_once)
		resume_listeners(session);
	for (enum endpoint_kind kind = 0; kind < ENDPOINT_KINDS; kind++) {
		int r = session->endpoints[kind].listener.fd < 0
				? 0
				: kinds[kind].warm_up(session);

		if (r < 0)
			tell_missing(session, kind, r);
	}
}

int endpoint_begin(struct session *session, enum endpoint_kind kind, int listener)
{
	struct endpoint *endpoint = &session->endpoints[kind];
	char detail[LIMIT_DETAIL + 1];
	enum reason reason;
	int r;

	*endpoint = (struct endpoint){
		.listener = {.fd = listener, .handle = handle_listener},
		.tokens = LIMIT_CONNECTION_BURST * TOKEN,
		.tokens_at = monotonic_ms(),
	};
	r = kinds[kind].warm_up(session);
	if (r < 0) {
		/* Nothing of the agent's has run yet. */
		reason = helper_missing(session, kind, r, detail, sizeof(detail));
		session_end(session, reason, "%s", detail);
		return r;
	}
	return watch_set(session, &endpoint->listener, EPOLLIN);
}

void endpoint_close(struct session *session)
{
	for (size_t i = 0; i < ENDPOINT_KINDS; i++)
		watch_close(session, &session->endpoints[i].listener);
	for (size_t i = 0; i < MAX_PLACES; i++)
		if (session->waiting[i].number)
			drop(session, &session->waiting[i]);
	refuse_close(session);
	pairs_close(session);
	tunnels_close(session);
}
