/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The chunked coding: each row whole, in two parts at every offset, and singly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/http1-chunked.h"
#include "core/limits.h"

#define DATA_BYTES 1024

/* Of the decoders of this test. */
static bool skip_trailers;

struct decoded {
	enum reason reason;
	bool done;
	size_t used;
	size_t length;
	uint8_t data[DATA_BYTES];
};

/* Feeds a part until it is used up, the body is done, or it is refused. */
static void feed(struct http1_chunked *c, const char *in, size_t length,
		 struct decoded *decoded)
{
	/* Exactly so many bytes, so that a sanitizer sees a read beyond. */
	uint8_t *copy = malloc(length ? length : 1);
	size_t at = 0;

	assert_non_null(copy);
	memcpy(copy, in, length);
	while (at < length && !c->done && decoded->reason == REASON_OK) {
		const uint8_t *data = NULL;
		size_t used = 0, n = 0;

		decoded->reason =
			http1_chunked_feed(c, copy + at, length - at, &used, &data, &n);
		if (decoded->reason != REASON_OK)
			break;
		assert_true(used > 0 && used <= length - at);
		if (n > 0) {
			assert_true(data >= copy + at && data + n <= copy + at + used);
			assert_true(decoded->length + n <= DATA_BYTES);
			memcpy(decoded->data + decoded->length, data, n);
			decoded->length += n;
		} else {
			assert_null(data);
		}
		at += used;
	}
	decoded->used += at;
	decoded->done = c->done;
	free(copy);
}

static void decode(const char *in, size_t length, size_t step, size_t split,
		   struct decoded *decoded)
{
	struct http1_chunked c;

	memset(decoded, 0, sizeof(*decoded));
	http1_chunked_init(&c);
	c.skip_trailers = skip_trailers;
	if (step == 0) {
		feed(&c, in, split, decoded);
		feed(&c, in + split, length - split, decoded);
	}
	for (size_t at = 0; step && at < length; at += step)
		feed(&c, in + at, length - at < step ? length - at : step, decoded);
	if (decoded->reason != REASON_OK) {
		const uint8_t *data;
		size_t used, n;

		assert_non_null(c.detail);
		/* It stays refused, whatever follows. */
		assert_int_equal(http1_chunked_feed(&c, (const uint8_t *)"0\r\n\r\n", 5,
						    &used, &data, &n),
				 decoded->reason);
	}
}

/* `want`: the data of a body that is done; otherwise "?" for one that is not, or
 * "!" for one that is refused. */
static void check(const char *name, const char *in, size_t length, const char *want)
{
	struct decoded whole, other;
	char got[DATA_BYTES + 1];

	decode(in, length, 0, length, &whole);
	snprintf(got, sizeof(got), "%.*s", (int)whole.length, (const char *)whole.data);
	if (whole.reason != REASON_OK)
		strcpy(got, "!");
	else if (!whole.done)
		strcpy(got, "?");
	if (strcmp(got, want) != 0)
		fail_msg("%s: got \"%s\", want \"%s\"", name, got, want);
	for (size_t split = 0; split <= length; split++) {
		decode(in, length, 0, split, &other);
		if (other.reason != whole.reason || other.done != whole.done ||
		    (whole.done && other.used != whole.used) ||
		    other.length != whole.length ||
		    memcmp(other.data, whole.data, whole.length) != 0)
			fail_msg("%s: split at %zu differs", name, split);
	}
	decode(in, length, 1, 0, &other);
	if (other.reason != whole.reason || other.done != whole.done ||
	    other.length != whole.length)
		fail_msg("%s: singly differs", name);
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
#define END "0\r\n\r\n"

static void test_rows(void **state)
{
	static const struct row rows[] = {
		ROW("empty body", END, ""),
		ROW("one chunk", "5\r\nhello\r\n" END, "hello"),
		ROW("three chunks", "1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n" END, "abcdef"),
		ROW("hexadecimal, both cases",
		    "a\r\n0123456789\r\nA\r\n0123456789\r\n" END,
		    "01234567890123456789"),
		ROW("leading zeros", "0000000000000001\r\nx\r\n" END, "x"),
		ROW("sixteen zeros at the end", "0000000000000000\r\n\r\n", ""),
		ROW("CR LF as data", "2\r\n\r\n\r\n" END, "\r\n"),
		ROW("a chunk as data", "5\r\n" END "\r\n" END, END),
		ROW("extension", "1;a=b\r\nx\r\n0;c\r\n\r\n", "x"),
		ROW("extension with a quoted string", "1;a=\"b;\tc\"\r\nx\r\n" END,
		    "x"),
		ROW("empty extension", "1;\r\nx\r\n" END, "x"),
		ROW("bytes behind", "1\r\nx\r\n" END "\0\1 rest", "x"),

		ROW("nothing", "", "?"),
		ROW("in the size", "1", "?"),
		ROW("behind the size", "1\r\n", "?"),
		ROW("in the data", "2\r\nx", "?"),
		ROW("behind the data", "1\r\nx", "?"),
		ROW("before the end", "1\r\nx\r\n", "?"),
		ROW("half an end", "0\r\n\r", "?"),

		ROW("no digit", "\r\n" END, "!"),
		ROW("space before", " 1\r\nx\r\n" END, "!"),
		ROW("space behind", "1 \r\nx\r\n" END, "!"),
		ROW("space before an extension", "1 ;a\r\nx\r\n" END, "!"),
		ROW("tab behind", "1\t\r\nx\r\n" END, "!"),
		ROW("plus", "+1\r\nx\r\n" END, "!"),
		ROW("minus", "-1\r\nx\r\n" END, "!"),
		ROW("0x", "0x1\r\nx\r\n" END, "!"),
		ROW("no hexadecimal digit", "g\r\nx\r\n" END, "!"),
		ROW("underscore", "1_0\r\nx\r\n" END, "!"),
		ROW("17 digits", "00000000000000001\r\nx\r\n" END, "!"),
		ROW("overflow to 0", "10000000000000000\r\n\r\n", "!"),
		ROW("overflow to 1", "10000000000000001\r\nx\r\n" END, "!"),
		ROW("LF behind the size", "1\nx\r\n" END, "!"),
		ROW("CR alone behind the size", "1\rx\r\n" END, "!"),
		ROW("CR CR LF", "1\r\r\nx\r\n" END, "!"),
		ROW("NUL behind the size", "1\0\r\nx\r\n" END, "!"),
		ROW("data longer than its size", "1\r\nxy\r\n" END, "!"),
		ROW("data shorter than its size", "3\r\nx\r\n" END, "!"),
		ROW("LF behind the data", "1\r\nx\n" END, "!"),
		ROW("CR alone behind the data", "1\r\nx\r" END, "!"),
		ROW("no CR LF behind the data", "1\r\nx" END, "!"),
		ROW("LF in an extension", "1;a\n\r\nx\r\n" END, "!"),
		ROW("CR in an extension", "1;a\rb\r\nx\r\n" END, "!"),
		ROW("NUL in an extension", "1;\0\r\nx\r\n" END, "!"),
		ROW("DEL in an extension", "1;\x7f\r\nx\r\n" END, "!"),
		ROW("trailer", "0\r\nX: y\r\n\r\n", "!"),
		ROW("trailer that frames", "0\r\nContent-Length: 5\r\n\r\n", "!"),
		ROW("LF at the end", "0\r\n\n", "!"),
		ROW("LF only at the end", "0\n\n", "!"),
		ROW("CR alone at the end", "0\r\n\rx", "!"),
		ROW("space at the end", "0\r\n \r\n", "!"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(rows[i].name, rows[i].in, rows[i].length, rows[i].want);
}

/* As of a service's answer. */
static void test_trailers(void **state)
{
	static const struct row rows[] = {
		ROW("none", "1\r\nx\r\n" END, "x"),
		ROW("one", "1\r\nx\r\n0\r\nX: y\r\n\r\n", "x"),
		ROW("several chunks first", "1\r\nx\r\n1\r\ny\r\n0\r\nX: y\r\n\r\n",
		    "xy"),
		ROW("two, and bytes behind",
		    "0\r\nX: y\r\nContent-Length: 5\r\n\r\nrest", ""),
		ROW("a folded one", "0\r\nX: y\r\n z\r\n\r\n", ""),
		ROW("a tab", "0\r\nX:\ty\r\n\r\n", ""),
		ROW("without end", "0\r\nX: y\r\n", "?"),
		ROW("LF", "0\r\nX: y\n\r\n", "!"),
		ROW("CR alone", "0\r\nX: y\rz\r\n\r\n", "!"),
		ROW("CR CR LF", "0\r\nX: y\r\r\n\r\n", "!"),
		ROW("NUL", "0\r\nX: \0\r\n\r\n", "!"),
		ROW("DEL", "0\r\nX: \x7f\r\n\r\n", "!"),
		ROW("LF at the end", "0\r\nX: y\r\n\n", "!"),
	};
	static char in[LIMIT_RESPONSE_TRAILERS + 64];

	(void)state;
	skip_trailers = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(rows[i].name, rows[i].in, rows[i].length, rows[i].want);
	/* Without their LFs they have at most so many bytes. */
	for (int over = -1; over <= 1; over++) {
		int n = snprintf(in, sizeof(in), "0\r\n%0*d\r\n\r\n",
				 LIMIT_RESPONSE_TRAILERS - 1 + over, 0);

		check("length", in, (size_t)n, over <= 0 ? "" : "!");
	}
	skip_trailers = false;
}

/* The line with its CR LF has at most LIMIT_HTTP_CHUNK_LINE bytes. */
static void test_line_limit(void **state)
{
	char in[LIMIT_HTTP_CHUNK_LINE + 64];

	(void)state;
	for (int over = -1; over <= 1; over++) {
		size_t line = (size_t)(LIMIT_HTTP_CHUNK_LINE + over);

		memset(in, 'a', sizeof(in));
		memcpy(in, "1;", 2);
		memcpy(in + line - 2, "\r\nx\r\n" END, 5 + 5);
		check("line", in, line + 3 + 5, over <= 0 ? "x" : "!");
	}
}

/* The largest size does not wrap; the caller sees it before any data. */
static void test_largest_size(void **state)
{
	static const char in[] = "ffffffffffffffff\r\nab";
	struct http1_chunked c;
	const uint8_t *data;
	size_t used, n;

	(void)state;
	http1_chunked_init(&c);
	assert_int_equal(
		http1_chunked_feed(&c, (const uint8_t *)in, 18, &used, &data, &n),
		REASON_OK);
	assert_int_equal(used, 18);
	assert_int_equal(n, 0);
	assert_true(c.remaining == UINT64_MAX);
	assert_int_equal(
		http1_chunked_feed(&c, (const uint8_t *)in + 18, 2, &used, &data, &n),
		REASON_OK);
	assert_int_equal(n, 2);
	assert_true(c.remaining == UINT64_MAX - 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_trailers),
		cmocka_unit_test(test_line_limit),
		cmocka_unit_test(test_largest_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
