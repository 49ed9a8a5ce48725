/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/bwrap-message.h"

/* What bwrap 0.8 to 0.12 printed on systems where it could not do its work. */
static const struct {
	const char *message;
	enum reason restricted, otherwise;
} rows[] = {
	{ "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", REASON_USERNS_BLOCKED,
	  REASON_SANDBOX_START_FAILED },
	{ "bwrap: loopback: Failed RTM_NEWADDR: No child processes", REASON_USERNS_BLOCKED,
	  REASON_SANDBOX_START_FAILED },
	{ "bwrap: setting up uid map: Permission denied", REASON_USERNS_BLOCKED,
	  REASON_USERNS_UNAVAILABLE },
	{ "bwrap: No permissions to create new namespace, likely because the kernel does not "
	  "allow non-privileged user namespaces.",
	  REASON_USERNS_BLOCKED, REASON_USERNS_UNAVAILABLE },
	{ "bwrap: No permissions to create a new namespace, likely because the kernel does not",
	  REASON_USERNS_BLOCKED, REASON_USERNS_UNAVAILABLE },
	{ "bwrap: Creating new namespace failed: Permission denied", REASON_USERNS_BLOCKED,
	  REASON_USERNS_UNAVAILABLE },
	{ "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces "
	  "exceeded (ENOSPC)",
	  REASON_USERNS_UNAVAILABLE, REASON_USERNS_UNAVAILABLE },
	{ "bwrap: Creating new namespace failed: Operation not permitted",
	  REASON_USERNS_UNAVAILABLE, REASON_USERNS_UNAVAILABLE },
	{ "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
	  REASON_USERNS_UNAVAILABLE, REASON_USERNS_UNAVAILABLE },
	{ "bwrap: Failed to make / slave: Permission denied", REASON_USERNS_UNAVAILABLE,
	  REASON_USERNS_UNAVAILABLE },
	{ "bwrap: prctl(PR_SET_SECCOMP): Invalid argument", REASON_SECCOMP_FAILED,
	  REASON_SECCOMP_FAILED },
	{ "bwrap: seccomp data: bad length", REASON_SECCOMP_FAILED, REASON_SECCOMP_FAILED },
	{ "bwrap: Can't find source path /x: No such file or directory",
	  REASON_SANDBOX_START_FAILED, REASON_SANDBOX_START_FAILED },
	{ "", REASON_SANDBOX_START_FAILED, REASON_SANDBOX_START_FAILED },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t length = strlen(rows[i].message);

		assert_string_equal(
			reason_code(bwrap_message_reason(rows[i].message, length, true)),
			reason_code(rows[i].restricted));
		assert_string_equal(
			reason_code(bwrap_message_reason(rows[i].message, length, false)),
			reason_code(rows[i].otherwise));
	}
}

/* The message is whatever came through the pipe, cut anywhere. */
static void test_cut_anywhere(void **state)
{
	static const char text[] = "bwrap: setting up uid map: Permission denied";
	const size_t needed = sizeof("bwrap: setting up uid map") - 1;

	(void)state;
	for (size_t length = 0; length < sizeof(text); length++)
		assert_int_equal(bwrap_message_reason(text, length, true),
				 length < needed ? REASON_SANDBOX_START_FAILED :
						   REASON_USERNS_BLOCKED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
