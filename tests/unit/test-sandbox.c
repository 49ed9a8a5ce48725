/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sandbox_enter() on the running kernel.  Each check runs in a child that enters
 * and then tries; its exit status says whether what it tried went as wanted, and
 * the same attempts are made without the sandbox first, so that a check can fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/sandbox.h"
#include "session/run-seccomp.h"

/* Exit status of a child that could not enter. */
#define NOT_ENTERED 99

static char directory[] = "/tmp/anet-sandbox-XXXXXX";
static int directory_fd;

/* A filter that allows what the attempts below need, and refuses keyctl(). */
static struct sandbox sandbox = {
	.filter = run_seccomp,
	.filter_length = sizeof(run_seccomp) / sizeof(run_seccomp[0]),
	.max_fds = 20,
};

/* The wait status of a child that enters, or not, and tries. */
static int attempt(const struct sandbox *enter, int (*try)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		if (enter && sandbox_enter(enter) < 0)
			_exit(NOT_ENTERED);
		_exit(try());
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static int exit_status(const struct sandbox *enter, int (*try)(void))
{
	int status = attempt(enter, try);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int try_keyring(void)
{
	/* KEYCTL_GET_KEYRING_ID of the process keyring, which is made. */
	return syscall(SYS_keyctl, 0, -2, 1) < 0 ? errno : 0;
}

static int try_write(void)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	if (fd < 0)
		return 1;
	return write(fd, "0123456789", 10) == 10 ? 0 : 2;
}

static int try_open_many(void)
{
	int n = 0;

	while (n < 100 && dup(0) >= 0)
		n++;
	return n;
}

static int try_read_passwd(void)
{
	return open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 ? errno : 0;
}

static int try_read_inside(void)
{
	return openat(directory_fd, "sub/file", O_RDONLY | O_CLOEXEC) < 0 ? errno : 0;
}

static int try_list_inside(void)
{
	return openat(directory_fd, "sub", O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0
		       ? errno
		       : 0;
}

static int try_write_inside(void)
{
	return openat(directory_fd, "sub/file", O_WRONLY | O_CLOEXEC) < 0 ? errno : 0;
}

static int check_state(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { 0 };
	struct rlimit limit;

	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return 1;
	if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
		return 2;
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != SECCOMP_MODE_FILTER)
		return 3;
	if (syscall(SYS_capget, &header, sets) < 0)
		return 4;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		if (sets[i].effective | sets[i].permitted | sets[i].inheritable)
			return 5;
	/* Root can empty the bounding set; who cannot has nothing to regain. */
	if (geteuid() == 0 && prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) != 0)
		return 6;
	if (getrlimit(RLIMIT_NPROC, &limit) < 0 || limit.rlim_max != 0)
		return 7;
	if (getrlimit(RLIMIT_CORE, &limit) < 0 || limit.rlim_max != 1)
		return 8;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max != 20)
		return 9;
	return 0;
}

static void test_state(void **state)
{
	(void)state;
	assert_int_not_equal(exit_status(NULL, check_state), 0);
	assert_int_equal(exit_status(&sandbox, check_state), 0);
}

static void test_filter(void **state)
{
	struct sandbox none = sandbox;

	(void)state;
	assert_int_not_equal(exit_status(NULL, try_keyring), EPERM);
	assert_int_equal(exit_status(&sandbox, try_keyring), EPERM);
	none.filter_length = 0;
	assert_int_equal(exit_status(&none, try_keyring), NOT_ENTERED);
	none.filter_length = BPF_MAXINSNS + 1;
	assert_int_equal(exit_status(&none, try_keyring), NOT_ENTERED);
}

static void test_file_size(void **state)
{
	struct sandbox larger = sandbox;

	(void)state;
	assert_int_equal(exit_status(NULL, try_write), 0);
	assert_int_equal(exit_status(&sandbox, try_write), -SIGXFSZ);
	larger.max_file_bytes = 10;
	assert_int_equal(exit_status(&larger, try_write), 0);
}

static void test_descriptors(void **state)
{
	(void)state;
	assert_int_equal(exit_status(NULL, try_open_many), 100);
	assert_in_range(exit_status(&sandbox, try_open_many), 1, 17);
}

static void test_lower_hard_limit(void **state)
{
	struct sandbox many = sandbox;
	struct rlimit limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_max > UINT32_MAX - 1)
		return; /* no number of descriptors is larger */
	many.max_fds = (unsigned int)limit.rlim_max + 1;
	assert_int_equal(exit_status(&many, try_keyring), EPERM);
}

static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0,
		       LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

static void test_files(void **state)
{
	struct sandbox reading = sandbox, listing = sandbox;
	int expected = has_landlock() ? EACCES : 0;

	(void)state;
	assert_int_equal(exit_status(NULL, try_read_passwd), 0);
	assert_int_equal(exit_status(NULL, try_read_inside), 0);
	assert_int_equal(exit_status(NULL, try_write_inside), 0);
	assert_int_equal(exit_status(NULL, try_list_inside), 0);
	/* Nothing may be opened. */
	assert_int_equal(exit_status(&sandbox, try_read_passwd), expected);
	assert_int_equal(exit_status(&sandbox, try_list_inside), expected);
	/* Read below two directories, one of which does not exist. */
	reading.read_only_directories[0] = "/nonexistent/anet";
	reading.read_only_directories[1] = directory;
	assert_int_equal(exit_status(&reading, try_read_passwd), expected);
	assert_int_equal(exit_status(&reading, try_read_inside), 0);
	assert_int_equal(exit_status(&reading, try_list_inside), 0);
	assert_int_equal(exit_status(&reading, try_write_inside), expected);
	/* List below a descriptor. */
	listing.list_directories[0] = directory_fd;
	listing.n_list_directories = 1;
	assert_int_equal(exit_status(&listing, try_list_inside), 0);
	assert_int_equal(exit_status(&listing, try_read_inside), expected);
}

static int make_directory(void **state)
{
	int fd;

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	directory_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (mkdirat(directory_fd, "sub", 0755) < 0)
		return -1;
	fd = openat(directory_fd, "sub/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	return fd < 0 ? -1 : close(fd);
}

static int remove_directory(void **state)
{
	(void)state;
	(void)unlinkat(directory_fd, "sub/file", 0);
	(void)unlinkat(directory_fd, "sub", AT_REMOVEDIR);
	close(directory_fd);
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_file_size),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_lower_hard_limit),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
