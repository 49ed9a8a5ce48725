/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * While bwrap builds the sandbox, its child waits for bwrap and would wait for
 * ever where that is killed.  A supervisor without rights cannot end a process
 * that has the uid of the run: this one, which has it too, does.
 */
#include "session/session.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

__attribute__((noreturn)) static void guard(int go)
{
	char begun;

	/* Nothing of the run's stays open because of this process. */
	if (dup2(go, STDIN_FILENO) < 0 || close_range(1, ~0u, 0) < 0)
		_exit(1);
	if (read(STDIN_FILENO, &begun, 1) == 1)
		_exit(0);
	(void)kill(0, SIGKILL); /* the group that bwrap leads, and this process */
	_exit(1);
}

int guard_start(int go)
{
	pid_t pid = fork();

	if (pid == 0)
		guard(go);
	return pid < 0 ? -errno : 0;
}
