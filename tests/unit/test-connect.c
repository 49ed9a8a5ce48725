/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Heads of CONNECT requests: each row whole, in two parts at every offset, and singly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/connect.h"

#define TEXT_BYTES 512

/* "more", "HOST +BYTES BEHIND THE HEAD", or "CODE", with the host if it was checked. */
static void describe(const struct connect_request *request, enum reason reason,
		     size_t length, char text[TEXT_BYTES])
{
	if (reason != REASON_OK)
		snprintf(text, TEXT_BYTES, "%s%s%s", reason_code(reason),
			 request->host[0] ? " " : "", request->host);
	else if (!request->done)
		snprintf(text, TEXT_BYTES, "more");
	else
		snprintf(text, TEXT_BYTES, "%s +%zu", request->host,
			 length - request->length);
}

/* In a block of its own, so that a sanitizer sees a read behind it. */
static enum reason feed(struct connect_request *request, const char *in, size_t length)
{
	uint8_t *copy = malloc(length ? length : 1);
	enum reason reason;

	assert_non_null(copy);
	memcpy(copy, in, length);
	reason = connect_request_parse(request, copy, length);
	free(copy);
	return reason;
}

static void check(const char *name, const char *in, size_t length, const char *want)
{
	struct connect_request whole, parts;
	char got[TEXT_BYTES], again[TEXT_BYTES];
	enum reason reason;

	connect_request_init(&whole);
	reason = feed(&whole, in, length);
	describe(&whole, reason, length, got);
	if (strcmp(got, want) != 0)
		fail_msg("%s: got \"%s\" (%s), want \"%s\"", name, got,
			 whole.detail ? whole.detail : "", want);
	if (reason != REASON_OK)
		assert_non_null(whole.detail);
	for (size_t split = 0; split <= length; split++) {
		connect_request_init(&parts);
		feed(&parts, in, split);
		reason = feed(&parts, in, length);
		describe(&parts, reason, length, again);
		if (strcmp(got, again) != 0 || parts.detail != whole.detail)
			fail_msg("%s: split at %zu gives \"%s\"", name, split, again);
	}
	if (length > 4096)
		return; /* singly, this is quadratic here */
	connect_request_init(&parts);
	for (size_t n = 0; n <= length; n++)
		reason = feed(&parts, in, n);
	describe(&parts, reason, length, again);
	if (strcmp(got, again) != 0)
		fail_msg("%s: singly gives \"%s\"", name, again);
}

struct row {
	const char *name;
	const char *in;
	size_t length;
	const char *want;
};

#define ROW(name, in, want)                                                            \
	{                                                                              \
		name, in, sizeof(in) - 1, want                                         \
	}
#define TARGET(name, target, want)                                                     \
	ROW(name, "CONNECT " target " HTTP/1.1\r\n\r\n", want)
#define WITH(name, fields, want)                                                       \
	ROW(name, "CONNECT a.example:443 HTTP/1.1\r\n" fields "\r\n", want)

static void check_all(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check(rows[i].name, rows[i].in, rows[i].length, rows[i].want);
}
#define CHECK_ALL(rows) check_all(rows, sizeof(rows) / sizeof((rows)[0]))

/* As clients send them, in what they differ. */
static void test_clients(void **state)
{
	static const struct row rows[] = {
		ROW("curl, git",
		    "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n"
		    "User-Agent: curl/7.88.1\r\nProxy-Connection: Keep-Alive\r\n\r\n",
		    "a.example +0"),
		ROW("Python until 3.11", "CONNECT a.example:443 HTTP/1.0\r\n\r\n",
		    "a.example +0"),
		ROW("Python, urllib3",
		    "CONNECT a.example:443 HTTP/1.0\r\nUser-Agent: pip/23.0.1\r\n\r\n",
		    "a.example +0"),
		ROW("Node",
		    "CONNECT a.example:443 HTTP/1.1\r\nhost: a.example\r\n"
		    "connection: close\r\n\r\n",
		    "a.example +0"),
		ROW("Java",
		    "CONNECT a.example:443 HTTP/1.1\r\nUser-Agent: Java/17.0.1\r\n"
		    "Host: a.example\r\nAccept: text/html, */*; q=.2\r\n"
		    "Proxy-Connection: keep-alive\r\n\r\n",
		    "a.example +0"),
		ROW("the client's hello behind it",
		    "CONNECT a.example:443 HTTP/1.1\r\n\r\n\x16\x03\x01",
		    "a.example +3"),
		ROW("line ends behind it",
		    "CONNECT a.example:443 HTTP/1.1\r\n\r\n\r\n\r\n", "a.example +4"),
		ROW("one empty line before",
		    "\r\nCONNECT a.example:443 HTTP/1.1\r\n\r\n", "a.example +0"),
	};

	(void)state;
	CHECK_ALL(rows);
}

static void test_names(void **state)
{
	static const struct row rows[] = {
		TARGET("punycode", "xn--bcher-kva.example:443",
		       "xn--bcher-kva.example +0"),
		TARGET("digits", "0x7f.1.example:443", "0x7f.1.example +0"),
		TARGET("none", ":443", "tunnel_name"),
		TARGET("nothing", "", "tunnel_name"),
		TARGET("upper case", "A.example:443", "tunnel_name"),
		TARGET("final dot", "a.example.:443", "tunnel_name"),
		TARGET("only a dot", ".:443", "tunnel_name"),
		TARGET("NUL", "a.example\0.b:443", "http_malformed"),
		TARGET("%00", "a.example%00.b:443", "tunnel_name"),
		TARGET("CR", "a.example\r:443", "http_malformed"),
		TARGET("LF", "a.example\n:443", "http_malformed"),
		TARGET("CR LF", "a.example\r\n:443", "http_malformed"),
		TARGET("%0d%0a", "a.example%0d%0a:443", "tunnel_name"),
		TARGET("tab", "a.example\t:443", "tunnel_name"),
		TARGET("space", "a.example :443", "http_malformed"),
		TARGET("DEL", "a.example\x7f:443", "http_malformed"),
		TARGET("user", "b@a.example:443", "tunnel_name"),
		TARGET("user and password", "b:443@a.example:443", "tunnel_port b"),
		TARGET("user behind a port", "b.example:443@a.example:443",
		       "tunnel_port b.example"),
		TARGET("IPv6", "[::1]:443", "tunnel_name"),
		TARGET("IPv6 with a zone", "[fe80::1%25eth0]:443", "tunnel_name"),
		TARGET("IPv6, no brackets", "::1:443", "tunnel_name"),
		TARGET("IPv6 that has an end only", "::1]:443", "tunnel_name"),
		TARGET("half a bracket", "[::1", "tunnel_name"),
		TARGET("brackets", "[a.example]:443", "tunnel_name"),
		TARGET("IPv4", "127.0.0.1:443", "tunnel_name"),
		TARGET("short IPv4", "127.1:443", "tunnel_name"),
		TARGET("IPv4 as a number", "2130706433:443", "tunnel_name"),
		TARGET("IPv4 in hex", "0x7f.1:443", "tunnel_name"),
		TARGET("IPv4 as a hex number", "0x7f000001:443", "tunnel_name"),
		TARGET("IPv4 in octal", "0177.0.0.1:443", "tunnel_name"),
		TARGET("number at the end", "a.example.0x7f:443", "tunnel_name"),
		TARGET("fullwidth", "\xef\xbd\x81.example:443", "tunnel_name"),
		TARGET("fullwidth dot",
		       "a\xef\xbc\x8e"
		       "example:443",
		       "tunnel_name"),
		TARGET("wildcard", "*.example:443", "tunnel_name"),
		TARGET("localhost", "localhost:443", "tunnel_name"),
		TARGET("below localhost", "a.localhost:443", "tunnel_name"),
		TARGET("local network", "printer.local:443", "tunnel_name"),
		TARGET("underscore", "a_b.example:443", "tunnel_name"),
		TARGET("path", "a.example:443/", "tunnel_port a.example"),
		TARGET("comma", "a.example,b.example:443", "tunnel_name"),
		TARGET("backslash", "a.example\\b:443", "tunnel_name"),
		TARGET("absolute form", "https://a.example:443", "tunnel_port https"),
	};

	(void)state;
	CHECK_ALL(rows);
}

static void test_ports(void **state)
{
	static const struct row rows[] = {
		TARGET("none", "a.example", "tunnel_port a.example"),
		TARGET("empty", "a.example:", "tunnel_port a.example"),
		TARGET("zero before", "a.example:0443", "tunnel_port a.example"),
		TARGET("plus", "a.example:+443", "tunnel_port a.example"),
		TARGET("minus", "a.example:-443", "tunnel_port a.example"),
		TARGET("twice", "a.example:443:443", "tunnel_port a.example"),
		TARGET("hex", "a.example:0x1bb", "tunnel_port a.example"),
		TARGET("2^16 more", "a.example:65979", "tunnel_port a.example"),
		TARGET("name", "a.example:https", "tunnel_port a.example"),
		TARGET("of http", "a.example:80", "tunnel_port a.example"),
		TARGET("of a query", "a.example:443?", "tunnel_port a.example"),
		TARGET("shorter", "a.example:44", "tunnel_port a.example"),
		TARGET("longer", "a.example:4433", "tunnel_port a.example"),
	};

	(void)state;
	CHECK_ALL(rows);
}

static void test_requests(void **state)
{
	static const struct row rows[] = {
		ROW("http",
		    "GET http://a.example/b HTTP/1.1\r\nHost: a.example\r\n\r\n",
		    "tunnel_request"),
		ROW("http, body",
		    "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
		    "Content-Length: 3\r\n\r\nabc",
		    "tunnel_request"),
		ROW("not for a proxy", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		    "tunnel_request"),
		ROW("lower case", "connect a.example:443 HTTP/1.1\r\n\r\n",
		    "tunnel_request"),
		ROW("longer", "CONNECTED a.example:443 HTTP/1.1\r\n\r\n",
		    "tunnel_request"),
		ROW("OPTIONS", "OPTIONS * HTTP/1.1\r\n\r\n", "tunnel_request"),
		ROW("two spaces", "CONNECT  a.example:443 HTTP/1.1\r\n\r\n",
		    "http_malformed"),
		ROW("space behind", "CONNECT a.example:443 HTTP/1.1 \r\n\r\n",
		    "http_malformed"),
		ROW("no version", "CONNECT a.example:443\r\n\r\n", "http_malformed"),
		ROW("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "http_version"),
		ROW("HTTP/1.2", "CONNECT a.example:443 HTTP/1.2\r\n\r\n",
		    "http_version"),
		ROW("version of one digit", "CONNECT a.example:443 HTTP/1\r\n\r\n",
		    "http_malformed"),
		ROW("lower-case version", "CONNECT a.example:443 http/1.1\r\n\r\n",
		    "http_malformed"),
		ROW("LF", "CONNECT a.example:443 HTTP/1.1\n\n", "http_malformed"),
		ROW("TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		    "http_malformed"),
		ROW("SOCKS5", "\x05\x01\x00", "http_malformed"),
		ROW("two empty lines", "\r\n\r\nCONNECT a.example:443 HTTP/1.1\r\n\r\n",
		    "http_malformed"),
		ROW("cut", "CONNECT a.example:443 HTTP/1.1\r\n\r", "more"),
		ROW("nothing", "", "more"),
	};

	(void)state;
	CHECK_ALL(rows);
}

static void test_fields(void **state)
{
	static const struct row rows[] = {
		WITH("Host", "Host: a.example:443\r\n", "a.example +0"),
		WITH("Host without port", "HOST:a.example \r\n", "a.example +0"),
		WITH("another host", "Host: b.example:443\r\n",
		     "http_malformed a.example"),
		WITH("another port", "Host: a.example:80\r\n",
		     "http_malformed a.example"),
		WITH("upper case", "Host: A.example\r\n", "http_malformed a.example"),
		WITH("longer", "Host: a.example.org\r\n", "http_malformed a.example"),
		WITH("shorter", "Host: a.exampl\r\n", "http_malformed a.example"),
		WITH("empty Host", "Host:\r\n", "http_malformed"),
		WITH("two Hosts", "Host: a.example\r\nHost: a.example\r\n",
		     "http_malformed"),
		WITH("password", "Proxy-Authorization: Basic YTpi\r\n", "a.example +0"),
		WITH("no body", "Content-Length: 0\r\n", "a.example +0"),
		WITH("body", "Content-Length: 1\r\n", "http_framing a.example"),
		WITH("chunked", "Transfer-Encoding: chunked\r\n",
		     "http_framing a.example"),
		WITH("both", "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
		     "http_framing"),
		WITH("two lengths", "Content-Length: 0\r\nContent-Length: 0\r\n",
		     "http_framing"),
		WITH("Expect", "Expect: 100-continue\r\n", "a.example +0"),
		WITH("another Expect", "Expect: a\r\n", "http_expectation a.example"),
		WITH("Upgrade", "Upgrade: websocket\r\n", "http_upgrade a.example"),
		WITH("space before the colon", "Host : a.example\r\n",
		     "http_malformed"),
		WITH("folded", "A: b\r\n c\r\n", "http_malformed"),
		WITH("no colon", "A\r\n", "http_malformed"),
	};

	(void)state;
	CHECK_ALL(rows);
}

/* A head with a field of just so many bytes that it has `length`. */
static void check_length(size_t length, const char *want)
{
	static const char begin[] = "CONNECT a.example:443 HTTP/1.1\r\nA: ";
	char *head = malloc(length);

	assert_non_null(head);
	memset(head, 'a', length);
	memcpy(head, begin, sizeof(begin) - 1);
	memcpy(head + length - 4, "\r\n\r\n", 4);
	check("long head", head, length, want);
	free(head);
}

static void test_sizes(void **state)
{
	char request[400], want[400], name[LIMIT_HOST_NAME + 2];

	(void)state;
	check_length(LIMIT_CONNECT_HEAD, "a.example +0");
	check_length(LIMIT_CONNECT_HEAD + 1, "http_head_too_large");
	for (size_t n = LIMIT_HOST_NAME; n <= LIMIT_HOST_NAME + 1; n++) {
		for (size_t i = 0; i < n; i++)
			name[i] = i % 50 == 49 ? '.' : 'a';
		name[n] = 0;
		snprintf(request, sizeof(request), "CONNECT %s:443 HTTP/1.1\r\n\r\n",
			 name);
		snprintf(want, sizeof(want), "%s +0", name);
		check("long name", request, strlen(request),
		      n == LIMIT_HOST_NAME ? want : "tunnel_name");
	}
}

/* What is complete stays so, and what is refused too. */
static void test_again(void **state)
{
	static const char good[] = "CONNECT a.example:443 HTTP/1.1\r\n\r\n";
	static const char bad[] = "CONNECT a.example:80 HTTP/1.1\r\n\r\n";
	struct connect_request request;

	(void)state;
	connect_request_init(&request);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(feed(&request, good, sizeof(good) - 1), REASON_OK);
		assert_true(request.done);
		assert_int_equal(request.length, sizeof(good) - 1);
	}
	connect_request_init(&request);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(feed(&request, bad, sizeof(bad) - 1),
				 REASON_TUNNEL_PORT);
		assert_false(request.done);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clients), cmocka_unit_test(test_names),
		cmocka_unit_test(test_ports),	cmocka_unit_test(test_requests),
		cmocka_unit_test(test_fields),	cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
