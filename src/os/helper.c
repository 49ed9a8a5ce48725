/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <unistd.h>

#include "core/handover.h"
#include "os/process.h"

__attribute__((noreturn)) static void exec_helper(int program, const char *name,
						  int socket, int null, uid_t uid)
{
	char announced[] = "LISTEN_FDS=1", program_name[16], pid[24];
	char *argv[] = {program_name, NULL};
	char *env[] = {announced, pid, NULL};
	int copy;

	if (uid != (uid_t)-1 &&
	    (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
	     setresuid(uid, uid, uid) < 0))
		_exit(71);
	/* Ctrl-C on the caller's terminal is for the run. */
	(void)setsid();
	process_reset_signals();
	snprintf(pid, sizeof(pid), "LISTEN_PID=%d", getpid());
	snprintf(program_name, sizeof(program_name), "%s", name);
	/* The program's descriptor first goes out of the way of number 3. */
	copy = fcntl(program, F_DUPFD_CLOEXEC, HANDOVER_FD + 1);
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(null, fd) < 0)
			_exit(71);
	if (socket == HANDOVER_FD)
		(void)fcntl(socket, F_SETFD, 0);
	else if (dup2(socket, HANDOVER_FD) < 0)
		_exit(71);
	(void)execveat(copy, "", argv, env, AT_EMPTY_PATH);
	_exit(71);
}

pid_t helper_spawn(int program, const char *name, int socket, int null, uid_t uid)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		exec_helper(program, name, socket, null, uid);
	return pid;
}
