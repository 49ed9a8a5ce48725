/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Getting helpers: in the foreground they are started here, with the same
 * descriptors and messages as when systemd starts them from a socket unit.
 */
#include "session/session.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/handover.h"
#include "os/helper.h"
#include "os/session-dir.h"

int helper_socketpair(const struct session *session, int ret_fds[2])
{
	bool separate = session->policy.flags & POLICY_SEPARATE_UIDS && geteuid() == 0;
	int r;

	/* A helper asks the kernel who made the socket (SO_PEERCRED), and that
	 * must be the supervisor's own uid, also before it has dropped to it. */
	if (separate && seteuid(session->policy.supervisor_uid) < 0)
		return -errno;
	r = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret_fds) < 0 ? -errno : 0;
	if (separate && seteuid(0) < 0) {
		if (r == 0) {
			close(ret_fds[0]);
			close(ret_fds[1]);
		}
		return -errno;
	}
	return r;
}

pid_t helper_start(const struct session *session, int program, const char *name, int socket,
		   bool as_run)
{
	return helper_spawn(program, name, socket, session->null_fd,
			    as_run ? session->policy.run_uid : (uid_t)-1);
}

/* Of the kinds that a connection has. */
static const struct kind {
	const char *name, *socket;
	size_t program; /* where the session has its descriptor */
} kinds[] = {
	[HANDOVER_GATEWAY] = {"anet-gateway", GATEWAY_SOCKET,
			      offsetof(struct session, gateway_program)},
	[HANDOVER_UPSTREAM] = {"anet-upstream", UPSTREAM_SOCKET,
			       offsetof(struct session, upstream_program)},
	[HANDOVER_TUNNEL] = {"anet-tunnel", TUNNEL_SOCKET,
			     offsetof(struct session, tunnel_program)},
};

int helper_ask(const struct session *session, enum handover_kind kind)
{
	const struct kind *asked = &kinds[kind];
	auto_fd int ours = -1, theirs = -1;
	int ends[2], r;
	pid_t pid;

	if (session->policy.flags & POLICY_UNIT)
		return unit_connect(asked->socket);
	r = helper_socketpair(session, ends);
	if (r < 0)
		return r;
	ours = ends[0];
	theirs = ends[1];
	pid = helper_start(session, *(const int *)((const char *)session + asked->program),
			   asked->name, theirs, false);
	return pid < 0 ? pid : take_fd(&ours);
}

int helper_prepare(struct session *session, struct watch *watch, enum handover_kind kind,
		   const int *fds, size_t n_fds)
{
	int r = helper_ask(session, kind);

	if (r < 0)
		return r;
	watch->fd = r;
	r = handover_send(watch->fd, kind, HANDOVER_PREPARE, 0, fds, n_fds);
	return r < 0 ? r : watch_set(session, watch, EPOLLIN);
}

enum reason helper_missing(const struct session *session, enum endpoint_kind kind,
			   int error, char *ret_detail, size_t size)
{
	static const char *const texts[ENDPOINT_KINDS][2] = {
		[ENDPOINT_MODEL] = {"the model endpoint",
				    " from " GATEWAY_SOCKET " and " UPSTREAM_SOCKET},
		[ENDPOINT_TUNNEL] = {"a tunnel to another host", " from " TUNNEL_SOCKET},
	};
	bool unit = session->policy.flags & POLICY_UNIT;

	snprintf(ret_detail, size, "no helper for %s%s: %s", texts[kind][0],
		 unit ? texts[kind][1] : "", strerror(-error));
	return unit ? REASON_SOCKET_MISSING : REASON_SYSTEM;
}

bool report_receive(struct session *session, int fd, struct report *ret_report)
{
	size_t n_fds;

	if (record_receive(fd, ret_report, sizeof(*ret_report), NULL, 0, &n_fds) < 0)
		return false;
	if (ret_report->magic != HANDOVER_MAGIC || ret_report->version != HANDOVER_VERSION ||
	    ret_report->size != sizeof(*ret_report)) {
		session_event(session, REASON_HANDOVER_INVALID, "anet-session",
			      "a helper's report has another version");
		return false;
	}
	/* A helper that was taken over may leave the NUL out. */
	ret_report->detail[sizeof(ret_report->detail) - 1] = 0;
	if (ret_report->reason >= REASON_COUNT)
		ret_report->reason = REASON_INTERNAL;
	return true;
}

bool helper_hear(struct session *session, struct watch *watch, enum handover_kind kind,
		 uint64_t number, bool *told)
{
	const char *name = kinds[kind].name;
	struct report report;

	if (!report_receive(session, watch->fd, &report)) {
		watch_close(session, watch);
		if (!*told && session->stage == STAGE_RUNNING)
			session_tell_death(session, name);
		return false;
	}
	report.kind = (uint16_t)kind;
	*told |= report.type == REPORT_OUTCOME;
	if (report.reason != REASON_OK && reason_severity(report.reason) != SEVERITY_INFO)
		session_tell_report(session, &report, name);
	else if (report.type == REPORT_OUTCOME && number)
		session_tell_outcome(session, &report, name);
	return true;
}
