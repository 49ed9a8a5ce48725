/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fastest model service that answers at all: HTTP/1.1 over TLS, for
 * tests/bench only.  Every request with a body gets the same small answer; one
 * with `"stream":true` gets EVENTS events of 20 bytes, INTERVAL ms apart, each
 * of which holds the time at which it was sent.
 *
 *   stub PORT CERTIFICATE KEY EVENTS INTERVAL_MS WORKERS
 *
 * Each worker is a process that serves one connection at a time, so that no
 * fork stands between a connection and its handshake.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static const char answer[] =
	"{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\","
	"\"model\":\"claude-haiku-4-5\",\"content\":[{\"type\":\"text\",\"text\":"
	"\"ok\"}],"
	"\"stop_reason\":\"end_turn\",\"stop_sequence\":null,"
	"\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}";

static int n_events, interval_ms;

/* Microseconds of CLOCK_MONOTONIC, the same clock for all of this machine. */
static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

static void sleep_until(long long usec)
{
	const struct timespec time = {usec / 1000000, usec % 1000000 * 1000};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

/* Reads one request; gives whether its body asks for a stream. */
static bool read_request(SSL *ssl, bool *ret_stream)
{
	static char buffer[16 * 1024 * 1024 + 1];
	size_t length = 0, want = 0;

	for (;;) {
		int n = SSL_read(ssl, buffer + length,
				 (int)(sizeof(buffer) - 1 - length));
		const char *end, *field;

		if (n <= 0)
			return false;
		length += (size_t)n;
		buffer[length] = '\0';
		if (!want) {
			end = strstr(buffer, "\r\n\r\n");
			if (!end)
				continue;
			field = strcasestr(buffer, "\r\ncontent-length:");
			if (!field || field > end)
				return false;
			want = (size_t)(end + 4 - buffer) +
			       strtoul(field + strlen("\r\ncontent-length:"), NULL, 10);
		}
		if (length >= want)
			break;
	}
	*ret_stream = strstr(buffer, "\"stream\":true") != NULL;
	return length == want;
}

static bool send_text(SSL *ssl, const char *text, int length)
{
	return SSL_write(ssl, text, length) == length;
}

static bool send_events(SSL *ssl)
{
	static const char head[] =
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
		"Transfer-Encoding: chunked\r\n\r\n";
	long long start = now();

	if (!send_text(ssl, head, (int)strlen(head)))
		return false;
	for (int i = 1; i <= n_events; i++) {
		char event[64];
		int length;

		sleep_until(start + 1000LL * interval_ms * i);
		/* 6 + 12 + 2 bytes of event in a chunk of 0x14. */
		length = snprintf(event, sizeof(event), "14\r\ndata: %012lld\n\n\r\n",
				  now());
		if (!send_text(ssl, event, length))
			return false;
	}
	return send_text(ssl, "0\r\n\r\n", 5);
}

static void serve(SSL *ssl)
{
	char response[1024];
	bool stream;
	const int length =
		snprintf(response, sizeof(response),
			 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
			 "Content-Length: %zu\r\n\r\n%s",
			 strlen(answer), answer);

	if (SSL_accept(ssl) != 1)
		return;
	while (read_request(ssl, &stream)) {
		if (!(stream ? send_events(ssl) : send_text(ssl, response, length)))
			return;
	}
}

static void work(SSL_CTX *context, int listener)
{
	for (;;) {
		int one = 1, fd = accept(listener, NULL, NULL);
		SSL *ssl;

		if (fd < 0)
			continue;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		ssl = SSL_new(context);
		SSL_set_fd(ssl, fd);
		serve(ssl);
		SSL_free(ssl);
		close(fd);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);

	if (argc != 7)
		return 64;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	address.sin_port = htons((uint16_t)strtoul(argv[1], NULL, 10));
	n_events = (int)strtol(argv[4], NULL, 10);
	interval_ms = (int)strtol(argv[5], NULL, 10);
	if (SSL_CTX_use_certificate_chain_file(context, argv[2]) != 1 ||
	    SSL_CTX_use_PrivateKey_file(context, argv[3], SSL_FILETYPE_PEM) != 1) {
		ERR_print_errors_fp(stderr);
		return 1;
	}
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(listener, 64) < 0) {
		perror("stub");
		return 1;
	}
	for (long i = strtol(argv[6], NULL, 10); i > 1; i--) {
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			work(context, listener);
		}
	}
	puts("ready");
	fflush(stdout);
	work(context, listener);
}
