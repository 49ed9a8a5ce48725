/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "strategies/probe-judge.h"

static const struct {
	const char *name;
	enum reason reason; /* when it does not hold */
} assertions[] = {
	{"loopback", REASON_NETNS_FAILED},
	{"host_tcp", REASON_NETNS_FAILED},
	{"host_abstract", REASON_NETNS_FAILED},
	{"vsock", REASON_NETNS_FAILED},
	{"keyring", REASON_SECCOMP_FAILED},
	{"userns", REASON_SECCOMP_FAILED},
	{"io_uring", REASON_SECCOMP_FAILED},
	{"ptrace", REASON_SECCOMP_FAILED},
	{"mount", REASON_SECCOMP_FAILED},
	{"setid", REASON_SECCOMP_FAILED},
	{"tiocsti", REASON_SECCOMP_FAILED},
	{"i386", REASON_SECCOMP_FAILED},
	{"x32", REASON_SECCOMP_FAILED},
	{"caps", REASON_SANDBOX_START_FAILED},
	{"proc_masked", REASON_SANDBOX_START_FAILED},
};

#define N (sizeof(assertions) / sizeof(assertions[0]))

static struct probe_result result;

/* The whole output, with `line` instead of that of assertion `odd`; NULL leaves
 * it out. */
static void write_output(char *text, size_t size, size_t odd, const char *line)
{
	size_t used = 0;

	for (size_t i = 0; i < N; i++) {
		if (i == odd && !line)
			continue;
		used += (size_t)snprintf(text + used, size - used,
					 i == odd ? "%s %s\n" : "%s ok\n",
					 assertions[i].name, line);
	}
}

static enum reason judge(char *text, bool in_time, const struct report *outcome)
{
	memset(&result, 0, sizeof(result));
	return probe_judge(text, in_time, outcome, &result);
}

static void all_hold(void **state)
{
	const struct report report = {.reason = REASON_OK};
	char text[1024];

	(void)state;
	write_output(text, sizeof(text), N, NULL);
	assert_int_equal(judge(text, true, &report), REASON_OK);
	assert_int_equal(result.n_checks, N);
	for (size_t i = 0; i < N; i++) {
		assert_string_equal(result.checks[i].name, assertions[i].name);
		assert_true(result.checks[i].tried && result.checks[i].ok);
	}
	/* A supervisor that says nothing has nothing against it. */
	write_output(text, sizeof(text), N, NULL);
	assert_int_equal(judge(text, true, NULL), REASON_OK);
}

static void each_that_fails_has_its_reason(void **state)
{
	static const char *const lines[] = {"failed because \x1b[1m", "failed", "OK",
					    "ok ", "okay"};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < N; i++) {
		for (size_t j = 0; j < sizeof(lines) / sizeof(lines[0]); j++) {
			write_output(text, sizeof(text), i, lines[j]);
			assert_int_equal(judge(text, true, NULL), assertions[i].reason);
			assert_false(result.checks[i].ok);
			assert_non_null(strstr(result.detail.text, assertions[i].name));
			assert_null(strchr(result.detail.text, '\x1b'));
		}
		write_output(text, sizeof(text), i, NULL);
		assert_int_equal(judge(text, true, NULL), REASON_SANDBOX_START_FAILED);
		assert_false(result.checks[i].tried);
		assert_non_null(strstr(result.detail.text, assertions[i].name));
	}
}

static void the_network_comes_first(void **state)
{
	char text[] = "keyring failed x\nvsock failed y\n";

	(void)state;
	/* But what was not tried at all comes before it. */
	assert_int_equal(judge(text, true, NULL), REASON_SANDBOX_START_FAILED);
	assert_non_null(strstr(result.detail.text, "loopback"));
}

static void what_a_program_said_is_told(void **state)
{
	char text[] = "loopback ok\nbwrap: no way\n\n";
	char nothing[] = "";

	(void)state;
	assert_int_equal(judge(text, true, NULL), REASON_SANDBOX_START_FAILED);
	assert_string_equal(
		result.detail.text,
		"the probe ended before it had tried `host_tcp`: bwrap: no way");
	assert_int_equal(judge(nothing, true, NULL), REASON_SANDBOX_START_FAILED);
}

static void the_supervisors_word_counts_most(void **state)
{
	const struct report report = {.reason = REASON_USERNS_UNAVAILABLE,
				      .detail = "no namespaces"};
	char text[1024];

	(void)state;
	write_output(text, sizeof(text), N, NULL);
	assert_int_equal(judge(text, false, &report), REASON_USERNS_UNAVAILABLE);
	assert_string_equal(result.detail.text, "no namespaces");
	write_output(text, sizeof(text), N, NULL);
	assert_int_equal(judge(text, false, NULL), REASON_SANDBOX_START_FAILED);
	assert_non_null(strstr(result.detail.text, "10 seconds"));
}

static void every_cut_is_a_failure(void **state)
{
	char whole[1024], text[1024];
	size_t length;

	(void)state;
	write_output(whole, sizeof(whole), N, NULL);
	length = strlen(whole);
	for (size_t cut = 0; cut + 1 < length; cut++) {
		memcpy(text, whole, cut);
		text[cut] = 0;
		assert_int_not_equal(judge(text, true, NULL), REASON_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_hold),
		cmocka_unit_test(each_that_fails_has_its_reason),
		cmocka_unit_test(the_network_comes_first),
		cmocka_unit_test(what_a_program_said_is_told),
		cmocka_unit_test(the_supervisors_word_counts_most),
		cmocka_unit_test(every_cut_is_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
