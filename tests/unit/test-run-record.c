/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/limits.h"
#include "core/policy.h"
#include "os/handover.h"
#include "os/run-record.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static char *argv[] = {"sh", "-c", "echo \xff\n", "", NULL};
static char *env[] = {"A=1", "B=", NULL};
static struct run_mount mounts[] = {
	{"/a b", "/a b", RUN_MOUNT_WRITABLE},
	{"/opt/\n", "/opt/\n", RUN_MOUNT_PROGRAM},
};

static struct run_file files[] = {
	{".tool/a.json", "{\"x\": \"\xff\"}\n"},
	{"b", ""},
};

static struct run_record record(void)
{
	static char workspace[] = "/work\\space";

	return (struct run_record){
		.workspace = workspace,
		.workspace_flags = RUN_MOUNT_ASSIGNED,
		.argv = argv,
		.env = env,
		.mounts = mounts,
		.n_mounts = 2,
		.files = files,
		.n_files = 2,
	};
}

static void it_comes_back_as_it_was(void **state)
{
	struct run_record in = record(), out;
	int fd = -1;

	(void)state;
	assert_int_equal(run_record_write(&in, &fd), 0);
	assert_int_equal(fcntl(fd, F_GET_SEALS), SEALS);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(run_record_read(fd, true, &out), 0);
	assert_int_equal(out.workspace_flags, RUN_MOUNT_ASSIGNED);
	assert_string_equal(out.workspace, in.workspace);
	for (size_t i = 0; argv[i]; i++)
		assert_string_equal(out.argv[i], argv[i]);
	assert_null(out.argv[4]);
	assert_string_equal(out.env[1], "B=");
	assert_null(out.env[2]);
	assert_int_equal(out.n_mounts, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(out.mounts[i].source, mounts[i].source);
		assert_string_equal(out.mounts[i].target, mounts[i].target);
		assert_int_equal(out.mounts[i].flags, mounts[i].flags);
	}
	assert_int_equal(out.n_files, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(out.files[i].path, files[i].path);
		assert_string_equal(out.files[i].text, files[i].text);
	}
	run_record_free(&out);
	assert_null(out.workspace);
	close(fd);
}

/* A memfd with these bytes, sealed or not. */
static int memfd(const uint8_t *bytes, size_t size, int seals)
{
	int fd = memfd_create("test", MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static size_t bytes_of_a_record(uint8_t *ret_bytes, size_t size)
{
	struct run_record in = record();
	ssize_t length;
	int fd = -1;

	assert_int_equal(run_record_write(&in, &fd), 0);
	length = pread(fd, ret_bytes, size, 0);
	assert_true(length > 0 && (size_t)length < size);
	close(fd);
	return (size_t)length;
}

static int read_bytes(const uint8_t *bytes, size_t size, int seals)
{
	struct run_record out = {0};
	int fd = memfd(bytes, size, seals);
	int r = run_record_read(fd, true, &out);

	if (r == 0)
		run_record_free(&out);
	close(fd);
	return r;
}

static void only_a_sealed_and_whole_record_is_read(void **state)
{
	uint8_t bytes[4096];
	size_t size = bytes_of_a_record(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(read_bytes(bytes, size, SEALS), 0);
	assert_int_equal(read_bytes(bytes, size, 0), -EBADMSG);
	assert_int_equal(read_bytes(bytes, size, SEALS & ~F_SEAL_WRITE), -EBADMSG);
	for (size_t length = 0; length < size; length++)
		assert_int_equal(read_bytes(bytes, length, SEALS), -EBADMSG);
	bytes[size] = 0;
	assert_int_equal(read_bytes(bytes, size + 1, SEALS), -EBADMSG);
}

static void no_change_is_misread(void **state)
{
	uint8_t bytes[4096];
	size_t size = bytes_of_a_record(bytes, sizeof(bytes));

	(void)state;
	/* Whatever a byte becomes: it is refused, or read within its bounds (that
	 * is what sanitizers and valgrind look at). */
	for (size_t i = 0; i < size; i++) {
		static const uint8_t values[] = {0, 1, '/', 0x7f, 0xff};
		uint8_t was = bytes[i];

		for (size_t j = 0; j < sizeof(values); j++) {
			int r;

			bytes[i] = values[j];
			r = read_bytes(bytes, size, SEALS);
			assert_true(r == 0 || r == -EBADMSG);
			/* Header and flags. */
			if (i < 28 && values[j] != was)
				assert_int_equal(r, -EBADMSG);
		}
		bytes[i] = was;
	}
}

static void paths_must_be_absolute(void **state)
{
	static char relative[] = "a", empty[] = "";
	char *bad[] = {NULL, relative, empty};
	struct run_record in;
	int fd = -1;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct run_mount mount = {bad[i], "/x", 0};

		in = record();
		in.workspace = bad[i];
		assert_int_equal(run_record_write(&in, &fd), -EINVAL);
		in = record();
		in.mounts = &mount;
		in.n_mounts = 1;
		assert_int_equal(run_record_write(&in, &fd), -EINVAL);
	}
}

static void files_are_below_the_home(void **state)
{
	static char bad[][8] = {"", "/x", "../x", "a/../b", "a//b", "a/", "a\nb"};
	struct run_file file;
	struct run_record in;
	int fd = -1;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		file = (struct run_file){bad[i], "x"};
		in = record();
		in.files = &file;
		in.n_files = 1;
		assert_int_equal(run_record_write(&in, &fd), -EINVAL);
	}
}

static void files_have_a_bound(void **state)
{
	static char text[LIMIT_HOME_FILE_BYTES];
	struct run_file many[LIMIT_HOME_FILES + 1];
	struct run_record in = record(), out;
	int fd = -1;

	(void)state;
	for (size_t i = 0; i <= LIMIT_HOME_FILES; i++)
		many[i] = (struct run_file){"a", ""};
	in.files = many;
	in.n_files = LIMIT_HOME_FILES + 1;
	assert_int_equal(run_record_write(&in, &fd), -E2BIG);
	in.n_files = LIMIT_HOME_FILES;
	assert_int_equal(run_record_write(&in, &fd), 0);
	close(fd);
	/* The path, two NULs, and the text. */
	memset(text, 'x', sizeof(text) - 1);
	many[0].text = text + 2;
	in.n_files = 1;
	assert_int_equal(run_record_write(&in, &fd), 0);
	assert_int_equal(run_record_read(fd, true, &out), 0);
	assert_int_equal(strlen(out.files[0].text), sizeof(text) - 3);
	run_record_free(&out);
	close(fd);
	many[0].text = text + 1;
	assert_int_equal(run_record_write(&in, &fd), -E2BIG);
}

static void long_paths(void **state)
{
	char path[PATH_MAX + 1];
	struct run_record in = record();
	int fd = -1;

	(void)state;
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	in.workspace = path;
	path[PATH_MAX - 1] = 0;
	assert_int_equal(run_record_write(&in, &fd), 0);
	close(fd);
	path[PATH_MAX - 1] = 'x';
	path[PATH_MAX] = 0;
	assert_int_equal(run_record_write(&in, &fd), -EINVAL);
}

static void arguments_have_a_bound(void **state)
{
	static const struct {
		size_t bytes; /* of argv with its NUL */
		int want;
	} rows[] = {{LIMIT_ARG_BYTES - 1, 0},
		    {LIMIT_ARG_BYTES, 0},
		    {LIMIT_ARG_BYTES + 1, -E2BIG}};
	char *text = calloc(1, LIMIT_ARG_BYTES + 1);
	char *words[] = {text, NULL}, *nothing[] = {NULL};
	struct run_record in = record(), out;
	int fd = -1;

	(void)state;
	assert_non_null(text);
	in.argv = words;
	in.env = nothing;
	for (size_t i = 0; i < 3; i++) {
		memset(text, 'x', rows[i].bytes - 1);
		assert_int_equal(run_record_write(&in, &fd), rows[i].want);
		if (rows[i].want < 0)
			continue;
		assert_int_equal(run_record_read(fd, true, &out), 0);
		run_record_free(&out);
		close(fd);
	}
	free(text);
	in = record();
	in.argv = nothing;
	assert_int_equal(run_record_write(&in, &fd), -EINVAL);
}

static void mounts_have_a_bound(void **state)
{
	struct run_mount *many = calloc(LIMIT_MOUNTS + 1, sizeof(*many));
	struct run_record in = record(), out;
	int fd = -1;

	(void)state;
	assert_non_null(many);
	for (size_t i = 0; i <= LIMIT_MOUNTS; i++)
		many[i] = (struct run_mount){"/x", "/x", 0};
	in.mounts = many;
	in.n_mounts = LIMIT_MOUNTS + 1;
	assert_int_equal(run_record_write(&in, &fd), -E2BIG);
	in.n_mounts = LIMIT_MOUNTS;
	assert_int_equal(run_record_write(&in, &fd), 0);
	assert_int_equal(run_record_read(fd, true, &out), 0);
	assert_int_equal(out.n_mounts, LIMIT_MOUNTS);
	run_record_free(&out);
	close(fd);
	free(many);
}

static void a_policy_is_sealed(void **state)
{
	const struct policy in = {
		.magic = POLICY_MAGIC,
		.version = POLICY_VERSION,
		.size = sizeof(struct policy),
		.strategy = STRATEGY_SRT,
		.agent = "dev",
	};
	struct policy out;
	int fd = -1;

	(void)state;
	assert_int_equal(policy_write(&in, &fd), 0);
	assert_int_equal(fcntl(fd, F_GET_SEALS), SEALS);
	assert_int_equal(policy_read(fd, &out), 0);
	assert_memory_equal(&in, &out, sizeof(in));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_comes_back_as_it_was),
		cmocka_unit_test(only_a_sealed_and_whole_record_is_read),
		cmocka_unit_test(no_change_is_misread),
		cmocka_unit_test(paths_must_be_absolute),
		cmocka_unit_test(files_are_below_the_home),
		cmocka_unit_test(files_have_a_bound),
		cmocka_unit_test(long_paths),
		cmocka_unit_test(arguments_have_a_bound),
		cmocka_unit_test(mounts_have_a_bound),
		cmocka_unit_test(a_policy_is_sealed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
