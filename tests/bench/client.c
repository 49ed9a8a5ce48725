/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A client with next to no latency of its own, for tests/bench only.
 *
 *   client PORT REQUEST_DIRECTORY [HOST CA_FILE]
 *
 * With HOST it speaks TLS to the stub at 127.0.0.1:PORT, without it plain HTTP
 * to the endpoint of a run.  It takes commands on standard input, one a line,
 * and answers each with one line of numbers, microseconds:
 *
 *   keep FILE N    N requests one after the other on one connection, which
 *                  stays open from one command to the next
 *   new FILE N     N requests, each on a connection of its own (connect and
 *                  handshake included), 0.3 s apart as an agent's would be:
 *                  not one before what the last one set off has settled
 *   stream FILE    one request; how late each event of the answer arrived
 *
 * FILE is a whole HTTP request, as it goes over the wire.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct connection {
	int fd;
	SSL *ssl; /* NULL: plain */
};

static uint16_t port;
static const char *directory, *host;
static SSL_CTX *context;
static char request[16 * 1024 * 1024];
static size_t request_length;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

static void load(const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "re");
	if (!file)
		die(path);
	request_length = fread(request, 1, sizeof(request), file);
	fclose(file);
}

static struct connection dial(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct connection connection = {.fd = socket(AF_INET, SOCK_STREAM, 0)};
	int one = 1;

	if (connect(connection.fd, (const struct sockaddr *)&address, sizeof(address)) <
	    0)
		die("connect");
	setsockopt(connection.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (!host)
		return connection;
	connection.ssl = SSL_new(context);
	SSL_set_fd(connection.ssl, connection.fd);
	SSL_set_tlsext_host_name(connection.ssl, host);
	SSL_set1_host(connection.ssl, host);
	if (SSL_connect(connection.ssl) != 1) {
		fprintf(stderr, "client: the TLS handshake failed\n");
		exit(1);
	}
	return connection;
}

static void hang_up(struct connection *connection)
{
	if (connection->ssl)
		SSL_free(connection->ssl);
	close(connection->fd);
	connection->fd = -1;
}

static void send_request(const struct connection *connection)
{
	size_t sent = 0;

	while (sent < request_length) {
		const char *at = request + sent;
		const size_t rest = request_length - sent;
		ssize_t n = connection->ssl ? SSL_write(connection->ssl, at, (int)rest)
					    : write(connection->fd, at, rest);

		if (n <= 0)
			die("write");
		sent += (size_t)n;
	}
}

static size_t receive(const struct connection *connection, char *buffer, size_t size)
{
	ssize_t n = connection->ssl ? SSL_read(connection->ssl, buffer, (int)size)
				    : read(connection->fd, buffer, size);

	if (n <= 0) {
		fprintf(stderr, "client: the connection ended within an answer\n");
		exit(1);
	}
	return (size_t)n;
}

/* Whether the whole answer is there: by its length, or its last chunk. */
static bool complete(const char *answer, size_t length)
{
	const char *end = strstr(answer, "\r\n\r\n");
	const char *field = strcasestr(answer, "\r\ncontent-length:");

	if (!end)
		return false;
	if (strncmp(answer, "HTTP/1.1 200", 12) != 0) {
		fprintf(stderr, "client: %s\n", answer);
		exit(1);
	}
	if (field && field < end)
		return length >=
		       (size_t)(end + 4 - answer) +
			       strtoul(field + strlen("\r\ncontent-length:"), NULL, 10);
	return length >= 5 && memcmp(answer + length - 5, "0\r\n\r\n", 5) == 0;
}

static void exchange(const struct connection *connection)
{
	static char answer[64 * 1024];
	size_t length = 0;

	send_request(connection);
	do {
		length += receive(connection, answer + length,
				  sizeof(answer) - 1 - length);
		answer[length] = '\0';
	} while (!complete(answer, length));
}

static void stream(const struct connection *connection)
{
	static char answer[64 * 1024];
	size_t length = 0, seen = 0;

	send_request(connection);
	do {
		const char *event;

		length += receive(connection, answer + length,
				  sizeof(answer) - 1 - length);
		answer[length] = '\0';
		while ((event = strstr(answer + seen, "data: ")) &&
		       strstr(event, "\n\n")) {
			printf("%lld ", now() - strtoll(event + 6, NULL, 10));
			seen = (size_t)(event + 6 - answer);
		}
	} while (!complete(answer, length));
}

static void command(struct connection *kept, const char *verb, const char *file,
		    long count)
{
	load(file);
	if (strcmp(verb, "stream") == 0) {
		struct connection connection = dial();

		stream(&connection);
		hang_up(&connection);
		return;
	}
	for (long i = 0; i < count; i++) {
		const bool keep = strcmp(verb, "keep") == 0;
		long long start;
		struct connection connection = {.fd = -1};

		if (!keep)
			usleep(300000);
		else if (kept->fd < 0)
			*kept = dial();
		start = now();
		connection = keep ? *kept : dial();
		exchange(&connection);
		printf("%lld ", now() - start);
		if (!keep)
			hang_up(&connection);
	}
}

int main(int argc, char **argv)
{
	struct connection kept = {.fd = -1};
	char line[256], verb[16], file[128];

	/* What the runtime gives to the program that this stands for. */
	while (argc > 1 && argv[1][0] == '-') {
		argc--;
		argv++;
	}
	if (argc != 3 && argc != 5)
		return 64;
	signal(SIGPIPE, SIG_IGN);
	port = (uint16_t)strtoul(argv[1], NULL, 10);
	directory = argv[2];
	if (argc == 5) {
		host = argv[3];
		context = SSL_CTX_new(TLS_client_method());
		if (SSL_CTX_load_verify_locations(context, argv[4], NULL) != 1)
			return 1;
		SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	}
	while (fgets(line, sizeof(line), stdin)) {
		long count = 1;

		if (sscanf(line, "%15s %127s %ld", verb, file, &count) < 2)
			return 64;
		command(&kept, verb, file, count);
		putchar('\n');
		fflush(stdout);
	}
	return 0;
}
