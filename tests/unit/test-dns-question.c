/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "core/dns-question.h"

#define HEAD "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
#define HEAD_OPT "\x12\x34\x01\x20\x00\x01\x00\x00\x00\x00\x00\x01"
#define NAME                                                                           \
	"\x03www\x07"                                                                  \
	"Example\x03org\x00"
#define OPT "\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x00"

#define ROW(name, bytes, want)                                                         \
	{                                                                              \
		name, bytes, sizeof(bytes) - 1, want                                   \
	}

static const struct row {
	const char *name;
	const char *bytes;
	size_t length;
	const char *want; /* NULL: no question */
} rows[] = {
	ROW("for an IPv4 address", HEAD NAME "\x00\x01\x00\x01", "www.example.org"),
	ROW("for an IPv6 address", HEAD NAME "\x00\x1c\x00\x01", "www.example.org"),
	ROW("for HTTPS", HEAD NAME "\x00\x41\x00\x01", "www.example.org"),
	ROW("with an OPT record", HEAD_OPT NAME "\x00\x01\x00\x01" OPT,
	    "www.example.org"),
	ROW("one letter",
	    HEAD "\x01"
		 "a\x00\x00\x01\x00\x01",
	    "a"),
	ROW("underscore", HEAD "\x04_ldp\x00\x00\x01\x00\x01", "_ldp"),
	ROW("for a service", HEAD NAME "\x00\x21\x00\x01", NULL),
	ROW("of another class", HEAD NAME "\x00\x01\x00\x03", NULL),
	ROW("an answer",
	    "\x12\x34\x81\x00\x00\x01\x00\x00\x00\x00\x00\x00" NAME "\x00\x01\x00\x01",
	    NULL),
	ROW("an update",
	    "\x12\x34\x29\x00\x00\x01\x00\x00\x00\x00\x00\x00" NAME "\x00\x01\x00\x01",
	    NULL),
	ROW("two questions",
	    "\x12\x34\x01\x00\x00\x02\x00\x00\x00\x00\x00\x00" NAME
	    "\x00\x01\x00\x01" NAME "\x00\x01\x00\x01",
	    NULL),
	ROW("with an answer",
	    "\x12\x34\x01\x00\x00\x01\x00\x01\x00\x00\x00\x00" NAME "\x00\x01\x00\x01",
	    NULL),
	ROW("the root", HEAD "\x00\x00\x01\x00\x01\x00\x00", NULL),
	ROW("a pointer", HEAD "\xc0\x0c\x00\x01\x00\x01\x00", NULL),
	ROW("a label of 64",
	    HEAD "\x40"
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "aaaaaaaaaaaa\x00\x00\x01\x00\x01",
	    NULL),
	ROW("a label behind the end",
	    HEAD "\x3f"
		 "abcdef",
	    NULL),
	ROW("an odd byte",
	    HEAD "\x03"
		 "a\x1b[\x00\x00\x01\x00\x01",
	    NULL),
	ROW("a dot in a label",
	    HEAD "\x03"
		 "a.b\x00\x00\x01\x00\x01",
	    NULL),
	ROW("something behind it", HEAD NAME "\x00\x01\x00\x01x", NULL),
	ROW("half an OPT record", HEAD_OPT NAME "\x00\x01\x00\x01\x00\x00\x29", NULL),
	ROW("another additional record",
	    HEAD_OPT NAME "\x00\x01\x00\x01\x00\x00\x01\x00\x01"
			  "\x00\x00\x00\x00\x00\x00",
	    NULL),
	ROW("nothing", "", NULL),
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* In a block of its own, so that a sanitizer sees a read behind it. */
		uint8_t *copy = malloc(rows[i].length + 1);
		char name[LIMIT_HOST_NAME + 1] = "unset";
		bool is;

		assert_non_null(copy);
		memcpy(copy, rows[i].bytes, rows[i].length);
		is = dns_question(copy, rows[i].length, name);
		free(copy);
		if (is != (rows[i].want != NULL))
			fail_msg("%s: %d", rows[i].name, is);
		assert_string_equal(name, rows[i].want ? rows[i].want : "unset");
	}
}

/* Every cut of a question is none. */
static void test_cut(void **state)
{
	static const char whole[] = HEAD_OPT NAME "\x00\x01\x00\x01" OPT;

	(void)state;
	for (size_t length = 0; length < sizeof(whole) - 1; length++) {
		char name[LIMIT_HOST_NAME + 1];
		uint8_t *copy = malloc(length + 1);

		assert_non_null(copy);
		memcpy(copy, whole, length);
		assert_false(dns_question(copy, length, name));
		free(copy);
	}
}

/* 253 bytes with the dots are a name, one more is none. */
static void test_longest(void **state)
{
	(void)state;
	for (size_t last = 61; last <= 62; last++) {
		uint8_t bytes[DNS_QUESTION_MAX] = HEAD;
		char name[LIMIT_HOST_NAME + 1];
		size_t at = 12;

		for (int label = 0; label < 4; label++) {
			size_t length = label == 3 ? last : 63;

			bytes[at++] = (uint8_t)length;
			memset(bytes + at, 'a', length);
			at += length;
		}
		at++;
		bytes[at + 1] = bytes[at + 3] = 1;
		assert_int_equal(dns_question(bytes, at + 4, name), last == 61);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
