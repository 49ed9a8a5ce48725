/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/resolve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/handover.h"
#include "os/cleanup.h"

_Static_assert(sizeof(struct addresses) <= PIPE_BUF, "arrives whole (pipe(7))");

static void look_up(const char *host, uint16_t port, struct addresses *addresses)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC,
				       .ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;
	int error = getaddrinfo(host, NULL, &hints, &list);

	if (error != 0) {
		failure_set(&addresses->failure, REASON_UPSTREAM_UNREACHABLE,
			    "the name '%s' cannot be looked up: %s", host,
			    error == EAI_SYSTEM ? strerror(errno)
						: gai_strerror(error));
		return;
	}
	for (struct addrinfo *i = list; i && addresses->count < LIMIT_ADDRESSES;
	     i = i->ai_next) {
		union address *address = &addresses->list[addresses->count];

		if (i->ai_family == AF_INET && i->ai_addrlen == sizeof(address->in)) {
			memcpy(&address->in, i->ai_addr, sizeof(address->in));
			address->in.sin_port = htons(port);
		} else if (i->ai_family == AF_INET6 &&
			   i->ai_addrlen == sizeof(address->in6)) {
			memcpy(&address->in6, i->ai_addr, sizeof(address->in6));
			address->in6.sin6_port = htons(port);
		} else {
			continue;
		}
		addresses->count++;
	}
	/* The child ends: the list is not freed. */
}

static _Noreturn void child_main(int fd, pid_t parent, const char *host, uint16_t port)
{
	struct addresses addresses = {0};

	/* Nothing of the parent's but the pipe; and not longer than it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ||
	    dup2(fd, HANDOVER_FD) < 0 || close_range(HANDOVER_FD + 1, ~0u, 0) < 0)
		_exit(1);
	look_up(host, port, &addresses);
	_exit(write(HANDOVER_FD, &addresses, sizeof(addresses)) < 0);
}

int resolve_begin(const char *host, uint16_t port, struct resolver *ret_resolver)
{
	pid_t parent = getpid(), child;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	child = fork();
	if (child == 0)
		child_main(ends[1], parent, host, port);
	if (child < 0) {
		int error = errno;

		close(ends[0]);
		close(ends[1]);
		return -error;
	}
	close(ends[1]);
	*ret_resolver = (struct resolver){.child = child, .fd = ends[0]};
	return 0;
}

static enum reason wait_answer(int fd, const char *host, struct addresses *addresses)
{
	struct pollfd watched[] = {
		{.fd = fd, .events = POLLIN},
		{.fd = HANDOVER_FD}, /* POLLHUP only: a connection may be there */
	};
	int r;

	do
		r = poll(watched, 2, LIMIT_RESOLVE_SECONDS * 1000);
	while (r < 0 && errno == EINTR);
	if (watched[1].revents)
		return REASON_SUPERVISOR_GONE;
	if (r > 0 &&
	    read(fd, addresses, sizeof(*addresses)) == (ssize_t)sizeof(*addresses) &&
	    addresses->count <= LIMIT_ADDRESSES)
		return REASON_OK;
	memset(addresses, 0, sizeof(*addresses));
	failure_set(&addresses->failure, REASON_UPSTREAM_UNREACHABLE,
		    "the look-up of the name '%s' %s", host,
		    r > 0 ? "ended without an answer" : "took too long");
	return REASON_OK;
}

enum reason resolve_finish(struct resolver *resolver, const char *host,
			   struct addresses *ret_addresses)
{
	auto_fd int fd = take_fd(&resolver->fd);
	enum reason reason = wait_answer(fd, host, ret_addresses);

	/* Whatever it is still doing is of no use now. */
	(void)kill(resolver->child, SIGKILL);
	while (waitpid(resolver->child, NULL, 0) < 0 && errno == EINTR)
		;
	return reason;
}

bool address_is_loopback(const union address *address)
{
	const struct in6_addr *in6 = &address->in6.sin6_addr;

	if (address->any.sa_family == AF_INET)
		return ntohl(address->in.sin_addr.s_addr) >> 24 == 127;
	if (IN6_IS_ADDR_V4MAPPED(in6))
		return in6->s6_addr[12] == 127;
	return IN6_IS_ADDR_LOOPBACK(in6);
}

void address_format(const union address *address, char *ret_text, size_t size)
{
	char text[INET6_ADDRSTRLEN] = "?";
	uint16_t port;

	if (address->any.sa_family == AF_INET) {
		(void)inet_ntop(AF_INET, &address->in.sin_addr, text, sizeof(text));
		port = ntohs(address->in.sin_port);
	} else {
		(void)inet_ntop(AF_INET6, &address->in6.sin6_addr, text, sizeof(text));
		port = ntohs(address->in6.sin6_port);
	}
	snprintf(ret_text, size, "%s port %u", text, port);
}
