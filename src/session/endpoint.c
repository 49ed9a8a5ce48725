/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The run's connections to its model endpoint.
 *
 * They are accepted here, outside the run, and each is handed to a gateway and
 * an upstream of its own once its first byte is there; this program reads none.
 * One pair waits ahead, since starting one takes longer than using it.  What a
 * run can make others start is bounded by a bucket of connections, their number
 * at once, and their number in all; what does not fit waits in the listener's
 * backlog, in order.
 */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/handover.h"
#include "os/session-dir.h"

#define TOKEN 1000u
/* A request has been sent on its way by then; a burst does not wait for it. */
#define WARM_DELAY_MS 50

static void pair_free(struct session *session, struct pair *pair)
{
	bool served = pair->number != 0;

	watch_close(session, &pair->gateway);
	watch_close(session, &pair->upstream);
	watch_close(session, &pair->connection);
	if (session->warm == pair)
		session->warm = NULL;
	pair->used = false;
	if (!served)
		return;
	session->connections_open--;
	atomic_store(&session->ledger->session.connections_open, session->connections_open);
	if (session->listener_paused && session->stage == STAGE_RUNNING) {
		session->listener_paused = false;
		(void)watch_set(session, &session->listener, EPOLLIN);
	}
}

static void helper_gone(struct session *session, struct pair *pair, struct watch *watch,
			bool told, const char *helper)
{
	watch_close(session, watch);
	if (!told && session->stage == STAGE_RUNNING)
		session_tell_death(session, helper);
	/* The other one sees the end of the socket between them. */
	if (pair->gateway.fd < 0 && pair->upstream.fd < 0)
		pair_free(session, pair);
	else if (session->warm == pair)
		session->warm = NULL;
}

static void helper_report(struct session *session, struct pair *pair, struct watch *watch,
			  bool *told, const char *helper)
{
	struct report report;

	if (!report_receive(session, watch->fd, &report)) {
		helper_gone(session, pair, watch, *told, helper);
		return;
	}
	if (report.type == REPORT_OUTCOME)
		*told = true;
	if (report.reason == REASON_OK || reason_severity(report.reason) == SEVERITY_INFO) {
		if (report.type == REPORT_OUTCOME && pair->number)
			session_tell_outcome(session, helper,
					     watch == &pair->upstream ? session->policy.host
								      : NULL,
					     &report);
		return;
	}
	session_tell_report(session, &report, helper);
}

static struct pair *pair_of(struct watch *watch, size_t offset)
{
	return (struct pair *)((char *)watch - offset);
}

static void handle_gateway(struct session *session, struct watch *watch, uint32_t events)
{
	struct pair *pair = pair_of(watch, offsetof(struct pair, gateway));

	(void)events;
	helper_report(session, pair, watch, &pair->gateway_told, "anet-gateway");
}

static void handle_upstream(struct session *session, struct watch *watch, uint32_t events)
{
	struct pair *pair = pair_of(watch, offsetof(struct pair, upstream));

	(void)events;
	helper_report(session, pair, watch, &pair->upstream_told, "anet-upstream");
}

static struct pair *pair_take(struct session *session)
{
	for (size_t i = 0; i < MAX_PAIRS; i++) {
		struct pair *pair = &session->pairs[i];

		if (pair->used)
			continue;
		*pair = (struct pair){
			.gateway = { .fd = -1, .handle = handle_gateway },
			.upstream = { .fd = -1, .handle = handle_upstream },
			.connection = { .fd = -1 },
			.used = true,
		};
		return pair;
	}
	return NULL;
}

static int start_one(struct session *session, struct watch *watch,
		     enum handover_kind kind, const int *fds, size_t n_fds)
{
	int r = helper_ask(session, kind);

	if (r < 0)
		return r;
	watch->fd = r;
	r = handover_send(watch->fd, kind, HANDOVER_PREPARE, 0, fds, n_fds);
	return r < 0 ? r : watch_set(session, watch, EPOLLIN);
}

static int pair_start(struct session *session, struct pair *pair)
{
	auto_fd int one = -1, other = -1;
	int ends[2], r;

	r = helper_socketpair(session, ends);
	if (r < 0)
		return r;
	one = ends[0];
	other = ends[1];
	const int for_upstream[] = { session->policy_fd, session->ledger_fd, one,
				     session->credential_fd };
	const int for_gateway[] = { session->policy_fd, session->ledger_read_fd, other,
				    session->endpoint_key_fd };

	/* The slower one first: OpenSSL starts while the gateway does. */
	r = start_one(session, &pair->upstream, HANDOVER_UPSTREAM, for_upstream,
		      session->credential_fd >= 0 ? 4 : 3);
	if (r < 0)
		return r;
	return start_one(session, &pair->gateway, HANDOVER_GATEWAY, for_gateway,
			 session->endpoint_key_fd >= 0 ? 4 : 3);
}

static int warm_up(struct session *session)
{
	struct pair *pair;
	int r;

	if (session->warm || session->stage != STAGE_RUNNING)
		return 0;
	pair = pair_take(session);
	if (!pair)
		return 0; /* more are ending than places: the next connection tries again */
	r = pair_start(session, pair);
	if (r < 0)
		pair_free(session, pair);
	else
		session->warm = pair;
	return r;
}

static void warm_up_or_tell(struct session *session)
{
	char detail[LIMIT_DETAIL + 1];
	enum reason reason;
	int r = warm_up(session);

	if (r >= 0)
		return;
	reason = helper_missing(session, r, detail, sizeof(detail));
	session_event(session, reason, "anet-session", detail);
}

static bool take_token(struct session *session)
{
	uint64_t now = monotonic_ms();
	uint64_t more = (now - session->tokens_at) * LIMIT_CONNECTION_RATE;

	session->tokens_at = now;
	session->tokens = more + session->tokens > LIMIT_CONNECTION_BURST * TOKEN ?
				  LIMIT_CONNECTION_BURST * TOKEN :
				  session->tokens + (unsigned int)more;
	if (session->tokens < TOKEN)
		return false;
	session->tokens -= TOKEN;
	return true;
}

static void hand_over(struct session *session, struct pair *waiting)
{
	struct pair *pair;
	int fd, r;

	if (!take_token(session)) {
		/* Tried again when the next token is there. */
		(void)watch_set(session, &waiting->connection, 0);
		(void)timer_set(session->tick.fd, TOKEN / LIMIT_CONNECTION_RATE);
		return;
	}
	warm_up_or_tell(session);
	pair = session->warm;
	if (!pair) {
		pair_free(session, waiting);
		return;
	}
	(void)watch_set(session, &waiting->connection, 0);
	fd = take_fd(&waiting->connection.fd);
	pair->number = waiting->number;
	waiting->number = 0;
	waiting->used = false;
	session->warm = NULL;
	/* The upstream first: the gateway may ask it for something at once. */
	r = handover_send(pair->upstream.fd, HANDOVER_UPSTREAM, HANDOVER_CONNECTION, pair->number,
			  &fd, 1);
	if (r == 0)
		r = handover_send(pair->gateway.fd, HANDOVER_GATEWAY, HANDOVER_CONNECTION,
				  pair->number, &fd, 1);
	close(fd);
	if (r < 0)
		pair_free(session, pair);
	/* Later: its start would compete with this connection's first request. */
	(void)timer_set(session->tick.fd, WARM_DELAY_MS);
}

static void handle_connection(struct session *session, struct watch *watch, uint32_t events)
{
	struct pair *pair = pair_of(watch, offsetof(struct pair, connection));
	ssize_t got;
	char byte;

	/* One that was closed without a byte costs nobody a helper. */
	got = recv(watch->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	if (got == 0 || (got < 0 && errno != EAGAIN)) {
		pair_free(session, pair);
		return;
	}
	if (events & EPOLLIN)
		hand_over(session, pair);
}

/* Says why in the provider's own shape; what the agent sent is not read. */
static void refuse_connection(int fd)
{
	char answer[1024], body[512];
	int length;

	length = snprintf(body, sizeof(body),
			  "{\"type\":\"error\",\"error\":{\"type\":\"permission_error\",\"message\":"
			  "\"anet: %s\"}}",
			  reason_sentence(REASON_LIMIT_CONNECTIONS));
	length = snprintf(answer, sizeof(answer),
			  "HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\n"
			  "x-should-retry: false\r\nanet-reason: %s\r\n"
			  "content-length: %d\r\nconnection: close\r\n\r\n%s",
			  reason_code(REASON_LIMIT_CONNECTIONS), length, body);
	(void)send(fd, answer, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
	(void)shutdown(fd, SHUT_WR);
}

static void count_refused(struct session *session)
{
	session->refused++;
	atomic_store(&session->ledger->session.refused, session->refused);
	refusals_keep(session, REASON_LIMIT_CONNECTIONS, "anet-session", "");
}

/* Without a boundary any process of the machine can connect and say nothing: the one
 * that has done so for longest makes room, so that nobody is kept out for ever. */
static void make_room(struct session *session)
{
	struct pair *oldest = NULL;
	char byte;

	if (session->policy.strategy != STRATEGY_HOST)
		return;
	for (size_t i = 0; i < MAX_PAIRS; i++) {
		struct pair *pair = &session->pairs[i];

		if (pair->used && pair->connection.fd >= 0 &&
		    (!oldest || pair->number < oldest->number) &&
		    recv(pair->connection.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0)
			oldest = pair;
	}
	if (oldest)
		pair_free(session, oldest);
}

static void handle_listener(struct session *session, struct watch *watch, uint32_t events)
{
	const struct policy_limits *limits = &session->policy.limits;
	struct pair *pair;
	int fd;

	(void)events;
	if (session->connections_open >= limits->connections_at_once)
		make_room(session);
	pair = session->connections_open < limits->connections_at_once ? pair_take(session) : NULL;
	if (!pair) {
		session->listener_paused = true;
		(void)watch_set(session, watch, 0);
		return;
	}
	fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0) {
		pair->used = false;
		/* Reset while it waited; or nothing is left to accept it with, and
		 * the listener would stay ready: tried again in a while. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
			session->listener_paused = true;
			(void)watch_set(session, watch, 0);
			(void)timer_set(session->tick.fd, TOKEN);
		}
		return;
	}
	if (limits->connections && session->connections >= limits->connections) {
		refuse_connection(fd);
		close(fd);
		pair->used = false;
		if (session->connections++ == limits->connections)
			session_event(session, REASON_LIMIT_CONNECTIONS, "anet-session", "");
		else
			count_refused(session);
		return;
	}
	session->connections++;
	session->connections_open++;
	atomic_store(&session->ledger->session.connections, session->connections);
	atomic_store(&session->ledger->session.connections_open, session->connections_open);
	pair->number = session->connections;
	pair->connection = (struct watch){ .fd = fd, .handle = handle_connection };
	(void)watch_set(session, &pair->connection, EPOLLIN | EPOLLRDHUP);
}

void endpoint_tick(struct session *session, struct watch *watch, uint32_t events)
{
	uint64_t expirations;

	(void)events;
	(void)!read(watch->fd, &expirations, sizeof(expirations));
	for (size_t i = 0; i < MAX_PAIRS; i++) {
		struct pair *pair = &session->pairs[i];

		if (pair->used && pair->connection.fd >= 0)
			(void)watch_set(session, &pair->connection, EPOLLIN | EPOLLRDHUP);
	}
	if (session->listener_paused &&
	    session->connections_open < session->policy.limits.connections_at_once) {
		session->listener_paused = false;
		(void)watch_set(session, &session->listener, EPOLLIN);
	}
	warm_up_or_tell(session);
}

int endpoint_begin(struct session *session, int listener)
{
	char detail[LIMIT_DETAIL + 1];
	enum reason reason;
	int r;

	session->listener = (struct watch){ .fd = listener, .handle = handle_listener };
	session->tokens = LIMIT_CONNECTION_BURST * TOKEN;
	session->tokens_at = monotonic_ms();
	r = warm_up(session);
	if (r < 0) {
		/* Nothing of the agent's has run yet. */
		reason = helper_missing(session, r, detail, sizeof(detail));
		session_end(session, reason, "%s", detail);
		return r;
	}
	return watch_set(session, &session->listener, EPOLLIN);
}

void endpoint_close(struct session *session)
{
	watch_close(session, &session->listener);
	for (size_t i = 0; i < MAX_PAIRS; i++)
		if (session->pairs[i].used)
			pair_free(session, &session->pairs[i]);
}
