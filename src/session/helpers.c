/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Getting helpers: in the foreground they are started here, with the same
 * descriptors and messages as when systemd starts them from a socket unit.
 */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/handover.h"
#include "os/process.h"
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

__attribute__((noreturn)) static void exec_helper(const struct session *session, int program,
						  const char *name, int socket, bool as_run)
{
	char pid[24];
	char announced[] = "LISTEN_FDS=1", program_name[16];
	char *argv[] = { program_name, NULL };
	char *env[] = { announced, pid, NULL };
	int copy;

	if (as_run && (setgroups(0, NULL) < 0 ||
		       setresgid(session->policy.run_uid, session->policy.run_uid,
				 session->policy.run_uid) < 0 ||
		       setresuid(session->policy.run_uid, session->policy.run_uid,
				 session->policy.run_uid) < 0))
		_exit(71);
	/* Ctrl-C on the caller's terminal is for the run. */
	(void)setsid();
	process_reset_signals();
	snprintf(pid, sizeof(pid), "LISTEN_PID=%d", getpid());
	/* The program's descriptor first goes out of the way of number 3. */
	snprintf(program_name, sizeof(program_name), "%s", name);
	copy = fcntl(program, F_DUPFD_CLOEXEC, HANDOVER_FD + 1);
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(session->null_fd, fd) < 0)
			_exit(71);
	if (socket == HANDOVER_FD)
		(void)fcntl(socket, F_SETFD, 0);
	else if (dup2(socket, HANDOVER_FD) < 0)
		_exit(71);
	(void)execveat(copy, "", argv, env, AT_EMPTY_PATH);
	_exit(71);
}

pid_t helper_start(const struct session *session, int program, const char *name, int socket,
		   bool as_run)
{
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		exec_helper(session, program, name, socket, as_run);
	return pid;
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

int handover_send(int fd, enum handover_kind kind, enum handover_step step,
		  uint64_t connection, const int *fds, size_t n_fds)
{
	struct handover message = {
		.magic = HANDOVER_MAGIC,
		.version = HANDOVER_VERSION,
		.size = sizeof(message),
		.kind = kind,
		.step = step,
		.n_fds = (uint16_t)n_fds,
		.connection = connection,
	};

	return record_send(fd, &message, sizeof(message), fds, n_fds);
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
	return true;
}
