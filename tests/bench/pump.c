/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moves bytes over TCP, directly or through a proxy that knows CONNECT, as fast as it
 * goes.
 *
 *   pump serve ADDRESS PORT               a host: sends or takes what it is asked for
 *   pump get|put PROXY HOST FILE BYTES COUNT
 *                                         COUNT connections at once, of BYTES each
 *   pump open PROXY HOST FILE COUNT
 *                                         COUNT connections one after the other, each
 *                                         until the host's first byte is there
 *
 * PROXY is a port of 127.0.0.1, or 0: directly to HOST, port 443, as the name server
 * has it.  FILE is the hello of a TLS client, the first thing that is sent; then 16
 * bytes say what the host is to do.  There is no TLS behind it: what it costs is the
 * same in all cases.  `get` and `put` print the seconds from the first connection to
 * the last byte, `open` the microseconds of each.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (256 * 1024)
#define COMMAND 16

static char chunk[CHUNK];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void write_all(int fd, const void *bytes, size_t length)
{
	for (const char *at = bytes; length > 0;) {
		ssize_t put = write(fd, at, length);

		if (put <= 0)
			err(1, "write");
		at += put;
		length -= (size_t)put;
	}
}

static void read_all(int fd, void *bytes, size_t length)
{
	for (char *at = bytes; length > 0;) {
		ssize_t got = read(fd, at, length);

		if (got <= 0)
			errx(1, "the connection ended: %s",
			     got < 0 ? strerror(errno) : "EOF");
		at += got;
		length -= (size_t)got;
	}
}

static void send_bytes(int fd, uint64_t bytes)
{
	while (bytes > 0) {
		size_t part = bytes < CHUNK ? (size_t)bytes : CHUNK;

		write_all(fd, chunk, part);
		bytes -= part;
	}
}

static void take_bytes(int fd, uint64_t bytes)
{
	while (bytes > 0) {
		ssize_t got = read(fd, chunk, CHUNK);

		if (got <= 0)
			errx(1, "the connection ended too early");
		bytes -= (uint64_t)got;
	}
}

static int tcp(const char *address, int port,
	       int (*use)(int, const struct sockaddr *, socklen_t))
{
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	if (inet_pton(AF_INET, address, &in.sin_addr) != 1)
		errx(64, "no address: %s", address);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (fd < 0 || use(fd, (struct sockaddr *)&in, sizeof(in)) < 0)
		err(1, "%s port %d", address, port);
	return fd;
}

static void serve_one(int fd)
{
	char command[COMMAND + 1] = "";
	unsigned char header[5];
	uint64_t bytes;
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	read_all(fd, header, sizeof(header));
	read_all(fd, chunk, (size_t)header[3] << 8 | header[4]);
	read_all(fd, command, COMMAND);
	bytes = strtoull(command + 1, NULL, 10);
	if (command[0] == 'g') {
		send_bytes(fd, bytes);
	} else {
		take_bytes(fd, bytes);
		write_all(fd, "k", 1);
	}
	/* The client closes first. */
	(void)!read(fd, chunk, 1);
}

static int serve(const char *address, int port)
{
	int listener = tcp(address, port, bind);

	signal(SIGCHLD, SIG_IGN);
	if (listen(listener, 256) < 0)
		err(1, "listen");
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd >= 0 && fork() == 0) {
			serve_one(fd);
			_exit(0);
		}
		close(fd);
	}
}

struct target {
	int proxy;
	const char *host;
	char hello[4096];
	size_t hello_length;
};

static const char *address_of(const char *host)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	static char text[INET_ADDRSTRLEN];
	struct addrinfo *list;

	if (getaddrinfo(host, NULL, &hints, &list) != 0)
		errx(1, "no name: %s", host);
	inet_ntop(AF_INET, &((struct sockaddr_in *)list->ai_addr)->sin_addr, text,
		  sizeof(text));
	freeaddrinfo(list);
	return text;
}

static int open_target(const struct target *target, const char *command)
{
	int fd = target->proxy ? tcp("127.0.0.1", target->proxy, connect)
			       : tcp(address_of(target->host), 443, connect);
	char text[1024], first[sizeof(target->hello) + COMMAND];
	size_t length = 0;

	if (target->proxy) {
		dprintf(fd, "CONNECT %s:443 HTTP/1.1\r\nHost: %s:443\r\n\r\n",
			target->host, target->host);
		while (length < 4 || memcmp(text + length - 4, "\r\n\r\n", 4) != 0) {
			read_all(fd, text + length, 1);
			if (++length == sizeof(text))
				errx(1, "a long answer");
		}
		if (!memmem(text, length, " 200 ", 5))
			errx(1, "the proxy refused: %.*s", (int)length, text);
	}
	memcpy(first, target->hello, target->hello_length);
	memcpy(first + target->hello_length, command, COMMAND);
	write_all(fd, first, target->hello_length + COMMAND);
	return fd;
}

static void move(const struct target *target, bool get, uint64_t bytes, int count)
{
	char command[COMMAND + 1];
	double begin = now();
	int failed = 0, status;

	snprintf(command, sizeof(command), "%c%015ju", get ? 'g' : 'p',
		 (uintmax_t)bytes);
	for (int i = 0; i < count; i++) {
		if (fork() != 0)
			continue;
		int fd = open_target(target, command);

		if (get) {
			take_bytes(fd, bytes);
		} else {
			send_bytes(fd, bytes);
			read_all(fd, chunk, 1);
		}
		_exit(0);
	}
	while (wait(&status) > 0)
		failed += status != 0;
	if (failed)
		errx(1, "%d connections failed", failed);
	printf("%.6f\n", now() - begin);
}

static void open_each(const struct target *target, int count)
{
	for (int i = 0; i < count; i++) {
		double begin = now();
		int fd = open_target(target, "g000000000000001");

		read_all(fd, chunk, 1);
		printf("%.1f\n", (now() - begin) * 1e6);
		fflush(stdout);
		close(fd);
		usleep(100000);
	}
}

int main(int argc, char **argv)
{
	struct target target;
	FILE *file;

	if (argc == 4 && strcmp(argv[1], "serve") == 0)
		return serve(argv[2], (int)strtol(argv[3], NULL, 10));
	if (argc < 6)
		errx(64, "see the top of pump.c");
	target = (struct target){.proxy = (int)strtol(argv[2], NULL, 10),
				 .host = argv[3]};
	file = fopen(argv[4], "r");
	if (!file)
		err(1, "%s", argv[4]);
	target.hello_length = fread(target.hello, 1, sizeof(target.hello), file);
	if (strcmp(argv[1], "open") == 0)
		open_each(&target, (int)strtol(argv[5], NULL, 10));
	else
		move(&target, strcmp(argv[1], "get") == 0, strtoull(argv[5], NULL, 10),
		     argc > 6 ? (int)strtol(argv[6], NULL, 10) : 1);
	return 0;
}
