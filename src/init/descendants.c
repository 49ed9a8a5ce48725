/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "init/descendants.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "os/cleanup.h"

/* Looks at the children; each kill makes the grandchildren children. */
#define ROUNDS 200
#define ROUND_NSEC (5 * 1000 * 1000)

int descendants_adopt(void)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? -errno : 0;
}

/* proc_pid_task_children(5): exact only where nobody starts or ends meanwhile,
 * hence the rounds. */
static void kill_children(void)
{
	auto_file FILE *file = fopen("/proc/thread-self/children", "re");
	auto_free char *line = NULL;
	size_t size = 0;

	/* One line, ended by a space and not by a newline. */
	if (!file || getline(&line, &size, file) < 0)
		return;
	for (char *at = line, *end;; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			return;
		(void)kill((pid_t)pid, SIGKILL);
	}
}

void descendants_end(void)
{
	const struct timespec round = {.tv_nsec = ROUND_NSEC};

	for (int i = 0; i < ROUNDS; i++) {
		pid_t pid;

		kill_children();
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 && errno == ECHILD)
			return;
		(void)nanosleep(&round, NULL);
	}
}
