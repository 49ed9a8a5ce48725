/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a session of a unit has besides: systemd is told how it goes, others can
 * read its state, its helpers come from socket units.
 */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/handover.h"
#include "os/notify.h"
#include "os/session-dir.h"

static uint32_t stage_of(const struct session *s)
{
	static const uint32_t stages[] = {
		[STAGE_STARTING] = SESSION_STARTING,
		[STAGE_RUNNING] = SESSION_RUNNING,
		[STAGE_ENDING] = SESSION_ENDING,
		[STAGE_GONE] = SESSION_ENDING,
	};

	return stages[s->stage];
}

static void fill_state(struct session *s, struct session_state *state)
{
	/* Not there yet when a start is refused early. */
	struct ledger *ledger = s->ledger;

	state->magic = SESSION_STATE_MAGIC;
	state->version = SESSION_STATE_VERSION;
	state->size = sizeof(*state);
	state->flags = (s->have_scope ? SESSION_LIMITS_FULL : 0) |
		       (s->agent_ended ? SESSION_AGENT_EXITED : 0);
	state->agent_status = s->agent_status;
	state->connections = s->connections;
	state->connections_open = s->connections_open;
	state->tunnels = s->tunnels;
	state->tunnels_open = s->tunnels_open;
	state->refused = s->refused;
	if (!ledger)
		return;
	state->requests = atomic_load(&ledger->upstream.requests);
	state->count_tokens = atomic_load(&ledger->upstream.count_tokens);
	state->request_bytes = atomic_load(&ledger->upstream.request_bytes);
	state->response_bytes = atomic_load(&ledger->upstream.response_bytes);
	state->tunnel_sent_bytes = atomic_load(&ledger->tunnel.sent);
	state->tunnel_received_bytes = atomic_load(&ledger->tunnel.received);
	state->growth_bytes = atomic_load(&ledger->session.growth_bytes);
	state->growth_entries = atomic_load(&ledger->session.growth_entries);
}

static void write_state(struct session *s, const struct session_state *state)
{
	/* The directory is the supervisor's own, and root of a unit may not write what
	 * is another's. */
	bool root = geteuid() == 0;
	int r;

	s->state = *state;
	s->state.updated_usec = realtime_usec();
	if (root && seteuid(s->policy.supervisor_uid) < 0)
		return;
	r = session_state_write(s->live, SESSION_STATE_FILE, 0644, &s->state);
	if (root && seteuid(0) < 0)
		abort(); /* what comes next would run with the wrong rights */
	/* A full /run takes nothing: the session goes on, and is tried again. */
	if (r < 0)
		s->state.updated_usec = 0;
}

/* Writes the state and tells systemd, if something has changed. */
static void update(struct session *s)
{
	struct session_state state = s->state;

	state.stage = stage_of(s);
	fill_state(s, &state);
	if (s->state.updated_usec && memcmp(&state, &s->state, sizeof(state)) == 0)
		return;
	write_state(s, &state);
	if (s->stage == STAGE_RUNNING)
		(void)notify_status(
			"agent %s works (%slimits %s): %" PRIu64
			" connections, %" PRIu64 " model requests, %" PRIu64 " refused",
			s->policy.agent,
			s->policy.strategy == STRATEGY_HOST ? "no boundary, " : "",
			s->have_scope ? "full" : reason_code(REASON_NO_CGROUP_LIMITS),
			state.connections, state.requests, state.refused);
	else
		(void)notify_status("%s", s->stage == STAGE_STARTING
						  ? "starts the run"
						  : "ends the run");
}

static void handle_second(struct session *s, struct watch *watch, uint32_t events)
{
	uint64_t expirations;

	(void)events;
	(void)!read(watch->fd, &expirations, sizeof(expirations));
	/* Ignored where the unit has no WatchdogSec=. */
	(void)notify_send("WATCHDOG=1");
	update(s);
}

int unit_begin(struct session *s)
{
	const struct itimerspec second = {.it_interval.tv_sec = 1,
					  .it_value.tv_sec = 1};

	s->state.started_usec = realtime_usec();
	s->lines_left = LIMIT_JOURNAL_BURST;
	s->lines_at = monotonic_ms();
	s->second = (struct watch){
		.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
		.handle = handle_second,
	};
	if (s->second.fd < 0 || timerfd_settime(s->second.fd, 0, &second, NULL) < 0)
		return -errno;
	update(s);
	return watch_set(s, &s->second, EPOLLIN);
}

void unit_started(struct session *s)
{
	(void)notify_send("READY=1");
	update(s);
}

void unit_ended(struct session *s, enum reason reason, const char *detail)
{
	struct session_state state = s->state;

	if (s->live < 0)
		return; /* not even its name is certain */
	if (!state.started_usec)
		state.started_usec = realtime_usec();
	state.stage = SESSION_ENDED;
	state.reason = reason;
	fill_state(s, &state);
	memset(state.detail, 0, sizeof(state.detail));
	snprintf(state.detail, sizeof(state.detail), "%s", detail);
	write_state(s, &state);
	(void)notify_send("STOPPING=1");
}

enum reason unit_find_sockets(struct session *s, char *ret_detail, size_t size)
{
	const struct {
		const char *path;
		bool needed;
	} sockets[] = {
		{GATEWAY_SOCKET, s->policy.wire != WIRE_NONE},
		{UPSTREAM_SOCKET, s->policy.wire != WIRE_NONE},
		{TUNNEL_SOCKET, s->policy.egress != EGRESS_NONE},
	};

	/* Where there is none the supervisor is in no group of weight. */
	s->helpers_group = s->policy.supervisor_uid;
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++) {
		const char *path = sockets[i].path;
		struct stat status;

		if (!sockets[i].needed)
			continue;
		if (lstat(path, &status) < 0) {
			snprintf(ret_detail, size, "%s: %s", path, strerror(errno));
			return REASON_SOCKET_MISSING;
		}
		if (!S_ISSOCK(status.st_mode) || status.st_uid != 0) {
			snprintf(ret_detail, size, "%s is not a socket of root's",
				 path);
			return REASON_SOCKET_MISSING;
		}
		s->helpers_group = status.st_gid;
	}
	return REASON_OK;
}

int unit_connect(const char *path)
{
	/* Not blocking: a manager that does not accept must not hold up the limits
	 * and the end of the run. */
	auto_fd int fd =
		socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	uid_t listener;
	int r;

	if (fd < 0)
		return -errno;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	/* Who listened: nobody but root may get the run's connections. */
	r = handover_peer_uid(fd, &listener);
	if (r < 0)
		return r;
	if (listener != 0)
		return -EPERM;
	if (fcntl(fd, F_SETFL, 0) < 0)
		return -errno;
	return take_fd(&fd);
}
