/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include "attack.h"

/* FAMILY TYPE PROTOCOL.  Only socket(): nothing is ever connected or sent. */
static enum outcome attack_socket(char **arguments)
{
	if (socket(number(arguments[0]), number(arguments[1]), number(arguments[2])) < 0) {
		if (errno == EAFNOSUPPORT || errno == EPROTONOSUPPORT || errno == ESOCKTNOSUPPORT ||
		    errno == ENODEV)
			return not_here("this kernel has no such socket, or hides it");
		return refused("socket");
	}
	return achieved();
}

/* The same in a pair, the other way to an endpoint. */
static enum outcome attack_socketpair(char **arguments)
{
	int pair[2];

	if (socketpair(number(arguments[0]), number(arguments[1]), number(arguments[2]), pair) < 0)
		return refused("socketpair");
	return achieved();
}

static enum outcome greet(int fd)
{
	struct timeval patience = { .tv_sec = 3 };
	char reply[64];
	ssize_t length;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	length = read(fd, reply, sizeof(reply));
	if (length <= 0)
		return refused("nobody speaks");
	printf("%.*s\n", (int)length, reply);
	return achieved();
}

/* ADDRESS PORT: connects by TCP and hears the greeting. */
static enum outcome attack_tcp(char **arguments)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(number(arguments[1])) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, arguments[0], &to.sin_addr);
	if (fd < 0)
		return refused("socket");
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		return refused("connect");
	return greet(fd);
}

/* ADDRESS PORT: a datagram out, one back. */
static enum outcome attack_udp(char **arguments)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(number(arguments[1])) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	inet_pton(AF_INET, arguments[0], &to.sin_addr);
	if (fd < 0)
		return refused("socket");
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 || send(fd, "x", 1, 0) < 0)
		return refused("send");
	return greet(fd);
}

/* PATH, or @NAME in the abstract namespace. */
static enum outcome attack_unix(char **arguments)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t length = strlen(arguments[0]);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || length >= sizeof(to.sun_path))
		return refused("socket");
	memcpy(to.sun_path, arguments[0], length);
	if (to.sun_path[0] == '@')
		to.sun_path[0] = 0;
	if (connect(fd, (struct sockaddr *)&to, offsetof(struct sockaddr_un, sun_path) + length) < 0)
		return refused("connect");
	return greet(fd);
}

const struct attack socket_attacks[] = {
	{ "socket", attack_socket },
	{ "socketpair", attack_socketpair },
	{ "tcp", attack_tcp },
	{ "udp", attack_udp },
	{ "unix", attack_unix },
	{ 0 },
};
