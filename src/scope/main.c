/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-scope: asks systemd for the scope of one run.
 *
 * Job: `anet-scope UNIT PID MEMORY TASKS DESCRIPTION [BOUND-TO]` starts a transient
 * scope around the process and exits; 0 in MEMORY (bytes) or TASKS sets no such
 * limit; with BOUND-TO it ends with that unit.
 * Exit status: 0, or an errno with a sentence on standard output.
 *
 * Trusts: its arguments, from the supervisor that started it, and the manager.
 * Whether the limits are in force is for the supervisor to read back.
 *
 * Descriptors: 1 is a pipe to the supervisor.  Environment: what locates the
 * user's bus.
 *
 * A program of its own, because libsystemd and what it is linked with cost more
 * at each start of a supervisor than all the rest of it, and most machines
 * without a manager would pay for nothing.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/limits.h"
#include "os/process.h"
#include "os/systemd-scope.h"

static bool number(const char *text, unsigned long long *ret_number)
{
	char *end;

	errno = 0;
	*ret_number = strtoull(text, &end, 10);
	return errno == 0 && end != text && *end == 0;
}

int main(int argc, char *argv[])
{
	unsigned long long pid, memory, tasks;
	char missing[LIMIT_DETAIL + 1] = "";
	int r;

	process_harden();
	if (argc < 6 || argc > 7 || !number(argv[2], &pid) || !number(argv[3], &memory) ||
	    !number(argv[4], &tasks)) {
		printf("anet-scope is started by anet-session only\n");
		return EINVAL;
	}
	r = systemd_start_scope(&(struct systemd_scope){ .unit = argv[1],
							 .description = argv[5],
							 .pid = (pid_t)pid,
							 .memory_bytes = memory,
							 .tasks = tasks,
							 .bound_to = argv[6] },
				missing, sizeof(missing));
	printf("%s", missing);
	return r < 0 ? -r : 0;
}
