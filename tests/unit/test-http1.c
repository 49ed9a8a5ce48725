/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Request heads: each row whole, in two parts at every offset, and singly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/http1.h"

#define TEXT_BYTES 512

/* What the parser made of it: the code of a refusal, "more", or the head. */
static void describe(const struct http1_head *head, enum reason reason,
		     const uint8_t *in, char text[TEXT_BYTES])
{
	size_t used;

	if (reason != REASON_OK || !head->done) {
		snprintf(text, TEXT_BYTES, "%s",
			 reason != REASON_OK ? reason_code(reason) : "more");
		return;
	}
	snprintf(text, TEXT_BYTES, "%.*s %.*s", head->method_name.length,
		 (const char *)in + head->method_name.offset, head->path.length,
		 (const char *)in + head->path.offset);
	used = strlen(text);
	if (head->query.length)
		used += (size_t)snprintf(text + used, TEXT_BYTES - used, " ?%.*s",
					 head->query.length,
					 (const char *)in + head->query.offset);
	if (head->has_length)
		used += (size_t)snprintf(text + used, TEXT_BYTES - used, " length=%llu",
					 (unsigned long long)head->content_length);
	snprintf(text + used, TEXT_BYTES - used, "%s%s%s%s%s",
		 head->chunked ? " chunked" : "", head->close ? " close" : "",
		 head->expects_continue ? " expects" : "",
		 head->refusal != REASON_OK ? " " : "",
		 head->refusal != REASON_OK ? reason_code(head->refusal) : "");
}

/* Exactly so many bytes in memory, so that a sanitizer sees a read beyond. */
static uint8_t *copy_of(const void *bytes, size_t length)
{
	uint8_t *copy = malloc(length ? length : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, length);
	return copy;
}

static enum reason feed(struct http1_head *head, const void *in, size_t length)
{
	uint8_t *copy = copy_of(in, length);
	enum reason reason = http1_head_parse(head, copy, length);

	free(copy);
	return reason;
}

static void check(const char *name, const char *in, size_t length, const char *want)
{
	const uint8_t *bytes = (const uint8_t *)in;
	struct http1_head whole;
	char got[TEXT_BYTES], again[TEXT_BYTES];
	enum reason reason;

	http1_head_init(&whole);
	reason = feed(&whole, in, length);
	describe(&whole, reason, bytes, got);
	if (strcmp(got, want) != 0)
		fail_msg("%s: got \"%s\", want \"%s\"", name, got, want);
	if (reason != REASON_OK)
		assert_non_null(whole.detail);

	for (size_t split = 0; split <= length; split++) {
		struct http1_head head;

		http1_head_init(&head);
		reason = feed(&head, in, split);
		/* Also after an end, which must change nothing. */
		reason = feed(&head, in, length);
		describe(&head, reason, bytes, again);
		if (strcmp(got, again) != 0 || head.scanned != whole.scanned ||
		    head.detail != whole.detail || head.n_fields != whole.n_fields ||
		    memcmp(head.fields, whole.fields, sizeof(head.fields)) != 0)
			fail_msg("%s: split at %zu gives \"%s\"", name, split, again);
	}
	if (length > 4096)
		return; /* singly, this is quadratic here */
	http1_head_init(&whole);
	for (size_t n = 0; n <= length; n++)
		reason = feed(&whole, in, n);
	describe(&whole, reason, bytes, again);
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
/* A POST with these fields besides Host. */
#define WITH(name, fields, want)                                                       \
	ROW(name, "POST / HTTP/1.1\r\nHost: a\r\n" fields "\r\n", want)
/* A request with this first line. */
#define LINE(name, line, want) ROW(name, line "\r\nHost: a\r\n\r\n", want)

static void check_all(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check(rows[i].name, rows[i].in, rows[i].length, rows[i].want);
}
#define CHECK_ALL(rows) check_all(rows, sizeof(rows) / sizeof((rows)[0]))

static void test_request_line(void **state)
{
	static const struct row rows[] = {
		LINE("plain", "GET / HTTP/1.1", "GET /"),
		LINE("query", "POST /v1/messages?beta=true HTTP/1.1",
		     "POST /v1/messages ?beta=true"),
		LINE("two question marks", "GET /a?b?c HTTP/1.1", "GET /a ?b?c"),
		LINE("empty query", "GET /a? HTTP/1.1", "GET /a"),
		LINE("other method", "PROPFIND /%7e HTTP/1.1", "PROPFIND /%7e"),
		LINE("methods are case-sensitive", "get / HTTP/1.1", "get /"),
		ROW("one empty line before", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
		    "GET /"),
		ROW("two empty lines before",
		    "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "http_malformed"),
		ROW("nothing", "", "more"),
		ROW("only an empty line", "\r\n", "more"),
		ROW("no end", "GET / HTTP/1.1\r\nHost: a\r\n", "more"),
		ROW("bytes behind", "GET / HTTP/1.1\r\nHost: a\r\n\r\n\0\1", "GET /"),
		LINE("HTTP/1.0", "GET / HTTP/1.0", "http_version"),
		LINE("HTTP/1.2", "GET / HTTP/1.2", "http_version"),
		LINE("HTTP/2.0, its preface", "PRI * HTTP/2.0", "http_version"),
		LINE("HTTP/0.9", "GET /", "http_malformed"),
		LINE("lower case", "GET / http/1.1", "http_malformed"),
		LINE("HTTP/1.10", "GET / HTTP/1.10", "http_malformed"),
		LINE("HTTP/01.1", "GET / HTTP/01.1", "http_malformed"),
		LINE("two spaces", "GET  / HTTP/1.1", "http_malformed"),
		LINE("two spaces before the version", "GET /  HTTP/1.1",
		     "http_malformed"),
		LINE("space at the end", "GET / HTTP/1.1 ", "http_malformed"),
		LINE("space at the start", " GET / HTTP/1.1", "http_malformed"),
		LINE("tab", "GET\t/ HTTP/1.1", "http_malformed"),
		LINE("tab in the target", "GET /\t HTTP/1.1", "http_malformed"),
		LINE("no method", "/ HTTP/1.1", "http_malformed"),
		LINE("a method that is no token", "G(T / HTTP/1.1", "http_malformed"),
		LINE("absolute-form", "GET http://a/ HTTP/1.1", "http_malformed"),
		LINE("authority-form", "CONNECT a:443 HTTP/1.1", "http_malformed"),
		LINE("asterisk-form", "OPTIONS * HTTP/1.1", "http_malformed"),
		LINE("empty target", "GET  HTTP/1.1", "http_malformed"),
		LINE("fragment", "GET /#a HTTP/1.1", "http_malformed"),
		LINE("backslash", "GET /\\a HTTP/1.1", "http_malformed"),
		LINE("8-bit byte in the target", "GET /\xc3\xa4 HTTP/1.1",
		     "http_malformed"),
		LINE("NUL in the target", "GET /\0 HTTP/1.1", "http_malformed"),
		ROW("LF", "GET / HTTP/1.1\nHost: a\n\n", "http_malformed"),
		ROW("CR alone", "GET / HTTP/1.1\rHost: a\r\r", "http_malformed"),
		ROW("TLS", "\x16\x03\x01\x02", "http_malformed"),
		ROW("LF before", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
		    "http_malformed"),
	};

	(void)state;
	CHECK_ALL(rows);
}

static void test_fields(void **state)
{
	static const struct row rows[] = {
		WITH("none", "", "POST /"),
		WITH("empty value", "X:\r\n", "POST /"),
		WITH("no space behind the colon", "X:y\r\n", "POST /"),
		WITH("white space around a value", "X: \t y \t\r\n", "POST /"),
		WITH("8-bit value", "X: \xc3\xa4\xff\r\n", "POST /"),
		WITH("colons in a value", "X: a:b:c\r\n", "POST /"),
		WITH("folded with a space", "X: a\r\n b\r\n", "http_malformed"),
		WITH("folded with a tab", "X: a\r\n\tb\r\n", "http_malformed"),
		WITH("folded and empty", "X: a\r\n \r\n", "http_malformed"),
		ROW("white space before the first",
		    "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "http_malformed"),
		WITH("space before the colon", "X : a\r\n", "http_malformed"),
		WITH("tab before the colon", "X\t: a\r\n", "http_malformed"),
		WITH("space in a name", "X Y: a\r\n", "http_malformed"),
		WITH("empty name", ": a\r\n", "http_malformed"),
		WITH("no colon", "X\r\n", "http_malformed"),
		WITH("8-bit name", "X\xc3\xa4: a\r\n", "http_malformed"),
		WITH("NUL in a name", "X\0: a\r\n", "http_malformed"),
		WITH("NUL in a value", "X: \0\r\n", "http_malformed"),
		WITH("DEL in a value", "X: \x7f\r\n", "http_malformed"),
		WITH("escape in a value", "X: \x1b[0m\r\n", "http_malformed"),
		WITH("CR in a value", "X: a\rb\r\n", "http_malformed"),
		WITH("LF in a value", "X: a\nY: b\r\n", "http_malformed"),
		WITH("CR CR LF", "X: a\r\r\n", "http_malformed"),
		ROW("no Host", "GET / HTTP/1.1\r\n\r\n", "http_malformed"),
		WITH("two Hosts", "hOST: a\r\n", "http_malformed"),
		ROW("empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "http_malformed"),
		ROW("Host with port", "GET / HTTP/1.1\r\nHost: 127.0.0.1:8118\r\n\r\n",
		    "GET /"),
		ROW("IPv6 Host", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "GET /"),
		ROW("user in Host", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
		    "http_malformed"),
		ROW("path in Host", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
		    "http_malformed"),
		ROW("two names in Host", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
		    "http_malformed"),
	};

	(void)state;
	CHECK_ALL(rows);
}

static void test_framing(void **state)
{
	static const struct row rows[] = {
		WITH("length", "Content-Length: 5\r\n", "POST / length=5"),
		WITH("any case", "cONTENT-lENGTH: 5\r\n", "POST / length=5"),
		WITH("no space", "Content-Length:5\r\n", "POST / length=5"),
		WITH("zero", "Content-Length: 0\r\n", "POST / length=0"),
		WITH("leading zeros", "Content-Length: 0005\r\n", "POST / length=5"),
		WITH("largest", "Content-Length: 18446744073709551615\r\n",
		     "POST / length=18446744073709551615"),
		WITH("one more", "Content-Length: 18446744073709551616\r\n",
		     "http_framing"),
		WITH("wraps to 5", "Content-Length: 36893488147419103237\r\n",
		     "http_framing"),
		WITH("plus", "Content-Length: +5\r\n", "http_framing"),
		WITH("minus", "Content-Length: -5\r\n", "http_framing"),
		WITH("hexadecimal", "Content-Length: 0x5\r\n", "http_framing"),
		WITH("list", "Content-Length: 5,5\r\n", "http_framing"),
		WITH("list with space", "Content-Length: 5, 5\r\n", "http_framing"),
		WITH("inner space", "Content-Length: 5 5\r\n", "http_framing"),
		WITH("fraction", "Content-Length: 5.0\r\n", "http_framing"),
		WITH("empty", "Content-Length:\r\n", "http_framing"),
		WITH("blank", "Content-Length: \r\n", "http_framing"),
		WITH("two spaces", "Content-Length:  5\r\n", "http_framing"),
		WITH("tab", "Content-Length:\t5\r\n", "http_framing"),
		WITH("space behind", "Content-Length: 5 \r\n", "http_framing"),
		WITH("vertical tab", "Content-Length: \v5\r\n", "http_malformed"),
		WITH("fullwidth digit", "Content-Length: \xef\xbc\x95\r\n",
		     "http_framing"),
		WITH("space before colon", "Content-Length : 5\r\n", "http_malformed"),
		WITH("twice, equal", "Content-Length: 5\r\nContent-Length: 5\r\n",
		     "http_framing"),
		WITH("twice, different", "Content-Length: 5\r\nContent-Length: 6\r\n",
		     "http_framing"),
		WITH("chunked", "Transfer-Encoding: chunked\r\n", "POST / chunked"),
		WITH("Chunked", "transfer-encoding: Chunked\r\n", "POST / chunked"),
		WITH("xchunked", "Transfer-Encoding: xchunked\r\n", "http_framing"),
		WITH("chunked and a space", "Transfer-Encoding: chunked \r\n",
		     "http_framing"),
		WITH("chunked and a tab", "Transfer-Encoding: chunked\t\r\n",
		     "http_framing"),
		WITH("two spaces before", "Transfer-Encoding:  chunked\r\n",
		     "http_framing"),
		WITH("tab before", "Transfer-Encoding:\tchunked\r\n", "http_framing"),
		WITH("comma behind", "Transfer-Encoding: chunked,\r\n", "http_framing"),
		WITH("comma before", "Transfer-Encoding: ,chunked\r\n", "http_framing"),
		WITH("two codings", "Transfer-Encoding: gzip, chunked\r\n",
		     "http_framing"),
		WITH("chunked not last", "Transfer-Encoding: chunked, gzip\r\n",
		     "http_framing"),
		WITH("chunked twice in one", "Transfer-Encoding: chunked, chunked\r\n",
		     "http_framing"),
		WITH("parameter", "Transfer-Encoding: chunked;q=1\r\n", "http_framing"),
		WITH("quoted", "Transfer-Encoding: \"chunked\"\r\n", "http_framing"),
		WITH("identity", "Transfer-Encoding: identity\r\n", "http_framing"),
		WITH("empty coding", "Transfer-Encoding:\r\n", "http_framing"),
		WITH("chunked twice",
		     "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
		     "http_framing"),
		WITH("chunked and identity",
		     "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
		     "http_framing"),
		WITH("length and coding",
		     "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
		     "http_framing"),
		WITH("coding and length",
		     "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
		     "http_framing"),
		WITH("coding and length 0",
		     "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
		     "http_framing"),
		WITH("a name that only looks like it", "Content_Length: 5\r\n",
		     "POST /"),
	};

	(void)state;
	CHECK_ALL(rows);
}

static void test_meaning(void **state)
{
	static const struct row rows[] = {
		WITH("close", "Connection: close\r\n", "POST / close"),
		WITH("Close", "connection: Close\r\n", "POST / close"),
		WITH("keep-alive", "Connection: keep-alive\r\n", "POST /"),
		WITH("in a list", "Connection: keep-alive ,\tclose\r\n",
		     "POST / close"),
		WITH("empty elements", "Connection: ,, close,\r\n", "POST / close"),
		WITH("in the second", "Connection: x\r\nConnection: close\r\n",
		     "POST / close"),
		WITH("not close", "Connection: closed, x-close\r\n", "POST /"),
		WITH("empty list", "Connection:\r\n", "POST /"),
		WITH("expects", "Expect: 100-Continue\r\n", "POST / expects"),
		WITH("expects something else", "Expect: 200-ok\r\n",
		     "POST / http_expectation"),
		WITH("expects two things", "Expect: 100-continue, x\r\n",
		     "POST / http_expectation"),
		WITH("expects nothing", "Expect:\r\n", "POST / http_expectation"),
		WITH("websocket", "Connection: Upgrade\r\nUpgrade: websocket\r\n",
		     "POST / http_upgrade"),
		WITH("HTTP/2 on the way",
		     "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n",
		     "POST /"),
		WITH("h2c and more", "Upgrade: h2c, websocket\r\n",
		     "POST / http_upgrade"),
		WITH("identity", "Content-Encoding: identity\r\n", "POST /"),
		WITH("gzip", "Content-Encoding: gzip\r\n", "POST / http_encoded"),
		WITH("no encoding at all", "Content-Encoding:\r\n",
		     "POST / http_encoded"),
		WITH("the first refusal counts",
		     "Upgrade: a\r\nExpect: b\r\nContent-Encoding: c\r\n",
		     "POST / http_upgrade"),
		WITH("bad framing counts more", "Upgrade: a\r\nContent-Length: b\r\n",
		     "http_framing"),
		WITH("refused, and where it ends is known",
		     "Content-Encoding: gzip\r\nContent-Length: 7\r\nConnection: "
		     "close\r\n",
		     "POST / length=7 close http_encoded"),
	};

	(void)state;
	CHECK_ALL(rows);
}

/* One text made of a beginning, so many times a filler, and an end. */
static void check_filled(const char *name, const char *begin, const char *filler,
			 size_t n, const char *end, const char *want)
{
	size_t begins = strlen(begin), fills = strlen(filler), ends = strlen(end);
	size_t length = begins + n * fills + ends;
	char *text = malloc(length + 1);
	struct http1_head head;
	char got[TEXT_BYTES];

	assert_non_null(text);
	memcpy(text, begin, begins);
	for (size_t i = 0; i < n; i++)
		memcpy(text + begins + i * fills, filler, fills);
	memcpy(text + begins + n * fills, end, ends + 1);
	http1_head_init(&head);
	describe(&head, feed(&head, text, length), (const uint8_t *)text, got);
	/* The beginning of what may be a long path says enough. */
	if (strncmp(got, want, strlen(want)) != 0)
		fail_msg("%s: got \"%s\", want \"%s\"", name, got, want);
	free(text);
}

static void test_limits(void **state)
{
	static const char end[] = " HTTP/1.1\r\nHost: a\r\n\r\n";
	static const char post[] = "POST / HTTP/1.1\r\nHost: a\r\n";
	const size_t line = LIMIT_HTTP_REQUEST_LINE - strlen("GET / HTTP/1.1");
	const size_t value = LIMIT_HTTP_HEAD - strlen(post) - strlen("X: \r\n\r\n");
	char with_field[64];

	(void)state;
	check_filled("line -1", "GET /", "a", line - 1, end, "GET /aaa");
	check_filled("line", "GET /", "a", line, end, "GET /aaa");
	check_filled("line +1", "GET /", "a", line + 1, end, "http_head_too_large");
	check_filled("a line that does not end", "G", "a", LIMIT_HTTP_REQUEST_LINE, "",
		     "http_head_too_large");

	check_filled("fields -1", post, "X: y\r\n", LIMIT_HTTP_HEADERS - 2, "\r\n",
		     "POST /");
	check_filled("fields", post, "X: y\r\n", LIMIT_HTTP_HEADERS - 1, "\r\n",
		     "POST /");
	check_filled("fields +1", post, "X: y\r\n", LIMIT_HTTP_HEADERS, "\r\n",
		     "http_head_too_large");

	snprintf(with_field, sizeof(with_field), "%sX: ", post);
	check_filled("head -1", with_field, "a", value - 1, "\r\n\r\n", "POST /");
	check_filled("head", with_field, "a", value, "\r\n\r\n", "POST /");
	check_filled("head +1", with_field, "a", value + 1, "\r\n\r\n",
		     "http_head_too_large");
	check_filled("no end -1", with_field, "a", value + 3, "", "more");
	check_filled("no end", with_field, "a", value + 4, "", "http_head_too_large");
}

static void test_find(void **state)
{
	static const char in[] =
		"GET / HTTP/1.1\r\nHost: a\r\nAnthropic-Beta: x\r\nY: z\r\n"
		"anthropic-BETA: \t\r\n\r\n";
	const uint8_t *bytes = (const uint8_t *)in;
	struct http1_head head;
	size_t found;

	(void)state;
	http1_head_init(&head);
	assert_int_equal(http1_head_parse(&head, bytes, sizeof(in) - 1), REASON_OK);
	assert_true(head.done);
	assert_int_equal(head.scanned, sizeof(in) - 1);
	assert_int_equal(head.method, HTTP1_GET);
	assert_int_equal(head.n_fields, 4);
	found = http1_head_find(&head, bytes, "anthropic-beta", 0);
	assert_int_equal(found, 1);
	assert_true(http1_slice_is(bytes, head.fields[found].value, "x"));
	assert_false(http1_slice_is(bytes, head.fields[found].value, "xy"));
	found = http1_head_find(&head, bytes, "anthropic-beta", found + 1);
	assert_int_equal(found, 3);
	assert_int_equal(head.fields[found].value.length, 0);
	assert_int_equal(http1_head_find(&head, bytes, "anthropic-beta", found + 1), 4);
	assert_int_equal(http1_head_find(&head, bytes, "anthropic", 0), 4);
}

/* The next request follows directly. */
static void test_pipelined(void **state)
{
	static const char first[] = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n";
	static const char both[] =
		"HEAD / HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\n"
		"Host: b\r\nContent-Length: 1\r\n\r\nx";
	struct http1_head head;
	const uint8_t *second = (const uint8_t *)both + sizeof(first) - 1;

	(void)state;
	http1_head_init(&head);
	assert_int_equal(
		http1_head_parse(&head, (const uint8_t *)both, sizeof(both) - 1),
		REASON_OK);
	assert_int_equal(head.scanned, sizeof(first) - 1);
	assert_int_equal(head.method, HTTP1_HEAD);
	http1_head_init(&head);
	assert_int_equal(http1_head_parse(&head, second, sizeof(both) - sizeof(first)),
			 REASON_OK);
	assert_int_equal(head.method, HTTP1_POST);
	assert_int_equal(head.content_length, 1);
	assert_int_equal(head.scanned, sizeof(both) - sizeof(first) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request_line), cmocka_unit_test(test_fields),
		cmocka_unit_test(test_framing),	     cmocka_unit_test(test_meaning),
		cmocka_unit_test(test_limits),	     cmocka_unit_test(test_find),
		cmocka_unit_test(test_pipelined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
