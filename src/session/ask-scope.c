/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/process.h"

/* anet-scope itself gives up before. */
#define MORE_MS 1000

__attribute__((noreturn)) static void exec_scope(int program, const struct systemd_scope *scope,
						 int output)
{
	char name[] = "anet-scope", pid[16], memory[24], tasks[24];

	snprintf(pid, sizeof(pid), "%d", scope->pid);
	snprintf(memory, sizeof(memory), "%" PRIu64, scope->memory_bytes);
	snprintf(tasks, sizeof(tasks), "%" PRIu64, scope->tasks);
	char *argv[] = { name, (char *)scope->unit, pid, memory,
			 tasks, (char *)scope->description, (char *)scope->bound_to, NULL };

	(void)setsid();
	process_reset_signals();
	if (dup2(output, STDOUT_FILENO) >= 0)
		(void)execveat(program, "", argv, environ, AT_EMPTY_PATH);
	_exit(errno);
}

int ask_scope(int program, const struct systemd_scope *scope, char *ret_missing,
	      size_t missing_size)
{
	struct pollfd polled = { .events = POLLIN };
	auto_fd int output = -1, input = -1;
	int ends[2], status = 0;
	ssize_t got = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	output = ends[1];
	polled.fd = input = ends[0];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		exec_scope(program, scope, output);
	close_fd(&output);
	if (poll(&polled, 1, systemd_scope_timeout_ms(scope) + MORE_MS) > 0)
		got = read(input, ret_missing, missing_size - 1);
	else
		(void)kill(pid, SIGKILL);
	ret_missing[got > 0 ? got : 0] = 0;
	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (!ret_missing[0])
		snprintf(ret_missing, missing_size, "anet-scope ended by %s %d",
			 WIFEXITED(status) ? "status" : "signal",
			 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}
