/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The second process of anet-tunnel: it alone can look names up and make sockets, and
 * it never sees a byte of the agent's but the name, which it checks anew.  What reads
 * the agent's bytes can therefore not connect anywhere, and what reads the answers of
 * name servers holds no connection of the agent's.
 *
 * Its descriptors are 0 to 2, the socket to the first process on 3, and what the C
 * library opens to look a name up.
 */
#include "tunnel/dialer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/failure.h"
#include "os/handover.h"
#include "os/sandbox.h"
#include "tunnel/allowed.h"
#include "tunnel/dial-record.h"
#include "tunnel/dialer-seccomp.h"
#include "tunnel/lookup.h"
#include "tunnel/race.h"

#define SOCKET_FD 3

static enum reason dial(const struct policy *policy, const char *host, int *ret_fd,
			struct failure *failure)
{
	struct addresses addresses;
	enum reason reason;
	const char *why;

	if (!host_is_allowed(policy, host, &why))
		return failure_set(failure, REASON_TUNNEL_HOST,
				   "'%s' was to be looked up, which is not allowed",
				   host);
	reason = lookup_host(host, &addresses, failure);
	if (reason != REASON_OK)
		return reason;
	return race_connect(&addresses, SOCKET_FD, ret_fd, failure);
}

static int enter_sandbox(void)
{
	const struct sandbox sandbox = {
		.filter = dialer_seccomp,
		.filter_length = sizeof(dialer_seccomp) / sizeof(dialer_seccomp[0]),
		/* What modules of nsswitch.conf(5) read is known to them alone; that
		 * nothing is written or executed can be said of all. */
		.read_only_directories = {"/"},
	};

	return sandbox_enter(&sandbox);
}

static int serve(const struct policy *policy)
{
	struct dial_question question;
	struct dial_answer answer = {0};
	struct failure failure = {""};
	auto_fd int fd = -1;
	size_t n_fds;

	if (enter_sandbox() < 0)
		return 1;
	lookup_prepare();
	if (record_receive(SOCKET_FD, &question, sizeof(question), NULL, 0, &n_fds) < 0)
		return 1;
	question.host[sizeof(question.host) - 1] = 0;
	answer.reason = dial(policy, question.host, &fd, &failure);
	memcpy(answer.detail, failure.detail, sizeof(answer.detail));
	if (record_send(SOCKET_FD, &answer, sizeof(answer), &fd, fd >= 0 ? 1 : 0) < 0)
		return 1;
	/* The end of a process takes longer than all the other one has to do now. */
	return recv(SOCKET_FD, &question, sizeof(question), 0) != 0;
}

int dialer_start(const struct policy *policy, int *ret_socket)
{
	pid_t parent = getpid(), child;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	child = fork();
	if (child == 0) {
		/* Without the latter it would outlive a parent that died already. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ||
		    dup2(ends[1], SOCKET_FD) < 0 ||
		    close_range(SOCKET_FD + 1, ~0u, 0) < 0)
			_exit(1);
		_exit(serve(policy));
	}
	close(ends[1]);
	if (child < 0) {
		int error = errno;

		close(ends[0]);
		return -error;
	}
	*ret_socket = ends[0];
	return 0;
}
