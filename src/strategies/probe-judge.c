/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strategies/probe-judge.h"

#include <string.h>

#include "os/report.h"

/* What must have been asserted, what it means when it does not hold, and what it
 * says to people. */
static const struct {
	const char *name;
	enum reason reason;
	const char *meaning;
} expected[] = {
	{"loopback", REASON_NETNS_FAILED, "the run's own loopback works"},
	{"host_tcp", REASON_NETNS_FAILED,
	 "a port that is open on the host cannot be reached"},
	{"host_abstract", REASON_NETNS_FAILED,
	 "an abstract socket of the host cannot be reached"},
	{"vsock", REASON_NETNS_FAILED,
	 "the virtual socket to the machine's host is refused"},
	{"keyring", REASON_SECCOMP_FAILED, "the kernel's keyrings are refused"},
	{"userns", REASON_SECCOMP_FAILED, "a new user namespace is refused"},
	{"io_uring", REASON_SECCOMP_FAILED, "io_uring is refused"},
	{"ptrace", REASON_SECCOMP_FAILED, "tracing another process is refused"},
	{"mount", REASON_SECCOMP_FAILED, "mounting is refused"},
	{"setid", REASON_SECCOMP_FAILED, "setuid and setgid bits on files are refused"},
	{"tiocsti", REASON_SECCOMP_FAILED,
	 "writing into a terminal's input is refused"},
	{"i386", REASON_SECCOMP_FAILED, "32-bit system calls end the process"},
	{"x32", REASON_SECCOMP_FAILED, "x32 system calls end the process"},
	{"caps", REASON_SANDBOX_START_FAILED, "no capability is held"},
	{"proc_masked", REASON_SANDBOX_START_FAILED,
	 "what /proc tells of the host is covered"},
};

#define N_EXPECTED (sizeof(expected) / sizeof(expected[0]))
_Static_assert(N_EXPECTED <= PROBE_MAX_CHECKS, "a place for each");

/* Takes "NAME ok" or "NAME failed DETAIL"; false if a line is neither. */
static bool take_check(const char *line, struct probe_result *result)
{
	size_t length = strcspn(line, " ");
	const char *rest = line + length;

	for (size_t i = 0; i < result->n_checks; i++) {
		struct probe_check *check = &result->checks[i];

		if (strlen(check->name) != length ||
		    memcmp(check->name, line, length) != 0)
			continue;
		check->ok = strcmp(rest, " ok") == 0;
		check->tried = true;
		if (strncmp(rest, " failed ", 8) == 0)
			escape_bytes(rest + 8, strlen(rest + 8), check->detail,
				     sizeof(check->detail));
		return true;
	}
	return false;
}

/* The last line that is no check is what a program had to say.  NULL if none. */
static const char *parse_output(char *text, struct probe_result *result)
{
	const char *said = NULL;
	char *rest = text, *line;

	for (size_t i = 0; i < N_EXPECTED; i++) {
		result->checks[i].name = expected[i].name;
		result->checks[i].meaning = expected[i].meaning;
	}
	result->n_checks = N_EXPECTED;
	while ((line = strsep(&rest, "\n")))
		if (*line && !take_check(line, result))
			said = line;
	return said;
}

enum reason probe_judge(char *text, bool in_time, const struct report *outcome,
			struct probe_result *result)
{
	const char *said = parse_output(text, result);

	if (outcome && outcome->reason != REASON_OK)
		return explain(&result->detail, (enum reason)outcome->reason, "%s",
			       outcome->detail);
	if (!in_time)
		return explain(&result->detail, REASON_SANDBOX_START_FAILED,
			       "the probe did not end within %d seconds",
			       PROBE_SECONDS);
	for (size_t i = 0; i < N_EXPECTED; i++) {
		const struct probe_check *check = &result->checks[i];

		if (!check->tried)
			return explain(&result->detail, REASON_SANDBOX_START_FAILED,
				       "the probe ended before it had tried `%s`%s%s",
				       check->name, said ? ": " : "",
				       said ? SHOW(said) : "");
		if (!check->ok)
			return explain(&result->detail, expected[i].reason,
				       "inside the sandbox `%s` failed%s%s",
				       check->name, check->detail[0] ? ": " : "",
				       check->detail);
	}
	return explain(&result->detail, REASON_OK,
		       "%zu assertions hold inside the sandbox", result->n_checks);
}
