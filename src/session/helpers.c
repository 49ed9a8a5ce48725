/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Getting helpers: in the foreground they are started here, with the same
 * descriptors and messages as when systemd starts them from a socket unit.
 */
#include "session/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
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

int helper_ask(const struct session *session, enum handover_kind kind)
{
	bool upstream = kind == HANDOVER_UPSTREAM;
	auto_fd int ours = -1, theirs = -1;
	int ends[2], r;
	pid_t pid;

	if (session->policy.flags & POLICY_UNIT)
		return unit_connect(upstream ? UPSTREAM_SOCKET : GATEWAY_SOCKET);
	r = helper_socketpair(session, ends);
	if (r < 0)
		return r;
	ours = ends[0];
	theirs = ends[1];
	pid = upstream ? helper_start(session, session->upstream_program, "anet-upstream",
				      theirs, false)
		       : helper_start(session, session->gateway_program, "anet-gateway",
				      theirs, false);
	return pid < 0 ? pid : take_fd(&ours);
}

enum reason helper_missing(const struct session *session, int error, char *ret_detail,
			   size_t size)
{
	bool unit = session->policy.flags & POLICY_UNIT;

	snprintf(ret_detail, size, "no helper for the model endpoint%s: %s",
		 unit ? " from " GATEWAY_SOCKET " and " UPSTREAM_SOCKET : "",
		 strerror(-error));
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
