/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_SYSTEMD_SCOPE_H
#define ANET_OS_SYSTEMD_SCOPE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What is asked of a systemd manager, org.freedesktop.systemd1(5). */
struct systemd_scope {
	const char *unit;	 /* the full name, ".scope" included */
	const char *description; /* UTF-8 */
	pid_t pid;		 /* the process that the scope starts with */
	uint64_t memory_bytes;	 /* MemoryMax=; 0: unlimited */
	uint64_t tasks;		 /* TasksMax=; 0: unlimited */
	/* The scope's processes end with this unit (BindsTo=); NULL: none. */
	const char *bound_to;
};

/*
 * Asks the manager (the system's for root, else the user's own) for the
 * transient scope and waits for the end of its start job, 3 s at most.
 * Returns 0, or -errno with a sentence in ret_missing; the errors are those of
 * scope_start().  Whether the limits are in force is for the caller to see.
 */
int systemd_start_scope(const struct systemd_scope *scope, char *ret_missing,
			size_t missing_size);

#endif
