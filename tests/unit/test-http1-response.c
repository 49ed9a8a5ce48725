/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/http1-response.h"

#define OK "HTTP/1.1 200 OK\r\n"

static const struct {
	const char *name, *text;
	enum http1_body body;
	uint16_t status;
	bool keep_alive;
	uint64_t length;
	size_t left; /* bytes behind the head, which must not be consumed */
} good[] = {
	{"length", OK "Content-Length: 12\r\n\r\n", HTTP1_BODY_LENGTH, 200, true, 12},
	{"length 0", OK "content-length:0\r\n\r\n", HTTP1_BODY_LENGTH, 200, true},
	{"white space", OK "Content-Length: \t 12 \t\r\n\r\n", HTTP1_BODY_LENGTH, 200,
	 true, 12},
	{"18 digits", OK "Content-Length: 999999999999999999\r\n\r\n",
	 HTTP1_BODY_LENGTH, 200, true, 999999999999999999},
	{"chunked", OK "Transfer-Encoding: CHUNKED\r\n\r\n", HTTP1_BODY_CHUNKED, 200,
	 true},
	{"until close", OK "\r\n", HTTP1_BODY_UNTIL_CLOSE, 200, false},
	{"1.0", "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\n", HTTP1_BODY_LENGTH, 200,
	 false, 3},
	{"1.0 until close", "HTTP/1.0 404 Not Found\r\n\r\n", HTTP1_BODY_UNTIL_CLOSE,
	 404, false},
	{"no phrase", "HTTP/1.1 200\r\n\r\n", HTTP1_BODY_UNTIL_CLOSE, 200, false},
	{"empty phrase", "HTTP/1.1 599 \r\nContent-Length: 1\r\n\r\n",
	 HTTP1_BODY_LENGTH, 599, true, 1},
	{"phrase beyond ASCII", "HTTP/1.1 200 \xc3\xa4\r\n\r\n", HTTP1_BODY_UNTIL_CLOSE,
	 200, false},
	{"204", "HTTP/1.1 204 No Content\r\n\r\n", HTTP1_BODY_NONE, 204, true},
	{"304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
	 HTTP1_BODY_NONE, 304, true, 9},
	{"close", OK "Connection: close\r\nContent-Length: 1\r\n\r\n",
	 HTTP1_BODY_LENGTH, 200, false, 1},
	{"close in a list", OK "Connection: x, Close ,y\r\nContent-Length: 1\r\n\r\n",
	 HTTP1_BODY_LENGTH, 200, false, 1},
	{"closed is not close", OK "Connection: closed\r\nContent-Length: 1\r\n\r\n",
	 HTTP1_BODY_LENGTH, 200, true, 1},
	{"identity", OK "Content-Encoding: Identity\r\nContent-Length: 1\r\n\r\n",
	 HTTP1_BODY_LENGTH, 200, true, 1},
	{"100 first", "HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 1\r\n\r\n",
	 HTTP1_BODY_LENGTH, 200, true, 1},
	{"8 interim ones",
	 "HTTP/1.1 103 x\r\nA: b\r\n\r\nHTTP/1.1 103\r\n\r\nHTTP/1.1 "
	 "103\r\n\r\nHTTP/1.1 103\r\n"
	 "\r\nHTTP/1.1 103\r\n\r\nHTTP/1.1 103\r\n\r\nHTTP/1.1 103\r\n\r\nHTTP/1.1 "
	 "103\r\n\r\n" OK "Content-Length: 1\r\n\r\n",
	 HTTP1_BODY_LENGTH, 200, true, 1},
	{"a length in an interim one",
	 "HTTP/1.1 103 x\r\nContent-Length: 7\r\n\r\n" OK "\r\n",
	 HTTP1_BODY_UNTIL_CLOSE, 200, false},
	{"a body behind it", OK "Content-Length: 2\r\n\r\nok", HTTP1_BODY_LENGTH, 200,
	 true, 2, 2},
	{"another answer behind it", "HTTP/1.1 204 x\r\n\r\n" OK "\r\n",
	 HTTP1_BODY_NONE, 204, true, 0, 19},
};

static const struct {
	const char *name, *text;
} bad[] = {
	{"empty line", "\r\n"},
	{"only LF", "\n"},
	{"another protocol", "ICY 200 OK\r\n"},
	{"lower case", "http/1.1 200 OK\r\n"},
	{"HTTP/1.2", "HTTP/1.2 200 OK\r\n"},
	{"HTTP/2", "HTTP/2 200\r\n"},
	{"HTTP/1.10", "HTTP/1.10 200 OK\r\n"},
	{"two digits", "HTTP/1.1 20 OK\r\n"},
	{"four digits", "HTTP/1.1 2000 OK\r\n"},
	{"two spaces", "HTTP/1.1  200 OK\r\n"},
	{"status 99", "HTTP/1.1 099 OK\r\n"},
	{"status 600", "HTTP/1.1 600 OK\r\n"},
	{"101", "HTTP/1.1 101 Switching Protocols\r\n"},
	{"a control byte in the phrase", "HTTP/1.1 200 O\x01K\r\n"},
	{"CR in the phrase", "HTTP/1.1 200 O\rK\r\n"},
	{"LF alone", OK "Content-Length: 1\n\r\n"},
	{"LF alone at the end", OK "Content-Length: 1\r\n\n"},
	{"LF behind the status line", "HTTP/1.1 200 OK\nContent-Length: 1\r\n\r\n"},
	{"folded", OK "A: b\r\n c\r\n\r\n"},
	{"folded first", OK " c\r\n\r\n"},
	{"space before the colon", OK "Content-Length : 1\r\n\r\n"},
	{"no colon", OK "Content-Length\r\n\r\n"},
	{"no name", OK ": 1\r\n\r\n"},
	{"a name that is no token", OK "A(b: 1\r\n\r\n"},
	{"a control byte in a value", OK "A: b\x7f\r\n\r\n"},
	{"CR in a value", OK "A: b\rc\r\n\r\n"},
	{"no digits", OK "Content-Length:\r\n\r\n"},
	{"a sign", OK "Content-Length: +1\r\n\r\n"},
	{"negative", OK "Content-Length: -1\r\n\r\n"},
	{"hexadecimal", OK "Content-Length: 0x1\r\n\r\n"},
	{"a list", OK "Content-Length: 1, 1\r\n\r\n"},
	{"19 digits", OK "Content-Length: 1000000000000000000\r\n\r\n"},
	{"two lengths", OK "Content-Length: 1\r\nContent-Length: 1\r\n\r\n"},
	{"length and chunked",
	 OK "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"},
	{"chunked and length",
	 OK "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"},
	{"chunked twice",
	 OK "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"},
	{"gzip, chunked", OK "Transfer-Encoding: gzip, chunked\r\n\r\n"},
	{"identity coding", OK "Transfer-Encoding: identity\r\n\r\n"},
	{"chunked with a parameter", OK "Transfer-Encoding: chunked;q=1\r\n\r\n"},
	{"empty coding", OK "Transfer-Encoding:\r\n\r\n"},
	{"chunked in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
	{"gzip", OK "Content-Encoding: gzip\r\n\r\n"},
	{"9 interim ones", "HTTP/1.1 103\r\n\r\nHTTP/1.1 103\r\n\r\nHTTP/1.1 "
			   "103\r\n\r\nHTTP/1.1 103\r\n\r\n"
			   "HTTP/1.1 103\r\n\r\nHTTP/1.1 103\r\n\r\nHTTP/1.1 "
			   "103\r\n\r\nHTTP/1.1 103\r\n\r\n"
			   "HTTP/1.1 103\r\n\r\n" OK},
};

static struct http1_response response;

/* Feeds first `first` bytes, then the rest, or all singly with `step` 1. */
static enum reason feed(const char *text, size_t length, size_t first, size_t step,
			size_t *ret_used)
{
	size_t at = 0;

	http1_response_init(&response);
	while (at < length && !response.done) {
		size_t piece = at == 0 ? first : step;
		size_t used = SIZE_MAX;
		enum reason reason;

		if (piece == 0 || piece > length - at)
			piece = length - at;
		reason = http1_response_feed(&response, (const uint8_t *)text + at,
					     piece, &used);
		if (reason != REASON_OK)
			return reason;
		assert_true(used <= piece && (used == piece || response.done));
		at += used;
	}
	*ret_used = at;
	return REASON_OK;
}

static void check_good(size_t i, size_t first, size_t step)
{
	size_t length = strlen(good[i].text), used = 0;

	assert_int_equal(feed(good[i].text, length, first, step, &used), REASON_OK);
	assert_true(response.done);
	assert_null(response.detail);
	assert_int_equal(length - used, good[i].left);
	assert_int_equal(response.status, good[i].status);
	assert_int_equal(response.body, good[i].body);
	assert_int_equal(response.keep_alive, good[i].keep_alive);
	assert_true(response.content_length == good[i].length);
}

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		print_message("%s\n", good[i].name);
		check_good(i, 0, 0);
		for (size_t at = 1; at < strlen(good[i].text); at++)
			check_good(i, at, 0);
		check_good(i, 1, 1);
	}
}

static void check_bad(size_t i, size_t first, size_t step)
{
	size_t length = strlen(bad[i].text), used = 77;

	assert_int_equal(feed(bad[i].text, length, first, step, &used),
			 REASON_UPSTREAM_PROTOCOL);
	assert_false(response.done);
	assert_non_null(response.detail);
	assert_int_equal(used, 77);
	/* From then on, whatever comes. */
	assert_int_equal(http1_response_feed(&response, (const uint8_t *)OK, 1, &used),
			 REASON_UPSTREAM_PROTOCOL);
}

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		print_message("%s\n", bad[i].name);
		check_bad(i, 0, 0);
		for (size_t at = 1; at < strlen(bad[i].text); at++)
			check_bad(i, at, 0);
		check_bad(i, 1, 1);
	}
}

static void test_nul(void **state)
{
	static const char *const texts[] = {"HTTP/1.1 200 O\0K\r\n",
					    "HTTP/1.1\0"
					    "200 OK\r\n\r\n",
					    OK "A\0: bcd\r\n\r\n",
					    OK "A: b\0c\r\n\r\n"};
	size_t used;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(feed(texts[i], i < 2 ? 18 : 28, 0, 0, &used),
				 REASON_UPSTREAM_PROTOCOL);
}

/* Never done before its last byte. */
static void test_prefixes(void **state)
{
	static const char text[] = OK "Content-Length: 12\r\nA: b\r\n\r\n";
	size_t used;

	(void)state;
	for (size_t length = 0; length < sizeof(text) - 1; length++) {
		assert_int_equal(feed(text, length, 0, 0, &used), REASON_OK);
		assert_false(response.done);
		assert_int_equal(used, length);
	}
}

static void test_fields(void **state)
{
	static const char text[] =
		OK "Content-TYPE:  a/b; c=\"D\" \r\nx-Empty:\r\nX:\ty\r\n\r\n";
	static const struct {
		const char *name, *value;
	} want[] = {{"content-type", "a/b; c=\"D\""}, {"x-empty", ""}, {"x", "y"}};
	size_t used;

	(void)state;
	for (size_t step = 0; step <= 1; step++) {
		assert_int_equal(feed(text, sizeof(text) - 1, step, step, &used),
				 REASON_OK);
		assert_int_equal(response.n_fields, 3);
		for (size_t i = 0; i < 3; i++) {
			const struct http1_response_field *field = &response.fields[i];

			assert_int_equal(field->name_length, strlen(want[i].name));
			assert_memory_equal(response.head + field->name, want[i].name,
					    field->name_length);
			assert_int_equal(field->value_length, strlen(want[i].value));
			assert_memory_equal(response.head + field->value, want[i].value,
					    field->value_length);
		}
	}
}

/* The longest head, and one that is a byte longer. */
static void test_longest(void **state)
{
	static char text[LIMIT_RESPONSE_HEAD + 1];
	static const char begin[] = OK "A: ", end[] = "\r\n\r\n";
	size_t used;

	(void)state;
	for (int more = -1; more <= 1; more++) {
		size_t length = (size_t)(LIMIT_RESPONSE_HEAD + more);

		memset(text, 'x', sizeof(text));
		memcpy(text, begin, sizeof(begin) - 1);
		memcpy(text + length - (sizeof(end) - 1), end, sizeof(end) - 1);
		assert_int_equal(feed(text, length, 0, 0, &used),
				 more <= 0 ? REASON_OK : REASON_UPSTREAM_PROTOCOL);
		assert_int_equal(response.done, more <= 0);
	}
}

static void test_most_fields(void **state)
{
	size_t used;

	(void)state;
	for (int more = -1; more <= 1; more++) {
		char *text = NULL;
		size_t length = 0;
		FILE *file = open_memstream(&text, &length);

		assert_non_null(file);
		fputs(OK, file);
		for (int i = 0; i < LIMIT_RESPONSE_FIELDS + more; i++)
			fprintf(file, "a: %d\r\n", i);
		fputs("\r\n", file);
		fclose(file);
		assert_int_equal(feed(text, length, 0, 0, &used),
				 more <= 0 ? REASON_OK : REASON_UPSTREAM_PROTOCOL);
		free(text);
	}
}

/* All heads together are bounded, not each. */
static void test_interim_bytes(void **state)
{
	char *text = NULL;
	size_t length = 0, used;
	FILE *file = open_memstream(&text, &length);

	(void)state;
	assert_non_null(file);
	for (int i = 0; i < LIMIT_RESPONSE_INTERIM; i++)
		fprintf(file, "HTTP/1.1 103 x\r\nA: %0*d\r\n\r\n",
			LIMIT_RESPONSE_HEAD / 7, 1);
	fclose(file);
	assert_int_equal(feed(text, length, 0, 0, &used), REASON_UPSTREAM_PROTOCOL);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_most_fields),
		cmocka_unit_test(test_interim_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
