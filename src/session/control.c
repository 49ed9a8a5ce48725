/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/bwrap-message.h"
#include "os/cleanup.h"
#include "os/handover.h"

static bool apparmor_restricts(void)
{
	auto_fd int fd = -1;
	char value = '0';

	fd = open("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, &value, 1) == 1 && value == '1';
}

/* The end of the control socket before anet-init was ready: bwrap failed. */
void run_failed(struct session *session)
{
	size_t length;
	enum reason reason;

	streams_read_diagnostics(session);
	length = session->diagnostics_length;
	while (length > 0 && session->diagnostics[length - 1] == '\n')
		length--;
	if (session->policy.strategy == STRATEGY_HOST) {
		session_end(session, REASON_SYSTEM, "the run did not begin: %.*s", (int)length,
			    session->diagnostics);
		return;
	}
	reason = bwrap_message_reason(session->diagnostics, length, apparmor_restricts());
	if (length == 0)
		session_end(session, reason, "bwrap ended without a message");
	else
		session_end(session, reason, "%.*s", (int)length, session->diagnostics);
}

static void run_ready(struct session *session, const int *fds, size_t n_fds, int unwatched)
{
	bool endpoint = session->policy.wire != WIRE_NONE;
	bool tunnels = session->policy.egress != EGRESS_NONE;
	bool host = session->policy.strategy == STRATEGY_HOST;
	bool watched = session->policy.flags & POLICY_REPORT && unwatched == 0;
	struct init_message message = {
		.magic = INIT_MAGIC,
		.version = INIT_VERSION,
		.type = INIT_START,
	};
	int master = -1, listener = -1, tunnel_listener = -1, r;
	size_t n = 0;

	if (session->stage != STAGE_STARTING) {
		for (size_t i = 0; i < n_fds; i++)
			close(fds[i]);
		return; /* it is being ended */
	}
	if (n_fds != (size_t)(endpoint && !host) + tunnels + session->tty + watched) {
		session_end(session, REASON_HANDOVER_INVALID, "anet-init sent %zu descriptors",
			    n_fds);
		return;
	}
	if (host)
		listener = take_fd(&session->host_listener);
	else if (endpoint)
		listener = fds[n++];
	if (tunnels)
		tunnel_listener = fds[n++];
	if (session->tty)
		master = fds[n++];
	session->stage = STAGE_RUNNING;
	(void)!write(session->go, "b", 1); /* whoever still listens */
	close_fd(&session->go);
	r = streams_begin(session, master);
	if (r == 0 && endpoint)
		r = endpoint_begin(session, ENDPOINT_MODEL, listener);
	if (r == 0 && tunnels)
		r = endpoint_begin(session, ENDPOINT_TUNNEL, tunnel_listener);
	if (r == 0)
		r = files_begin(session);
	if (r == 0)
		r = report_begin(session, watched ? fds[n] : -1, unwatched);
	if (r == 0 && session->policy.limits.wall_clock_seconds)
		r = timer_set(session->wall_clock.fd,
			      session->policy.limits.wall_clock_seconds * 1000);
	/* On the host the kernel counts all processes of the account. */
	if (r == 0 && !session->have_scope && !host)
		message.value = (int)session->policy.limits.tasks;
	if (r == 0)
		r = record_send(session->control.fd, &message, sizeof(message), NULL, 0);
	if (r < 0)
		session_end(session, REASON_SYSTEM, "beginning the run: %s", strerror(-r));
}

void run_handle_control(struct session *session, struct watch *watch, uint32_t events)
{
	struct init_message message;
	int fds[INIT_READY_FDS];
	size_t n_fds = 0;

	(void)events;
	if (record_receive(watch->fd, &message, sizeof(message), fds,
			   INIT_READY_FDS, &n_fds) < 0 ||
	    message.magic != INIT_MAGIC || message.version != INIT_VERSION) {
		/* Whatever it was, PID 1 of the run is gone. */
		watch_close(session, watch);
		session_check_gone(session);
		return;
	}
	message.detail[sizeof(message.detail) - 1] = 0;
	switch (message.type) {
	case INIT_READY:
		run_ready(session, fds, n_fds, message.value);
		return;
	case INIT_REFUSED:
		session_end(session, (enum reason)message.value, "%s", message.detail);
		return;
	case INIT_EXITED:
		session->agent_ended = true;
		session->agent_status = message.value;
		return;
	case INIT_STARTED:
		if (session->policy.flags & POLICY_UNIT)
			unit_started(session);
		return;
	default: /* of another build; its end will tell */
		return;
	}
}

void run_signal(struct session *session, int number)
{
	struct init_message message = {
		.magic = INIT_MAGIC,
		.version = INIT_VERSION,
		.type = INIT_SIGNAL,
		.value = number,
	};

	if (session->control.fd >= 0)
		(void)record_send(session->control.fd, &message, sizeof(message), NULL, 0);
}
