/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
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

static const struct uid_range three = {100000, 7}; /* and one id left over */

static int take(struct uid_pair *ret_pair, int *ret_lock)
{
	return uid_range_take(&three, temporary_path("uids"), ret_pair, ret_lock);
}

static int reserve(const char *session, struct uid_pair *ret_pair)
{
	return uid_range_reserve(&three, temporary_path("uids"), session, ret_pair);
}

static int release(const char *session)
{
	return uid_range_release(temporary_path("uids"), session);
}

static void pairs_are_taken_and_given_back(void **state)
{
	struct uid_pair pair;
	int locks[4];

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(take(&pair, &locks[i]), 0);
		assert_int_equal(pair.supervisor, 100000 + 2 * i);
		assert_int_equal(pair.run, 100001 + 2 * i);
	}
	assert_int_equal(take(&pair, &locks[3]), -EUSERS);
	close(locks[1]);
	assert_int_equal(take(&pair, &locks[1]), 0);
	assert_int_equal(pair.run, 100003);
	for (int i = 0; i < 3; i++)
		close(locks[i]);
}

static void pairs_are_reserved_and_released(void **state)
{
	struct uid_pair pair, found;

	(void)state;
	assert_int_equal(uid_range_find(temporary_path("uids"), "a-main", &found),
			 -ENOENT);
	assert_int_equal(release("a-main"), -ENOENT);
	assert_int_equal(reserve("a-main", &pair), 0);
	assert_int_equal(pair.supervisor, 100000);
	assert_int_equal(reserve("b-main", &pair), 0);
	assert_int_equal(pair.supervisor, 100002);
	/* Neither a beginning of the name nor a longer one is the name. */
	assert_int_equal(uid_range_find(temporary_path("uids"), "b-mai", &found),
			 -ENOENT);
	assert_int_equal(uid_range_find(temporary_path("uids"), "b-main1", &found),
			 -ENOENT);
	assert_int_equal(uid_range_find(temporary_path("uids"), "b-main", &found), 0);
	assert_memory_equal(&found, &pair, sizeof(pair));
	assert_int_equal(release("a-main"), 0);
	assert_int_equal(release("a-main"), -ENOENT);
	assert_int_equal(reserve("c-main", &pair), 0);
	assert_int_equal(pair.supervisor, 100000);
	assert_int_equal(reserve("d-main", &pair), 0);
	assert_int_equal(reserve("e-main", &pair), -EUSERS);
}

static void locks_and_reservations_respect_each_other(void **state)
{
	struct uid_pair pair;
	int first, second;

	(void)state;
	assert_int_equal(reserve("a-main", &pair), 0);
	assert_int_equal(take(&pair, &first), 0);
	assert_int_equal(pair.supervisor, 100002);
	assert_int_equal(reserve("b-main", &pair), 0);
	assert_int_equal(pair.supervisor, 100004);
	assert_int_equal(take(&pair, &second), -EUSERS);
	assert_int_equal(reserve("c-main", &pair), -EUSERS);
	/* A lock that is gone leaves an empty file, which is free. */
	close(first);
	assert_int_equal(reserve("c-main", &pair), 0);
	assert_int_equal(pair.supervisor, 100002);
	assert_int_equal(release("a-main"), 0);
	assert_int_equal(take(&pair, &first), 0);
	assert_int_equal(pair.supervisor, 100000);
	close(first);
}

/* The range in /etc/subuid may be changed while sessions live. */
static void overlapping_ranges_share_no_uid(void **state)
{
	const struct uid_range odd = {99999, 8}; /* 99999 to 100006 */
	struct uid_pair pair;
	int locks[4] = {-1, -1, -1, -1};

	(void)state;
	assert_int_equal(reserve("a-main", &pair), 0);
	for (uint32_t i = 1; i < 3; i++) {
		assert_int_equal(
			uid_range_take(&odd, temporary_path("uids"), &pair, &locks[i]),
			0);
		assert_int_equal(pair.supervisor, 100000 + 2 * i);
	}
	assert_int_equal(uid_range_take(&odd, temporary_path("uids"), &pair, &locks[3]),
			 -EUSERS);
	for (int i = 1; i < 3; i++)
		close(locks[i]);
}

#define RESERVERS 12

/* As many at once as there are pairs: each gets one. */
static void reservers_at_once_get_a_pair_each(void **state)
{
	const struct uid_range range = {200000, 2 * RESERVERS};
	bool seen[2 * RESERVERS] = {false};
	pid_t children[RESERVERS];

	(void)state;
	for (int i = 0; i < RESERVERS; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] == 0) {
			struct uid_pair pair;
			char session[32];

			snprintf(session, sizeof(session), "s%d-main", i);
			_exit(uid_range_reserve(&range, temporary_path("uids"), session,
						&pair) == 0
				      ? (int)(pair.supervisor - 200000)
				      : 255);
		}
	}
	for (int i = 0; i < RESERVERS; i++) {
		int status;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_true(WIFEXITED(status));
		assert_in_range(WEXITSTATUS(status), 0, 2 * RESERVERS - 1);
		assert_false(seen[WEXITSTATUS(status)]);
		seen[WEXITSTATUS(status)] = true;
	}
}

static void what_else_lies_there_is_no_reservation(void **state)
{
	struct uid_pair pair;

	(void)state;
	assert_int_equal(mkdir(temporary_path("uids"), 0700), 0);
	temporary_file("uids/100001", 0600, "a-main"); /* odd */
	temporary_file("uids/4", 0600, "a-main");      /* not of any range */
	temporary_file("uids/x", 0600, "a-main");
	temporary_link("uids/100002", "x");
	assert_int_equal(uid_range_find(temporary_path("uids"), "a-main", &pair),
			 -ENOENT);
	assert_int_equal(reserve("b-main", &pair), 0);
	assert_int_equal(pair.supervisor, 100000);
	assert_int_equal(reserve("c-main", &pair), -ELOOP);
}

static void the_directory_must_be_private(void **state)
{
	const struct uid_range range = {100000, 4};
	struct uid_pair pair;
	int lock;

	(void)state;
	temporary_directories("open/");
	assert_int_equal(chmod(temporary_path("open"), 0777), 0);
	assert_int_equal(uid_range_take(&range, temporary_path("open"), &pair, &lock),
			 -EPERM);
	assert_int_equal(
		uid_range_reserve(&range, temporary_path("open"), "a-main", &pair),
		-EPERM);
	temporary_directories("real/");
	temporary_link("link", "real");
	assert_true(uid_range_take(&range, temporary_path("link"), &pair, &lock) < 0);
	assert_int_equal(
		uid_range_take(&range, temporary_path("none/uids"), &pair, &lock),
		-ENOENT);
}

#define TEST(function)                                                                 \
	cmocka_unit_test_setup_teardown(function, temporary_make, temporary_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ranges_are_read),
		TEST(pairs_are_taken_and_given_back),
		TEST(pairs_are_reserved_and_released),
		TEST(locks_and_reservations_respect_each_other),
		TEST(overlapping_ranges_share_no_uid),
		TEST(reservers_at_once_get_a_pair_each),
		TEST(what_else_lies_there_is_no_reservation),
		TEST(the_directory_must_be_private),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
