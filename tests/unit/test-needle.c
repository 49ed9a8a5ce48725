/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/needle.h"

#define OUTPUT 4096

struct output {
	size_t length;
	uint8_t bytes[OUTPUT];
};

static void put(struct output *output, const uint8_t *bytes, size_t length)
{
	assert_true(length <= sizeof(output->bytes) - output->length);
	memcpy(output->bytes + output->length, bytes, length);
	output->length += length;
}

/* Feeds one piece as a caller would; false: the secret is there. */
static bool feed(struct needle *needle, const uint8_t *piece, size_t length,
		 struct output *output)
{
	struct needle_release release;

	if (!needle_feed(needle, piece, length, &release))
		return false;
	assert_true(release.piece <= length);
	put(output, needle->bytes, release.held);
	put(output, piece, release.piece);
	return true;
}

static void begin(struct needle *needle, const char *secret)
{
	needle_init(needle, (const uint8_t *)secret, strlen(secret));
}

static const struct {
	const char *name, *secret, *stream;
	/* Where the secret ends in the stream; 0: it is not in it. */
	size_t found;
	/* Bytes at the end that may not leave yet. */
	size_t held;
} rows[] = {
	{"nothing of it", "sk-ant-1", "hello, world\n", 0, 0},
	{"empty", "sk-ant-1", "", 0, 0},
	{"all of it", "sk-ant-1", "sk-ant-1", 8, 0},
	{"in the middle", "sk-ant-1", "key sk-ant-1 is wrong", 12, 0},
	{"its last byte missing", "sk-ant-1", "sk-ant-", 0, 7},
	{"its last byte wrong", "sk-ant-1", "sk-ant-2", 0, 0},
	{"its beginning twice", "sk-ant-1", "sk-ask-ant-1", 12, 0},
	{"begun again within", "aab", "aaab", 4, 0},
	{"a period", "abab", "abacabab", 8, 0},
	{"a period begun", "ababac", "ababab", 0, 4},
	{"all the same", "aaaa", "aabaaabaaa", 0, 3},
	{"one byte", "x", "abc", 0, 0},
	{"one byte found", "x", "abxc", 3, 0},
	{"an event", "sk-ant-1", "data: {\"s\":1}\n\n", 0, 0},
	{"an event that ends like a key begins", "sk-ant-1", "data: yes", 0, 1},
	{"other case", "sk-ant-1", "SK-ANT-1", 0, 0},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void check_row(size_t i, size_t first, size_t step)
{
	const uint8_t *stream = (const uint8_t *)rows[i].stream;
	size_t length = strlen(rows[i].stream), at = 0;
	struct output output = {0};
	struct needle needle;
	bool clean = true;

	begin(&needle, rows[i].secret);
	while (clean && at < length) {
		size_t piece = at == 0 ? first : step;

		if (piece == 0 || piece > length - at)
			piece = length - at;
		clean = feed(&needle, stream + at, piece, &output);
		at += piece;
	}
	assert_int_equal(clean, rows[i].found == 0);
	if (clean) {
		assert_int_equal(needle.matched, rows[i].held);
		assert_int_equal(output.length, length - rows[i].held);
	} else {
		assert_true(at >= rows[i].found);
		assert_true(output.length <= rows[i].found - strlen(rows[i].secret));
	}
	assert_memory_equal(output.bytes, stream, output.length);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct needle needle;
		size_t length = strlen(rows[i].stream);

		print_message("%s\n", rows[i].name);
		check_row(i, 0, 0);
		for (size_t at = 1; at < length; at++)
			check_row(i, at, 0);
		check_row(i, 1, 1);
		begin(&needle, rows[i].secret);
		assert_int_equal(
			needle_in(&needle, (const uint8_t *)rows[i].stream, length),
			rows[i].found > 0);
		assert_int_equal(needle.matched, 0);
	}
}

/* Against the slow and obvious: random streams over two letters, so that
 * everything begins like the secret all the time. */
static void test_random(void **state)
{
	unsigned int seed = 1;

	(void)state;
	for (int run = 0; run < 3000; run++) {
		char secret[9] = "", stream[65] = "";
		struct output output = {0};
		struct needle needle;
		bool clean = true;
		size_t at = 0;

		for (size_t i = 0; i < 1 + (size_t)(rand_r(&seed) % 8); i++)
			secret[i] = "ab"[rand_r(&seed) % 2];
		for (size_t i = 0; i < 64; i++)
			stream[i] = "ab"[rand_r(&seed) % 2];
		begin(&needle, secret);
		while (clean && at < 64) {
			size_t piece = 1 + (size_t)rand_r(&seed) % 10;

			if (piece > 64 - at)
				piece = 64 - at;
			clean = feed(&needle, (uint8_t *)stream + at, piece, &output);
			at += piece;
		}
		assert_int_equal(clean, strstr(stream, secret) == NULL);
		assert_memory_equal(output.bytes, stream, output.length);
		if (clean) {
			assert_int_equal(output.length + needle.matched, 64);
			/* No longer end of the stream begins the secret. */
			for (size_t k = needle.matched + 1; k < strlen(secret); k++)
				assert_true(memcmp(stream + 64 - k, secret, k) != 0);
		}
	}
}

static void test_reset(void **state)
{
	struct output output = {0};
	struct needle needle;

	(void)state;
	begin(&needle, "secret");
	assert_true(feed(&needle, (const uint8_t *)"sec", 3, &output));
	assert_int_equal(output.length, 0);
	needle_reset(&needle);
	assert_true(feed(&needle, (const uint8_t *)"ret", 3, &output));
	assert_int_equal(output.length, 3);
}

static void test_longest(void **state)
{
	static uint8_t secret[LIMIT_API_KEY];
	struct needle_release release;
	struct needle needle;

	(void)state;
	memset(secret, 'k', sizeof(secret));
	needle_init(&needle, secret, sizeof(secret));
	assert_true(needle_feed(&needle, secret, sizeof(secret) - 1, &release));
	assert_int_equal(release.piece, 0);
	assert_int_equal(needle.matched, sizeof(secret) - 1);
	assert_false(needle_feed(&needle, secret, 1, &release));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
