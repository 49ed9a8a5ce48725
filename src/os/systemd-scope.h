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

/* How long the manager may take.  Somebody waits for a run in the foreground, which
 * may go on without; of a unit systemd itself is the one who waits, and starting
 * many at once on a busy machine takes its time. */
#define SCOPE_TIMEOUT_MS 3000
#define SCOPE_UNIT_TIMEOUT_MS 20000
static inline int systemd_scope_timeout_ms(const struct systemd_scope *scope)
{
	return scope->bound_to ? SCOPE_UNIT_TIMEOUT_MS : SCOPE_TIMEOUT_MS;
}

/*
 * Asks the manager (the system's for root, else the user's own) for the
 * transient scope and waits for the end of its start job, no longer than that.
 * Returns 0, or -errno with a sentence in ret_missing; the errors are those of
 * scope_start().  Whether the limits are in force is for the caller to see.
 */
int systemd_start_scope(const struct systemd_scope *scope, char *ret_missing,
			size_t missing_size);

#endif
