/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/session-dir.h"

/* A directory on a tmpfs, as /run is. */
static int shared_memory(char ret_path[64])
{
	int fd;

	snprintf(ret_path, 64, "/dev/shm/anet-test-XXXXXX");
	assert_non_null(mkdtemp(ret_path));
	fd = open(ret_path, O_PATH | O_DIRECTORY);
	assert_true(fd >= 0);
	return fd;
}

static void records_are_roots_own(void **state)
{
	char path[64];
	int directory = shared_memory(path), fd;

	(void)state;
	assert_int_equal(session_record_write(directory, "policy", 0444, "text", 4), 0);
	assert_int_equal(session_record_write(directory, "policy", 0444, "text", 4),
			 -EEXIST);
	fd = session_record_open(directory, "policy", 0444);
	if (geteuid() == 0) {
		char bytes[8];

		assert_true(fd >= 0);
		assert_int_equal(read(fd, bytes, sizeof(bytes)), 4);
		close(fd);
		assert_int_equal(session_record_open(directory, "policy", 0400),
				 -EPERM);
		assert_int_equal(linkat(directory, "policy", directory, "second", 0),
				 0);
		assert_int_equal(session_record_open(directory, "policy", 0444),
				 -EPERM);
		assert_int_equal(unlinkat(directory, "second", 0), 0);
		assert_int_equal(fchownat(directory, "policy", 12345, 0, 0), 0);
	}
	assert_int_equal(session_record_open(directory, "policy", 0444), -EPERM);
	assert_int_equal(session_record_open(directory, "nothing", 0444), -ENOENT);
	assert_int_equal(symlinkat("policy", directory, "link"), 0);
	assert_int_equal(session_record_open(directory, "link", 0444), -EPERM);
	assert_int_equal(mkfifoat(directory, "fifo", 0444), 0);
	assert_int_equal(session_record_open(directory, "fifo", 0444), -EPERM);
	assert_int_equal(mkdirat(directory, "directory", 0444), 0);
	assert_int_equal(session_record_open(directory, "directory", 0444), -EPERM);
	assert_int_equal(unlinkat(directory, "directory", AT_REMOVEDIR), 0);
	unlinkat(directory, "policy", 0);
	unlinkat(directory, "link", 0);
	unlinkat(directory, "fifo", 0);
	close(directory);
	assert_int_equal(rmdir(path), 0);
}

static void states_are_whole(void **state)
{
	struct session_state in = {
		.magic = SESSION_STATE_MAGIC,
		.version = SESSION_STATE_VERSION,
		.size = sizeof(in),
		.stage = SESSION_RUNNING,
		.requests = 7,
	};
	struct session_state out;
	char path[64], name[LIMIT_SESSION_ID + 1];
	int directory = shared_memory(path), fd;
	struct stat status;

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_int_equal(session_state_read(directory, name, &out), -ENOENT);
	memset(in.detail, 'x', sizeof(in.detail));
	assert_int_equal(session_state_write(directory, name, 0644, &in), 0);
	in.requests = 8;
	assert_int_equal(session_state_write(directory, name, 0644, &in), 0);
	assert_int_equal(session_state_read(directory, name, &out), 0);
	assert_int_equal(out.requests, 8);
	assert_int_equal(strlen(out.detail), sizeof(out.detail) - 1);
	assert_int_equal(fstatat(directory, name, &status, 0), 0);
	assert_int_equal(status.st_mode & 07777, 0644);
	/* Each field of the header, and the size. */
	for (size_t i = 0; i < 8; i++) {
		((uint8_t *)&in)[i] ^= 1;
		assert_int_equal(session_state_write(directory, name, 0644, &in), 0);
		assert_int_equal(session_state_read(directory, name, &out), -EBADMSG);
		((uint8_t *)&in)[i] ^= 1;
	}
	fd = openat(directory, name, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, &in, sizeof(in) - 1), (ssize_t)sizeof(in) - 1);
	close(fd);
	assert_int_equal(session_state_read(directory, name, &out), -EBADMSG);
	assert_int_equal(unlinkat(directory, name, 0), 0);
	close(directory);
	/* Nothing temporary stays. */
	assert_int_equal(rmdir(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_roots_own),
		cmocka_unit_test(states_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
