/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_SCOPE_H
#define ANET_OS_SCOPE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "core/limits.h"
#include "core/policy.h"
#include "core/reason.h"
#include "os/systemd-scope.h"

/*
 * The transient systemd scope that holds all processes of a run, with its
 * memory and task limits (SPEC S2.8; org.freedesktop.systemd1(5),
 * systemd.scope(5)).  Root asks the system manager, everybody else the user's
 * own.  Nothing is believed: the limits are read back from the live cgroup.
 */
#define SCOPE_PREFIX "anet-run-"
#define SCOPE_SUFFIX ".scope"

struct scope {
	char unit[sizeof(SCOPE_PREFIX) + LIMIT_SESSION_ID + sizeof(SCOPE_SUFFIX)];
	/* cgroup.kill, for writing; -1: the kernel has none (before 5.14). */
	int kill_fd;
	/* For POLLPRI, then scope_poll_events(); -1: none. */
	int memory_events_fd;
	int pids_events_fd;
	/* As read back from the live cgroup; UINT64_MAX: unlimited. */
	uint64_t memory_max;
	uint64_t tasks_max;
	/* Counts of the events files: at the start, and as last read. */
	struct scope_counts {
		uint64_t oom;	   /* the scope's own memory limit was reached */
		uint64_t oom_kill; /* a process of it was killed for memory */
		uint64_t tasks;	   /* a fork or clone was refused */
	} before, seen;
};

/* A scope that was not started: every call below accepts it. */
#define SCOPE_NONE                                                                     \
	((struct scope){.kill_fd = -1, .memory_events_fd = -1, .pids_events_fd = -1})

/*
 * Puts process `pid`, which should not have children yet, into a new scope
 * named after the session, [a-z0-9_-]+.  `description` is UTF-8.  A limit of 0
 * means unlimited.  A drop-in of the operator for anet-run-.scope may set stricter
 * limits than those asked for, never wider ones.
 *
 * Returns 0, or -errno with a sentence in ret_missing on what is missing:
 * -EOPNOTSUPP no manager or controller, -EEXIST a scope of this name exists,
 * -ETIMEDOUT no answer in time, -ERANGE the live limits are not those asked
 * for.  After an error the process lives on as it was or, where the manager
 * made the scope but its limits are not in force, inside it: it is never
 * stopped here, because the run may go on with its other limits.
 *
 * Without a manager this costs a few system calls; it never waits for one to
 * appear.
 */
struct scope_manager {
	/* systemd_start_scope(), or what starts a program that calls it. */
	int (*start)(int context, const struct systemd_scope *scope, char *ret_missing,
		     size_t missing_size);
	int context;
};
/* What is asked for. */
struct scope_request {
	pid_t pid;
	const char *session, *description;
	const char *bound_to; /* a unit that the scope ends with; NULL: none */
	const struct policy_limits *limits;
};
int scope_start(const struct scope_manager *manager, const struct scope_request *request,
		struct scope *ret_scope, char *ret_missing, size_t missing_size);

/* Reads the events files; to be called on POLLPRI of one of them, and may be
 * at any time.  When the cgroup is gone (the last process ended) the counts stay
 * as seen before; poll(2) then reports the files for ever. */
void scope_poll_events(struct scope *scope);

/*
 * LIMIT_MEMORY when a process was killed because the scope reached its memory
 * limit, LIMIT_TASKS when a new task was refused (memory first, if both), else
 * OK.  From what scope_poll_events() saw.
 */
enum reason scope_limit_hit(const struct scope *scope);

/* Kills every process of the scope at once, those that fork meanwhile too
 * (cgroup.kill).  Needs no privilege beyond the descriptor.  Without one this
 * does nothing: the end of the PID namespace is what the run's end rests on. */
void scope_kill(const struct scope *scope);

/* Closes what a scope holds; nobody else does.  systemd removes the unit with
 * its last process. */
void scope_close(struct scope *scope);

#endif
