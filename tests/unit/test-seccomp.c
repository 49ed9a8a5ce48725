/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lists of system calls, src/X/X.seccomp: what they mean is what
 * tests/golden/seccomp/X.x86_64.txt says, and the programs made of them do what
 * the tables X.sim say.  Every list of the tree is tested; a new one needs both
 * files.
 *
 *   test-seccomp --update     writes the .txt files anew; look at the difference
 *
 * A line of a table:
 *
 *   [ARCH:]CALL [ARGUMENT…] -> ACTION  # comment
 *
 * ARCH is x86_64 (the default), i386, x32 or aarch64; CALL a name of the
 * machine's own architecture or a number; ARGUMENT as in the lists; ACTION
 * allow, kill or an errno.  The table helpers.sim is for each list whose default
 * is kill.
 */
#include <errno.h>
#include <glob.h>
#include <linux/audit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bpf-simulator.h"
#include "build/constants.h"
#include "build/filter-build.h"
#include "build/filter-list.h"
#include "os/cleanup.h"

#define X32_BIT 0x40000000
#define GOLDEN "/tests/golden/seccomp/"

static bool update;
static glob_t lists;

/* What is tested at the moment. */
static struct filter_list list;
static struct sock_filter *code;
static size_t code_length;
static char name[64];

static const char *source_directory(void)
{
	const char *directory = getenv("srcdir");

	return directory ? directory : ".";
}

static void golden_path(const char *base, const char *suffix, char *ret_path,
			size_t size)
{
	snprintf(ret_path, size, "%s" GOLDEN "%s%s", source_directory(), base, suffix);
}

static void use_list(const char *path)
{
	const char *base = strrchr(path, '/') + 1;

	filter_list_free(&list);
	free(code);
	code = NULL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(base, "."), base);
	assert_true(filter_list_read(path, &list));
	assert_int_equal(filter_build(&list, &code, &code_length), 0);
}

#ifdef __x86_64__
static char *read_file(const char *path)
{
	auto_file FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (file && getdelim(&text, &size, 0, file) < 0)
		text[0] = 0;
	return text;
}

static void compare_golden(void)
{
	auto_free char *text = NULL, *golden = NULL;
	char path[512];
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	golden_path(name, ".x86_64.txt", path, sizeof(path));
	filter_list_print(&list, memory);
	fclose(memory);
	if (update) {
		auto_file FILE *file = fopen(path, "we");

		assert_non_null(file);
		fputs(text, file);
		return;
	}
	golden = read_file(path);
	if (!golden || strcmp(golden, text) != 0)
		fail_msg("%s is not what the list means: look at it, then run "
			 "`srcdir=%s tests/unit/test-seccomp --update`",
			 path, source_directory());
}

static void test_golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < lists.gl_pathc; i++) {
		use_list(lists.gl_pathv[i]);
		compare_golden();
	}
}
#endif

static uint32_t parse_action(const char *word)
{
	int error = 0;

	if (strcmp(word, "allow") == 0)
		return SECCOMP_RET_ALLOW;
	if (strcmp(word, "kill") == 0)
		return SECCOMP_RET_KILL_PROCESS;
	if (strcmp(word, "notify") == 0)
		return SECCOMP_RET_USER_NOTIF;
	if (!errno_value(word, &error))
		fail_msg("not an action: %s", word);
	return SECCOMP_RET_ERRNO | (uint32_t)error;
}

/* Takes "ARCH:" off `word`; false for a row about another machine. */
static bool parse_arch(char **word, struct seccomp_data *call, int *ret_bit)
{
	char *colon = strchr(*word, ':');
	const char *arch = colon ? *word : "native";

	if (colon) {
		*colon = 0;
		*word = colon + 1;
	}
	*ret_bit = 0;
#ifdef __x86_64__
	call->arch = AUDIT_ARCH_X86_64;
	if (strcmp(arch, "x32") == 0)
		*ret_bit = X32_BIT;
#else
	call->arch = AUDIT_ARCH_AARCH64;
	if (strcmp(arch, "x32") == 0)
		return false;
#endif
	if (strcmp(arch, "i386") == 0)
		call->arch = AUDIT_ARCH_I386;
	else if (strcmp(arch, "aarch64") == 0)
		call->arch = AUDIT_ARCH_AARCH64;
	return true;
}

static bool parse_call(char *word, struct seccomp_data *call)
{
	int bit, number = 0;

	if (!parse_arch(&word, call, &bit))
		return false;
	if (word[0] >= '0' && word[0] <= '9')
		number = (int)strtoul(word, NULL, 0);
	else if (!syscall_number(word, &number))
		fail_msg("not a system call: %s", word);
	call->nr = number | bit;
	return number >= 0; /* negative: not on this architecture */
}

/* The call of a row; false for one about another architecture. */
static bool parse_row(const char *place, char *text, struct seccomp_data *ret_call)
{
	struct seccomp_data call = { 0 };
	bool applies = true;
	char *word;
	size_t n = 0;

	while ((word = strsep(&text, " \t"))) {
		const char *unknown = NULL;
		uint64_t value = 0;

		if (!*word)
			continue;
		if (n == 0) {
			applies = parse_call(word, &call);
		} else {
			if (n > FILTER_ARGUMENTS ||
			    !constant_expression(word, &value, &unknown))
				fail_msg("%s: not an argument: %s", place, unknown);
			call.args[n - 1] = value;
		}
		n++;
	}
	*ret_call = call;
	return applies && n > 0;
}

static void check_row(const char *place, char *text)
{
	struct seccomp_data call;
	uint32_t want, got;
	char *action;

	text[strcspn(text, "#\n")] = 0;
	if (!text[strspn(text, " \t")])
		return;
	action = strstr(text, "->");
	if (!action)
		fail_msg("%s: no ->", place);
	*action = 0;
	action += 2;
	action += strspn(action, " \t");
	action[strcspn(action, " \t")] = 0;
	want = parse_action(action);
	if (!parse_row(place, text, &call))
		return;
	got = bpf_simulate(code, code_length, &call);
	if (got != want)
		fail_msg("%s: %s answers 0x%x, not 0x%x", place, name, got, want);
}

static void check_table(const char *table)
{
	auto_free char *text = NULL;
	unsigned int line = 0;
	char path[512], place[600];
	size_t size = 0;
	auto_file FILE *file = NULL;

	golden_path(table, ".sim", path, sizeof(path));
	file = fopen(path, "re");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	while (getline(&text, &size, file) >= 0) {
		snprintf(place, sizeof(place), "%s:%u", path, ++line);
		check_row(place, text);
	}
	assert_true(line > 0);
}

static void test_behaviour(void **state)
{
	(void)state;
	for (size_t i = 0; i < lists.gl_pathc; i++) {
		use_list(lists.gl_pathv[i]);
		check_table(name);
		if (list.default_action == FILTER_KILL)
			check_table("helpers");
	}
}

/* Whatever a list says, no other ABI gets through, by any number. */
static void test_other_abis(void **state)
{
	static const uint32_t others[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM,
					   AUDIT_ARCH_MIPS, 0 };

	(void)state;
	for (size_t i = 0; i < lists.gl_pathc; i++) {
		use_list(lists.gl_pathv[i]);
		for (int number = -1; number < 1024; number++) {
			struct seccomp_data call = { .nr = number };

			for (size_t n = 0; n < sizeof(others) / sizeof(others[0]);
			     n++) {
				call.arch = others[n];
				assert_int_equal(bpf_simulate(code, code_length, &call),
						 SECCOMP_RET_KILL_PROCESS);
			}
#ifdef __x86_64__
			if (number < 0)
				continue; /* a call that was cancelled: the kernel does
					     nothing */
			call.arch = AUDIT_ARCH_X86_64;
			call.nr = X32_BIT | number;
			assert_int_equal(bpf_simulate(code, code_length, &call),
					 SECCOMP_RET_KILL_PROCESS);
#endif
		}
	}
}

/*
 * Calls that can do much more than a helper needs: allowed under a condition on
 * the arguments, or with the words "no condition" and why in the reason.
 */
static void test_lint(void **state)
{
	static const char *const dangerous[] = {
		"accept", "accept4",	"bind",	  "clone",     "connect",
		"creat",  "fchmod",	"fcntl",  "ftruncate", "ioctl",
		"kill",	  "listen",	"mmap",	  "mprotect",  "open",
		"openat", "pidfd_open", "prctl",  "process_vm_readv",
		"rename", "setsockopt",
		"socket", "socketpair", "tgkill", "unlink",
	};
	static const char *const never[] = {
		"bpf",
		"chroot",
		"clone3",
		"execve",
		"execveat",
		"fork",
		"keyctl",
		"mount",
		"openat2",
		"ptrace",
		"setns",
		"unshare",
		"vfork",
		"umount2",
		"io_uring_setup",
		"pkey_mprotect",
		"process_vm_writev",
	};

	(void)state;
	for (size_t i = 0; i < lists.gl_pathc; i++) {
		use_list(lists.gl_pathv[i]);
		for (size_t n = 0;
		     list.default_action == FILTER_KILL && n < list.n_rules; n++) {
			const struct filter_rule *rule = &list.rules[n];
			bool explained = strstr(rule->reason, "no condition");

			if (rule->action != FILTER_ALLOW)
				continue;
			for (size_t d = 0; d < sizeof(never) / sizeof(never[0]); d++)
				if (strcmp(rule->name, never[d]) == 0)
					fail_msg("%s: no helper needs %s", name,
						 rule->name);
			for (size_t d = 0; d < sizeof(dangerous) / sizeof(dangerous[0]);
			     d++)
				if (!rule->n_conditions && !explained &&
				    strcmp(rule->name, dangerous[d]) == 0)
					fail_msg("%s: %s needs a condition, or \"no "
						 "condition\" "
						 "and why",
						 name, rule->name);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(test_golden),
#endif
		cmocka_unit_test(test_behaviour),
		cmocka_unit_test(test_other_abis),
		cmocka_unit_test(test_lint),
	};
	char pattern[512];
	int failed;

	update = argc == 2 && strcmp(argv[1], "--update") == 0;
	snprintf(pattern, sizeof(pattern), "%s/src/*/*.seccomp", source_directory());
	if (glob(pattern, 0, NULL, &lists) != 0) {
		fprintf(stderr, "%s: no list found\n", pattern);
		return 1;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	globfree(&lists);
	filter_list_free(&list);
	free(code);
	return failed;
}
