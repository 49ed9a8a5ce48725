/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "os/uid-range.h"
#include "temporary.h"

static const struct {
	const char *users, *groups; /* NULL: no such file */
	int want;
	uint32_t first, count;
} rows[] = {
	{NULL, NULL, 0, UID_RANGE_FIRST, UID_RANGE_COUNT},
	{"", "", 0, UID_RANGE_FIRST, UID_RANGE_COUNT},
	{"root:1:2\nanetx:3:4\n", "x:1:2\n", 0, UID_RANGE_FIRST, UID_RANGE_COUNT},
	{"root:1:2\nanet:100000:4\nanet:200000:4\n", "anet:100000:4", 0, 100000, 4},
	{"anet:100000:10\n", "anet:100004:20\n", 0, 100004, 6},
	{"anet:100000:10\n", "anet:100008:20\n", 0, 100008, 2},
	{"anet:100000:10\n", "anet:100009:20\n", -ENOENT, 0, 0},
	{"anet:100000:10\n", "anet:200000:20\n", -ENOENT, 0, 0},
	{"anet:100000:10\n", "", -ENOENT, 0, 0},
	{"", "anet:100000:10\n", -ENOENT, 0, 0},
	{"anet:100000:1\n", "anet:100000:1\n", -ENOENT, 0, 0},
	{"anet:65535:10\n", "anet:65535:10\n", -ERANGE, 0, 0},
	{"anet:65536:10\n", "anet:65536:10\n", 0, 65536, 10},
	{"anet:0:65536\n", "anet:0:65536\n", -ERANGE, 0, 0},
	{"anet:2147483638:10\n", "anet:2147483638:10\n", 0, 2147483638, 10},
	{"anet:2147483639:10\n", "anet:2147483639:10\n", -ERANGE, 0, 0},
	{"anet:9999999999:9999999999\n", "anet:9999999999:9999999999\n", -ERANGE, 0, 0},
	{"anet:100000\n", "anet:100000:10\n", -EBADMSG, 0, 0},
	{"anet::10\n", "anet:100000:10\n", -EBADMSG, 0, 0},
	{"anet:100000:\n", "anet:100000:10\n", -EBADMSG, 0, 0},
	{"anet:-100000:10\n", "anet:100000:10\n", -EBADMSG, 0, 0},
	{"anet:100000:10 \n", "anet:100000:10\n", -EBADMSG, 0, 0},
	{"anet:0x20000:10\n", "anet:100000:10\n", -EBADMSG, 0, 0},
	{"anet:18446744073709551616:10\n", "anet:100000:10\n", -EBADMSG, 0, 0},
};

static void ranges_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uid_range range = {0};
		int r;

		unlink(temporary_path("subuid"));
		unlink(temporary_path("subgid"));
		if (rows[i].users)
			temporary_file("subuid", 0644, rows[i].users);
		if (rows[i].groups)
			temporary_file("subgid", 0644, rows[i].groups);
		r = uid_range_read(temporary_path("subuid"), temporary_path("subgid"),
				   &range);
		if (r != rows[i].want || range.first != rows[i].first ||
		    range.count != rows[i].count)
			fail_msg("row %zu: %d, %u + %u", i, r, range.first,
				 range.count);
	}
}

static void pairs_are_taken_and_given_back(void **state)
{
	const struct uid_range range = {100000, 7}; /* three pairs, and one left over */
	uint32_t supervisor, run;
	int locks[4], r;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		r = uid_range_take(&range, temporary_path("uids"), &supervisor, &run,
				   &locks[i]);
		assert_int_equal(r, 0);
		assert_int_equal(supervisor, 100000 + 2 * i);
		assert_int_equal(run, 100001 + 2 * i);
	}
	assert_int_equal(uid_range_take(&range, temporary_path("uids"), &supervisor,
					&run, &locks[3]),
			 -EUSERS);
	close(locks[1]);
	assert_int_equal(uid_range_take(&range, temporary_path("uids"), &supervisor,
					&run, &locks[1]),
			 0);
	assert_int_equal(run, 100003);
	for (int i = 0; i < 3; i++)
		close(locks[i]);
}

static void the_directory_must_be_private(void **state)
{
	const struct uid_range range = {100000, 4};
	uint32_t supervisor, run;
	int lock;

	(void)state;
	temporary_directories("open/");
	assert_int_equal(chmod(temporary_path("open"), 0777), 0);
	assert_int_equal(uid_range_take(&range, temporary_path("open"), &supervisor,
					&run, &lock),
			 -EPERM);
	temporary_directories("real/");
	temporary_link("link", "real");
	assert_true(uid_range_take(&range, temporary_path("link"), &supervisor, &run,
				   &lock) < 0);
	assert_int_equal(uid_range_take(&range, temporary_path("none/uids"),
					&supervisor, &run, &lock),
			 -ENOENT);
}

#define TEST(function)                                                                 \
	cmocka_unit_test_setup_teardown(function, temporary_make, temporary_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ranges_are_read),
		TEST(pairs_are_taken_and_given_back),
		TEST(the_directory_must_be_private),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
