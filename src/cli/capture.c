/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/clock.h"
#include "os/process.h"

/* A pipe with both ends as auto_fd can hold them; 0 or -errno. */
static int make_pipe(int *ret_from, int *ret_to)
{
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	*ret_from = pipes[0];
	*ret_to = pipes[1];
	return 0;
}

/* Takes what is there; what does not fit is only counted.  False at the end. */
static bool take(int fd, char *text, size_t size, size_t *length)
{
	char bytes[4096];
	ssize_t got = read(fd, bytes, sizeof(bytes));

	if (got < 0 && errno == EINTR)
		return true;
	if (got <= 0)
		return false;
	for (ssize_t i = 0; i < got; i++, (*length)++)
		if (*length < size - 1)
			text[*length] = bytes[i];
	/* It may be a key: credential-seal.c. */
	explicit_bzero(bytes, sizeof(bytes));
	return true;
}

/* Reads both to their ends; false when that takes too long. */
static bool read_both(int out, int err, struct capture *result)
{
	struct pollfd polled[2] = {{.fd = out, .events = POLLIN},
				   {.fd = err, .events = POLLIN}};
	uint64_t end = monotonic_ms() + CAPTURE_SECONDS * 1000, now;
	size_t err_length = 0;

	while (polled[0].fd >= 0 || polled[1].fd >= 0) {
		int n = (now = monotonic_ms()) < end
				? poll(polled, 2, (int)(end - now))
				: 0;

		if (n == 0)
			return false;
		if (n < 0)
			continue; /* EINTR */
		if (polled[0].revents &&
		    !take(out, result->out, sizeof(result->out), &result->out_length))
			polled[0].fd = -1;
		if (polled[1].revents &&
		    !take(err, result->err, sizeof(result->err), &err_length))
			polled[1].fd = -1;
	}
	return true;
}

static void become(char *const argv[], int in, int out, int err)
{
	char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", locale[] = "LC_ALL=C";
	char *environment[] = {path, locale, NULL};

	process_reset_signals();
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(71);
	execve(argv[0], argv, environment);
	_exit(127);
}

int capture(char *const argv[], const void *input, size_t length,
	    struct capture *ret_capture)
{
	auto_fd int in = -1, in_end = -1, out = -1, out_end = -1, err = -1,
		    err_end = -1;
	int r = make_pipe(&in, &in_end), status = 0;
	pid_t child;

	*ret_capture = (struct capture){0};
	if (r == 0)
		r = make_pipe(&out, &out_end);
	if (r == 0)
		r = make_pipe(&err, &err_end);
	if (r < 0)
		return r;
	/* A pipe takes this much without a reader (pipe(7)): one that does not read
	 * can neither hold us up nor end us by SIGPIPE. */
	if (fcntl(in_end, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	if (length > CAPTURE_INPUT || write(in_end, input, length) != (ssize_t)length)
		return -EMSGSIZE;
	close_fd(&in_end);
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0)
		become(argv, in, out_end, err_end);
	close_fd(&in);
	close_fd(&out_end);
	close_fd(&err_end);
	if (!read_both(out, err, ret_capture))
		(void)kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
