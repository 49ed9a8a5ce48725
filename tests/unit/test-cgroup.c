/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/cgroup.h"
#include "os/cleanup.h"
#include "os/scope.h"

static int file_with(const char *text, size_t length)
{
	int fd = memfd_create("events", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), length);
	return fd;
}

static void test_limits(void **state)
{
	static const struct {
		const char *name, *text;
		int want;
		uint64_t limit;
	} rows[] = {
		{"a number", "2147483648\n", 0, 2147483648},
		{"zero", "0\n", 0, 0},
		{"max", "max\n", 0, CGROUP_MAX},
		{"largest", "18446744073709551615\n", 0, UINT64_MAX},
		{"too large", "18446744073709551616\n", -EBADMSG, 0},
		{"negative", "-1\n", -EBADMSG, 0},
		{"a sign", "+1\n", -EBADMSG, 0},
		{"a blank", " 1\n", -EBADMSG, 0},
		{"two numbers", "1 2\n", -EBADMSG, 0},
		{"another word", "maximum\n", -EBADMSG, 0},
		{"nothing", "", -EBADMSG, 0},
		{"longer than any number",
		 "1111111111222222222233333333334444444444555555555566666666667777\n",
		 -EFBIG, 0},
	};
	char directory[] = "/tmp/anet-cgroup-XXXXXX";
	auto_fd int dir = -1;

	(void)state;
	assert_non_null(mkdtemp(directory));
	dir = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t length = strlen(rows[i].text);
		uint64_t limit = 7;
		int fd = openat(dir, "memory.max", O_WRONLY | O_CREAT | O_TRUNC, 0600);

		assert_true(fd >= 0);
		assert_int_equal(write(fd, rows[i].text, length), length);
		close(fd);
		print_message("%s\n", rows[i].name);
		assert_int_equal(cgroup_read_limit(dir, "memory.max", &limit),
				 rows[i].want);
		assert_true(limit == (rows[i].want == 0 ? rows[i].limit : 7));
	}
	assert_int_equal(unlinkat(dir, "memory.max", 0), 0);
	assert_int_equal(cgroup_read_limit(dir, "memory.max", &(uint64_t){0}), -ENOENT);
	assert_int_equal(rmdir(directory), 0);
}

static void test_events(void **state)
{
	static const char text[] = "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\n"
				   "oom_group_kill 0\nbad x\nlast 9";
	static const struct {
		const char *key;
		int want;
		uint64_t value;
	} rows[] = {
		{"low", 0, 0},		 {"max", 0, 12},       {"oom", 0, 3},
		{"oom_kill", 0, 2},	 {"last", 0, 9},       {"bad", -EBADMSG, 0},
		{"oom_kil", -ENOENT, 0}, {"kill", -ENOENT, 0}, {"", -ENOENT, 0},
	};
	auto_fd int fd = file_with(text, sizeof(text) - 1);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value = 77;

		print_message("%s\n", rows[i].key);
		assert_int_equal(cgroup_read_event(fd, rows[i].key, &value),
				 rows[i].want);
		assert_true(value == (rows[i].want == 0 ? rows[i].value : 77));
	}
	assert_int_equal(cgroup_read_event(-1, "low", &(uint64_t){0}), -EBADF);
}

static void test_process(void **state)
{
	char path[CGROUP_PATH_MAX];
	int status, cgroup = -1;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(cgroup_open(pid, &cgroup, path, sizeof(path)), -ESRCH);
	assert_int_equal(cgroup, -1);
}

/* What the counts of two readings mean. */
static void test_limit_hit(void **state)
{
	static const struct {
		const char *name;
		struct scope_counts before, seen;
		enum reason want;
	} rows[] = {
		{"nothing", {0, 0, 0}, {0, 0, 0}, REASON_OK},
		{"killed at its limit", {0, 0, 0}, {1, 1, 0}, REASON_LIMIT_MEMORY},
		{"limit reached, nobody killed", {0, 0, 0}, {1, 0, 0}, REASON_OK},
		{"killed for the machine's sake", {0, 0, 0}, {0, 1, 0}, REASON_OK},
		{"before the run", {1, 1, 1}, {1, 1, 1}, REASON_OK},
		{"a task refused", {0, 0, 0}, {0, 0, 1}, REASON_LIMIT_TASKS},
		{"both", {0, 0, 0}, {1, 1, 1}, REASON_LIMIT_MEMORY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scope scope = SCOPE_NONE;

		scope.before = rows[i].before;
		scope.seen = rows[i].seen;
		print_message("%s\n", rows[i].name);
		assert_int_equal(scope_limit_hit(&scope), rows[i].want);
	}
}

/* Events are read again from the start of the file; a scope that was never
 * started takes every call. */
static void test_poll(void **state)
{
	struct scope scope = SCOPE_NONE;

	(void)state;
	scope_poll_events(&scope);
	scope_kill(&scope);
	assert_int_equal(scope_limit_hit(&scope), REASON_OK);
	scope.memory_events_fd = file_with("oom 1\noom_kill 1\n", 17);
	scope.pids_events_fd = file_with("max 4\n", 6);
	for (int i = 0; i < 2; i++) {
		scope_poll_events(&scope);
		assert_int_equal(scope.seen.oom, 1);
		assert_int_equal(scope.seen.oom_kill, 1);
		assert_int_equal(scope.seen.tasks, 4);
	}
	scope_close(&scope);
	assert_int_equal(scope.memory_events_fd, -1);
	assert_int_equal(scope.pids_events_fd, -1);
	scope_close(&scope);
}

static int asked;

static int ask(int context, const struct systemd_scope *scope, char *ret_missing,
	       size_t missing_size)
{
	(void)context;
	(void)scope;
	(void)ret_missing;
	(void)missing_size;
	asked++;
	return -EIO;
}

/* A name that could leave the scope's own is refused before anybody is asked. */
static void test_names(void **state)
{
	static const char *const bad[] = {"",	 "a b", "a/b",	 "a.scope", "A",
					  "a@b", "a%i", "\\x2d", "\xc3\xa4"};
	const struct scope_manager manager = {ask, -1};
	char long_name[LIMIT_SESSION_ID + 2], missing[256];
	const struct policy_limits limits = {.memory_bytes = 1, .tasks = 1};
	struct scope_request request = {
		.pid = getpid(), .description = "test", .limits = &limits};
	struct scope scope = SCOPE_NONE;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		missing[0] = '\0';
		request.session = bad[i];
		assert_int_equal(scope_start(&manager, &request, &scope, missing,
					     sizeof(missing)),
				 -EINVAL);
		assert_true(missing[0] != '\0');
	}
	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	request.session = long_name;
	assert_int_equal(scope_start(&manager, &request, &scope, missing,
				     sizeof(missing)),
			 -EINVAL);
	assert_int_equal(scope.kill_fd, -1);
	assert_int_equal(asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),	cmocka_unit_test(test_events),
		cmocka_unit_test(test_process), cmocka_unit_test(test_limit_hit),
		cmocka_unit_test(test_poll),	cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
