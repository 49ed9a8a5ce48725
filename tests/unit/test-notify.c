/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/notify.h"

/* Listens at `name`, '@' for an abstract one, and names it in the environment. */
static int listen_at(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0 && strlen(name) < sizeof(address.sun_path));
	memcpy(address.sun_path, name, strlen(name));
	if (name[0] == '@')
		address.sun_path[0] = 0;
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
					  strlen(name))),
			 0);
	assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
	return fd;
}

static void got(int fd, const char *want)
{
	char bytes[2048];
	ssize_t length = recv(fd, bytes, sizeof(bytes), 0);

	assert_int_equal(length, (ssize_t)strlen(want));
	assert_memory_equal(bytes, want, strlen(want));
}

static void a_manager_is_told(void **state)
{
	char name[64], long_text[3000];
	int fd;

	(void)state;
	snprintf(name, sizeof(name), "@anet-test-notify-%d", getpid());
	fd = listen_at(name);
	assert_int_equal(notify_send("READY=1"), 0);
	got(fd, "READY=1");
	assert_int_equal(notify_status("%s is %d", "it", 7), 0);
	got(fd, "STATUS=it is 7");
	/* No second assignment. */
	assert_int_equal(notify_status("%s", "one\nMAINPID=1\x1b"), 0);
	got(fd, "STATUS=one MAINPID=1 ");
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = 0;
	assert_int_equal(notify_status("%s", long_text), 0);
	memcpy(long_text, "STATUS=", 7);
	long_text[1023] = 0;
	got(fd, long_text);
	close(fd);
	assert_int_equal(notify_send("READY=1"), -ECONNREFUSED);
}

static void nobody_is_no_failure_of_anything(void **state)
{
	static const char *const names[] = {"", "relative", "/", "@"};
	char longest[200];

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	assert_int_equal(notify_send("READY=1"), -ENOENT);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		setenv("NOTIFY_SOCKET", names[i], 1);
		assert_int_equal(notify_send("READY=1"), -ENOENT);
	}
	memset(longest, 'a', sizeof(longest) - 1);
	longest[0] = '/';
	longest[sizeof(longest) - 1] = 0;
	setenv("NOTIFY_SOCKET", longest, 1);
	assert_int_equal(notify_send("READY=1"), -ENAMETOOLONG);
	setenv("NOTIFY_SOCKET", "/nonexistent/socket", 1);
	assert_int_equal(notify_send("READY=1"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_manager_is_told),
		cmocka_unit_test(nobody_is_no_failure_of_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
