/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <cmocka.h>
#include "core/seen-record.h"
#include "core/seen-set.h"
#include "watch/place.h"

static const struct clean_row {
	const char *base, *path, *want; /* NULL: none */
} clean_rows[] = {
	{"", "/usr/bin", "/usr/bin"},
	{"", "/", "/"},
	{"", "//usr///bin//", "/usr/bin"},
	{"", "/./usr/./bin/.", "/usr/bin"},
	{"", "/usr/../etc/passwd", "/etc/passwd"},
	{"", "/../../etc", "/etc"},
	{"", "/usr/bin/../..", "/"},
	{"", "/a..b/..c/...", "/a..b/..c/..."},
	{"/home/x", "../y", "/home/y"},
	{"/home/x", "../../..", "/"},
	{"/", "a", "/a"},
	{"/home/x/", "./a/../b", "/home/x/b"},
	{"", "a", NULL},
	{"(unreachable)/x", "a", NULL},
};

static void test_clean(void **state)
{
	char long_path[LIMIT_SEEN_TEXT + 8], got[LIMIT_SEEN_TEXT + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(clean_rows) / sizeof(clean_rows[0]); i++) {
		const struct clean_row *row = &clean_rows[i];

		if (place_clean(row->base, row->path, got) != (row->want != NULL))
			fail_msg("%s %s", row->base, row->path);
		if (row->want)
			assert_string_equal(got, row->want);
	}
	memset(long_path, 'a', sizeof(long_path));
	long_path[0] = '/';
	long_path[LIMIT_SEEN_TEXT] = 0;
	assert_true(place_clean("", long_path, got));
	long_path[LIMIT_SEEN_TEXT] = 'a';
	long_path[LIMIT_SEEN_TEXT + 1] = 0;
	assert_false(place_clean("", long_path, got));
}

static void test_leaves(void **state)
{
	(void)state;
	assert_true(place_leaves(".."));
	assert_true(place_leaves("../x"));
	assert_true(place_leaves("a/../../x"));
	assert_true(place_leaves("a/.."));
	assert_false(place_leaves("a/..b"));
	assert_false(place_leaves("..."));
	assert_false(place_leaves("a"));
	assert_false(place_leaves(""));
}

static const struct address_row {
	int family;
	const char *address;
	const char *want; /* NULL: not told */
} address_rows[] = {
	{AF_INET, "192.0.2.1", "192.0.2.1"},
	{AF_INET, "127.0.0.1", NULL},
	{AF_INET, "127.9.9.9", NULL},
	{AF_INET, "0.0.0.0", NULL},
	{AF_INET, "169.254.169.254", "169.254.169.254"},
	{AF_INET6, "2001:db8::1", "2001:db8::1"},
	{AF_INET6, "::1", NULL},
	{AF_INET6, "::", NULL},
	{AF_INET6, "::ffff:192.0.2.1", "192.0.2.1"},
	{AF_INET6, "::ffff:127.0.0.1", NULL},
	{AF_UNIX, "/run/docker.sock", "/run/docker.sock"},
	{AF_UNIX, "/run/../run//x", "/run/x"},
	{AF_UNIX, "relative", NULL},
	{AF_UNIX, "", NULL},
};

static void test_addresses(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(address_rows) / sizeof(address_rows[0]); i++) {
		const struct address_row *row = &address_rows[i];
		struct sockaddr_storage address = {.ss_family =
							   (sa_family_t)row->family};
		struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
		struct sockaddr_in *four = (struct sockaddr_in *)&address;
		struct sockaddr_un *local = (struct sockaddr_un *)&address;
		char got[LIMIT_SEEN_TEXT + 1];
		unsigned int port;
		int family;

		if (row->family == AF_UNIX)
			snprintf(local->sun_path, sizeof(local->sun_path), "%s",
				 row->address);
		else
			four->sin_port = htons(443); /* of both families */
		if (row->family == AF_INET)
			inet_pton(AF_INET, row->address, &four->sin_addr);
		if (row->family == AF_INET6)
			inet_pton(AF_INET6, row->address, &six->sin6_addr);
		family = place_of_address(&address, sizeof(address), got, &port);
		if ((family != AF_UNSPEC) != (row->want != NULL))
			fail_msg("%s: %d", row->address, family);
		if (!row->want)
			continue;
		assert_string_equal(got, row->want);
		assert_int_equal(port, row->family == AF_UNIX ? 0 : 443);
		/* Cut: nothing is made of what is not there. */
		assert_int_equal(place_of_address(&address, 1, got, &port), AF_UNSPEC);
		assert_int_equal(place_of_address(&address, 2, got, &port), AF_UNSPEC);
	}
}

static void test_set(void **state)
{
	struct seen_set *set = calloc(1, sizeof(*set));
	char text[LIMIT_SEEN_TEXT + 2];

	(void)state;
	assert_non_null(set);
	assert_true(seen_set_add(set, SEEN_PATH, 0, "/a", 2));
	assert_false(seen_set_add(set, SEEN_PATH, 0, "/a", 2));
	assert_true(seen_set_add(set, SEEN_NAME, 0, "/a", 2));
	assert_true(seen_set_add(set, SEEN_ADDRESS, 1, "/a", 2));
	assert_true(seen_set_add(set, SEEN_ADDRESS, 2, "/a", 2));
	assert_true(seen_set_add(set, SEEN_PATH, 0, "/ab", 3));
	assert_true(seen_set_add(set, SEEN_PATH, 0, "/", 1));
	assert_int_equal(set->n, 6);
	memset(text, 'x', sizeof(text));
	assert_true(seen_set_add(set, SEEN_PATH, 0, text, LIMIT_SEEN_TEXT));
	assert_false(seen_set_add(set, SEEN_PATH, 0, text, LIMIT_SEEN_TEXT + 1));
	assert_int_equal(set->lost, 1);
	free(set);
}

/* By number and by bytes it ends, and says how much it left out. */
static void test_set_full(void **state)
{
	struct seen_set *set = calloc(1, sizeof(*set));
	char text[LIMIT_SEEN_TEXT + 1];

	(void)state;
	assert_non_null(set);
	for (int i = 0; i < LIMIT_SEEN_ITEMS + 5; i++) {
		int length = snprintf(text, sizeof(text), "/%d", i);

		assert_int_equal(seen_set_add(set, SEEN_PATH, 0, text, (size_t)length),
				 i < LIMIT_SEEN_ITEMS);
	}
	assert_int_equal(set->n, LIMIT_SEEN_ITEMS);
	assert_int_equal(set->lost, 5);
	assert_false(seen_set_add(set, SEEN_PATH, 0, "/7", 2));
	assert_int_equal(set->lost, 5);
	memset(set, 0, sizeof(*set));
	memset(text, 'x', sizeof(text));
	for (int i = 0; i < LIMIT_SEEN_ITEMS; i++) {
		snprintf(text, 8, "%07d", i);
		text[7] = 'x';
		(void)seen_set_add(set, SEEN_PATH, 0, text, LIMIT_SEEN_TEXT);
	}
	assert_true(set->text_bytes <= LIMIT_SEEN_BYTES);
	assert_int_equal(set->n + set->lost, LIMIT_SEEN_ITEMS);
	assert_true(set->lost > 0);
	free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),	  cmocka_unit_test(test_leaves),
		cmocka_unit_test(test_addresses), cmocka_unit_test(test_set),
		cmocka_unit_test(test_set_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
