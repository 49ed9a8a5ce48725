/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/hostname.h"
#include "core/limits.h"

struct row {
	const char *name;
	size_t length;
	bool want;
};

#define GOOD(name)                                                                     \
	{                                                                              \
		name, sizeof(name) - 1, true                                           \
	}
#define BAD(name)                                                                      \
	{                                                                              \
		name, sizeof(name) - 1, false                                          \
	}

static const struct row rows[] = {
	GOOD("api.anthropic.com"),
	GOOD("a.b"),
	GOOD("example"),
	GOOD("0.example"),
	GOOD("127.0.0.1.example"),
	GOOD("3com.com"),
	GOOD("a-b.c--d.example"),
	GOOD("xn--mnchen-3ya.example"),
	GOOD("localhost.example"),
	GOOD("notlocalhost"),
	GOOD("mylocal"),
	GOOD("local.example"),
	GOOD("arpa"),
	GOOD("in-addr.arpa"),
	GOOD("home.arpa.example"),
	GOOD("0x7g"),
	GOOD("x7f"),
	GOOD("a.1e"),
	GOOD("a.ff"),

	BAD(""),
	BAD("."),
	BAD(".example"),
	BAD("a..b"),
	BAD("example."),
	BAD("example.."),
	BAD("Example.com"),
	BAD("example.COM"),
	BAD("*.example"),
	BAD("*"),
	BAD("a.*.example"),
	BAD("example:443"),
	BAD("https://example"),
	BAD("example/"),
	BAD("user@example"),
	BAD("exa mple"),
	BAD(" example"),
	BAD("example "),
	BAD("example\n"),
	BAD("example\0.com"),
	BAD("\0"),
	BAD("a_b.example"),
	BAD("-a.example"),
	BAD("a-.example"),
	BAD("example.-a"),
	BAD("-"),
	BAD("m\xc3\xbcnchen.example"),
	/* fullwidth letters, a fullwidth dot, an ideographic dot */
	BAD("\xef\xbd\x85xample.com"),
	BAD("example\xef\xbc\x8e"
	    "com"),
	BAD("example\xe3\x80\x82"
	    "com"),
	BAD("ex%61mple.com"),

	BAD("127.0.0.1"),
	BAD("127.1"),
	BAD("127.0.1"),
	BAD("2130706433"),
	BAD("017700000001"),
	BAD("0x7f000001"),
	BAD("0x7f.1"),
	BAD("0x7f.0.0.0x1"),
	BAD("1.0x"),
	BAD("0x"),
	BAD("0"),
	BAD("1.2.3"),
	BAD("1.2.3.4.5"),
	BAD("256.256.256.256"),
	BAD("example.1"),
	BAD("127.0.0.1."),
	BAD("[::1]"),
	BAD("::1"),
	BAD("[::ffff:127.0.0.1]"),
	BAD("fe80::1%lo"),

	BAD("localhost"),
	BAD("a.localhost"),
	BAD("printer.local"),
	BAD("local"),
	BAD("metadata.google.internal"),
	BAD("internal"),
	BAD("router.lan"),
	BAD("nas.home.arpa"),
	BAD("home.arpa"),
};

static void check(const char *name, size_t length, bool want)
{
	uint8_t *copy = malloc(length ? length : 1);
	const char *detail = NULL;
	enum reason reason;

	assert_non_null(copy);
	memcpy(copy, name, length);
	reason = hostname_check(copy, length, &detail);
	free(copy);
	if ((reason == REASON_OK) != want)
		fail_msg("\"%s\" is %s", name, want ? "refused" : "accepted");
	if (want) {
		assert_null(detail);
	} else {
		assert_int_equal(reason, REASON_HOST_INVALID);
		assert_non_null(detail);
	}
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(rows[i].name, rows[i].length, rows[i].want);
}

static void test_label_limit(void **state)
{
	char name[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		      ".example";

	(void)state;
	assert_int_equal(strcspn(name, "."), 64);
	check(name, sizeof(name) - 1, false);
	check(name + 1, sizeof(name) - 2, true);
	check(name + 2, sizeof(name) - 3, true);
}

static void test_name_limit(void **state)
{
	char name[LIMIT_HOST_NAME + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = i % 2 ? '.' : 'a';
	/* Of odd length, so that no name ends with a dot. */
	name[LIMIT_HOST_NAME] = 'a';
	name[LIMIT_HOST_NAME + 1] = 0;
	check(name, LIMIT_HOST_NAME + 1, false);
	check(name, LIMIT_HOST_NAME, true);
	check(name, LIMIT_HOST_NAME - 2, true);
}

static const struct {
	const char *text;
	const char *host; /* NULL: none */
} quoted[] = {
	{"'a.example.org'", "a.example.org"},
	{"'a.example.org': why", "a.example.org"},
	{"'a.example.org", NULL},
	{"a.example.org'", NULL},
	{"a.example.org", NULL},
	{"''", NULL},
	{"'", NULL},
	{"", NULL},
	{"'A.example.org'", NULL},
	{"'10.0.0.1'", NULL},
	{"'localhost'", NULL},
	{"'a\\x0a.org'", NULL},
	{" 'a.example.org'", NULL},
};

static void quoted_ones_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(quoted) / sizeof(quoted[0]); i++) {
		char host[LIMIT_HOST_NAME + 1] = "";

		if (hostname_quoted(quoted[i].text, host) != (quoted[i].host != NULL) ||
		    strcmp(host, quoted[i].host ? quoted[i].host : "") != 0)
			fail_msg("%s: \"%s\"", quoted[i].text, host);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_label_limit),
		cmocka_unit_test(test_name_limit),
		cmocka_unit_test(quoted_ones_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
