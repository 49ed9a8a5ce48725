/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "os/process.h"

/* Also on a machine that starts hundreds of helpers at once. */
#define PREPARE_MS 30000

static bool is_number(const char *text, long number)
{
	char expected[24];

	if (!text)
		return false;
	snprintf(expected, sizeof(expected), "%ld", number);
	return strcmp(text, expected) == 0;
}

int helper_begin(void)
{
	int type = 0, domain = 0;
	socklen_t size = sizeof(type);
	struct sockaddr_storage peer;
	socklen_t peer_size = sizeof(peer);
	int r;

	process_harden();
	r = process_pin_stdio();
	if (r < 0)
		return r;
	signal(SIGPIPE, SIG_IGN);
	if (!is_number(secure_getenv("LISTEN_FDS"), 1) ||
	    !is_number(secure_getenv("LISTEN_PID"), getpid()))
		return -EBADF;
	if (getsockopt(HANDOVER_FD, SOL_SOCKET, SO_TYPE, &type, &size) < 0)
		return -errno;
	size = sizeof(domain);
	if (getsockopt(HANDOVER_FD, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0)
		return -errno;
	if (type != SOCK_SEQPACKET || domain != AF_UNIX)
		return -EPROTOTYPE;
	if (getpeername(HANDOVER_FD, (struct sockaddr *)&peer, &peer_size) < 0)
		return -errno;
	if (fcntl(HANDOVER_FD, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;
	return close_range(HANDOVER_FD + 1, ~0u, 0) < 0 ? -errno : 0;
}

int handover_peer_uid(int fd, uid_t *ret_uid)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return -errno;
	*ret_uid = peer.uid;
	return 0;
}

int record_send(int fd, const void *record, size_t size, const int *fds, size_t n_fds)
{
	union {
		char buffer[CMSG_SPACE(sizeof(int) * HANDOVER_MAX_FDS)];
		struct cmsghdr align;
	} control;
	struct iovec part = { .iov_base = (void *)record, .iov_len = size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (n_fds > HANDOVER_MAX_FDS)
		return -EINVAL;
	if (n_fds > 0) {
		struct cmsghdr *header;

		memset(&control, 0, sizeof(control));
		message.msg_control = control.buffer;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(header), fds, sizeof(int) * n_fds);
	}
	for (;;) {
		ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);

		if (sent == (ssize_t)size)
			return 0;
		if (sent >= 0)
			return -EMSGSIZE;
		if (errno != EINTR)
			return -errno;
	}
}

/* Gives up to max_fds of the message's descriptors, closes the others, and
 * says how many there were in all. */
static size_t collect_fds(struct msghdr *message, int *ret_fds, size_t max_fds)
{
	size_t n = 0;

	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
	     header = CMSG_NXTHDR(message, header)) {
		size_t count;

		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
			if (n < max_fds)
				ret_fds[n] = fd;
			else
				close(fd);
			n++;
		}
	}
	return n;
}

int record_receive(int fd, void *record, size_t size, int *ret_fds, size_t max_fds,
		   size_t *ret_n_fds)
{
	union {
		/* Room for more than any step carries, so that surplus
		 * descriptors are seen and closed, not only lost. */
		char buffer[CMSG_SPACE(sizeof(int) * HANDOVER_MAX_FDS * 2)];
		struct cmsghdr align;
	} control;
	struct iovec part = { .iov_base = record, .iov_len = size };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.buffer,
		.msg_controllen = sizeof(control.buffer),
	};
	ssize_t got;
	size_t n;

	/* A peer that ended without reading everything leaves one ECONNRESET,
	 * which comes before the last record that it sent (unix_release_sock()). */
	do
		got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && (errno == EINTR || errno == ECONNRESET));
	if (got < 0)
		return -errno;
	n = collect_fds(&message, ret_fds, max_fds);
	if (got == (ssize_t)size && n <= max_fds &&
	    !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		*ret_n_fds = n;
		return 0;
	}
	for (size_t i = 0; i < n && i < max_fds; i++)
		close(ret_fds[i]);
	return got == 0 ? -ENOTCONN : -EBADMSG;
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

int handover_receive(enum handover_kind kind, enum handover_step step, int *ret_fds,
		     size_t n_fds, size_t n_optional, size_t *ret_n_fds,
		     uint64_t *ret_connection)
{
	struct handover message;
	struct pollfd polled = { .fd = HANDOVER_FD, .events = POLLIN };
	int fds[HANDOVER_MAX_FDS];
	size_t n = 0;
	int r;

	/* A supervisor prepares these at once; whoever else may connect to their
	 * sockets must not be able to keep processes.  The others are its own
	 * children, and wait until the sandbox is built, which may take a while. */
	if (step == HANDOVER_PREPARE &&
	    (kind == HANDOVER_GATEWAY || kind == HANDOVER_UPSTREAM ||
	     kind == HANDOVER_TUNNEL) &&
	    poll(&polled, 1, PREPARE_MS) == 0)
		return -ETIMEDOUT;
	r = record_receive(HANDOVER_FD, &message, sizeof(message), fds, HANDOVER_MAX_FDS, &n);
	if (r < 0)
		return r;
	if (message.magic != HANDOVER_MAGIC || message.version != HANDOVER_VERSION ||
	    message.size != sizeof(message) || message.kind != kind || message.step != step ||
	    message.n_fds != n || n < n_fds || n > n_fds + n_optional) {
		for (size_t i = 0; i < n; i++)
			close(fds[i]);
		return -EBADMSG;
	}
	memcpy(ret_fds, fds, n * sizeof(int));
	*ret_n_fds = n;
	if (ret_connection)
		*ret_connection = message.connection;
	return 0;
}

static bool terminated(const char *field, size_t size)
{
	return memchr(field, 0, size) != NULL;
}

static int check_maker(int fd)
{
	const int sealed = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	struct statfs filesystem;
	struct stat status;
	int seals;

	if (fstat(fd, &status) < 0 || fstatfs(fd, &filesystem) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || filesystem.f_type != TMPFS_MAGIC)
		return -EPERM;
	seals = fcntl(fd, F_GET_SEALS);
	if (seals >= 0 && (seals & sealed) == sealed)
		return status.st_uid == 0 || status.st_uid == geteuid() ? 0 : -EPERM;
	if (status.st_uid != 0 || (status.st_mode & 07777) != 0444 || status.st_nlink > 1)
		return -EPERM;
	/* None: who still has it may be a supervisor of the next session, which got
	 * the same uid. */
	return status.st_nlink == 0 ? -ENOTCONN : 0;
}

/* What only the operator's own runs may have, and lists that are whole. */
static bool egress_is_valid(const struct policy *policy)
{
	if (policy->egress > EGRESS_PUBLIC ||
	    (policy->egress == EGRESS_PUBLIC && policy->profile != PROFILE_OWN) ||
	    (policy->egress == EGRESS_LIST) != (policy->n_egress_hosts > 0) ||
	    policy->n_egress_hosts > LIMIT_EGRESS_HOSTS)
		return false;
	for (size_t i = 0; i < LIMIT_EGRESS_HOSTS; i++)
		if (!terminated(policy->egress_hosts[i], sizeof(policy->egress_hosts[i])))
			return false;
	return true;
}

int policy_read(int fd, struct policy *ret_policy)
{
	struct policy policy;
	ssize_t got;
	int r = check_maker(fd);

	if (r < 0)
		return r;
	got = pread(fd, &policy, sizeof(policy), 0);
	if (got < 0)
		return -errno;
	if (got != (ssize_t)sizeof(policy) || policy.magic != POLICY_MAGIC ||
	    policy.version != POLICY_VERSION || policy.size != sizeof(policy))
		return -EBADMSG;
	if (policy.strategy < STRATEGY_HOST || policy.strategy > STRATEGY_MICROSANDBOX)
		return -EBADMSG;
	if (!terminated(policy.session, sizeof(policy.session)) ||
	    !terminated(policy.agent, sizeof(policy.agent)) ||
	    !terminated(policy.runtime, sizeof(policy.runtime)) ||
	    !terminated(policy.credential, sizeof(policy.credential)) ||
	    !terminated(policy.host, sizeof(policy.host)) ||
	    !terminated(policy.base_path, sizeof(policy.base_path)) ||
	    !terminated(policy.model, sizeof(policy.model)))
		return -EBADMSG;
	if (!egress_is_valid(&policy))
		return -EBADMSG;
	*ret_policy = policy;
	return 0;
}

void report_send(struct report *report, enum report_type type, enum reason reason,
		 const char *format, ...)
{
	va_list arguments;

	report->magic = HANDOVER_MAGIC;
	report->version = HANDOVER_VERSION;
	report->size = sizeof(*report);
	report->type = type;
	report->reason = reason;
	memset(report->detail, 0, sizeof(report->detail));
	va_start(arguments, format);
	vsnprintf(report->detail, sizeof(report->detail), format, arguments);
	va_end(arguments);
	(void)record_send(HANDOVER_FD, report, sizeof(*report), NULL, 0);
}
