/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "os/cleanup.h"

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

bool probe_loopback(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	struct sockaddr_in address = loopback(0);
	socklen_t size = sizeof(address);
	auto_fd int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	auto_fd int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	auto_fd int server = -1;

	(void)host;
	if (listener < 0 || client < 0)
		return probe_failed(detail, "socket: %s", strerror(errno));
	if (bind(listener, (struct sockaddr *)&address, size) < 0 ||
	    listen(listener, 1) < 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &size) < 0)
		return probe_failed(detail, "cannot listen on 127.0.0.1: %s",
				    strerror(errno));
	if (connect(client, (struct sockaddr *)&address, size) < 0)
		return probe_failed(detail, "cannot connect to 127.0.0.1: %s",
				    strerror(errno));
	server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	return server >= 0 || probe_failed(detail, "accept: %s", strerror(errno));
}

bool probe_host_tcp(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	struct sockaddr_in address = loopback(host->port);
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return probe_failed(detail, "socket: %s", strerror(errno));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return true;
	return probe_failed(detail, "port %u of the host can be reached", host->port);
}

static bool abstract_refused(const struct probe_host *host, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				     host->abstract_length);
	auto_fd int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path + 1, host->abstract, host->abstract_length);
	return fd >= 0 && connect(fd, (struct sockaddr *)&address, size) < 0;
}

bool probe_host_abstract(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	/* EPROTOTYPE, which the wrong type would give, is a socket found. */
	if (abstract_refused(host, SOCK_STREAM) && errno != EPROTOTYPE)
		return true;
	return probe_failed(detail, "an abstract socket of the host can be reached");
}

/* The call alone is asserted: connecting would reach the hypervisor. */
bool probe_vsock(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	auto_fd int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)host;
	return fd < 0 || probe_failed(detail, "a socket to the hypervisor can be made");
}
