/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/cgroup.h"
#include "os/cleanup.h"

struct message {
	char *text;
	size_t size;
};

__attribute__((format(printf, 3, 4))) static int
fail(const struct message *missing, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(missing->text, missing->size, format, arguments);
	va_end(arguments);
	return error;
}

/* A limit of the live cgroup: at most what was asked for, when that is set. */
static int check_limit(const struct message *missing, int cgroup, const char *path,
		       const char *file, uint64_t asked, uint64_t *ret_limit)
{
	int r = cgroup_read_limit(cgroup, file, ret_limit);

	if (r < 0 && asked == CGROUP_MAX) {
		*ret_limit = CGROUP_MAX;
		return 0;
	}
	if (r < 0)
		return fail(missing, r, "%s of %s cannot be read: %s", file, path,
			    r == -ENOENT ? "its controller is not enabled there"
					 : strerror(-r));
	if (*ret_limit == CGROUP_MAX && asked != CGROUP_MAX)
		return fail(missing, -ERANGE, "%s of %s reads max instead of %llu",
			    file, path, (unsigned long long)asked);
	if (*ret_limit > asked)
		return fail(missing, -ERANGE, "%s of %s reads %llu instead of %llu",
			    file, path, (unsigned long long)*ret_limit,
			    (unsigned long long)asked);
	return 0;
}

/* proc(5), /proc/swaps: a line of titles, then one for each. */
static bool machine_has_swap(void)
{
	auto_file FILE *swaps = fopen("/proc/swaps", "re");
	int lines = 0, c;

	if (!swaps)
		return errno != ENOENT; /* a kernel without swap has no such file */
	while ((c = fgetc(swaps)) != EOF)
		lines += c == '\n';
	return lines > 1;
}

static int check_limits(const struct message *missing, int cgroup, const char *path,
			const struct policy_limits *limits, struct scope *scope)
{
	uint64_t swap_max;
	int r = check_limit(missing, cgroup, path, "memory.max",
			    limits->memory_bytes ? limits->memory_bytes : CGROUP_MAX,
			    &scope->memory_max);

	if (r >= 0)
		r = check_limit(missing, cgroup, path, "pids.max",
				limits->tasks ? limits->tasks : CGROUP_MAX,
				&scope->tasks_max);
	if (r < 0 || !limits->memory_bytes)
		return r;
	/* Kernels that do not count swap have no such file; nothing can be
	 * swapped out, then, on a machine that has no swap. */
	if (faccessat(cgroup, "memory.swap.max", F_OK, 0) < 0 && errno == ENOENT &&
	    !machine_has_swap())
		return 0;
	return check_limit(missing, cgroup, path, "memory.swap.max", 0, &swap_max);
}

/* Fails unless the process really is in the scope, whatever was answered. */
static int open_cgroup(const struct message *missing, const char *unit, pid_t pid,
		       int *ret_cgroup, char *ret_path, size_t path_size)
{
	const char *name;
	auto_fd int cgroup = -1;
	int r = cgroup_open(pid, &cgroup, ret_path, path_size);

	if (r < 0)
		return fail(missing, r, "the cgroup of process %d cannot be opened: %s",
			    (int)pid, strerror(-r));
	name = strrchr(ret_path, '/');
	if (!name || strcmp(name + 1, unit) != 0)
		return fail(missing, -EIO,
			    "process %d is in the cgroup %s instead of that of %s",
			    (int)pid, ret_path, unit);
	*ret_cgroup = take_fd(&cgroup);
	return 0;
}

int scope_start(const struct scope_manager *manager, const struct scope_request *request,
		struct scope *ret_scope, char *ret_missing, size_t missing_size)
{
	const struct message missing = {ret_missing, missing_size};
	const struct policy_limits *limits = request->limits;
	const char *session = request->session;
	const size_t length = strlen(session);
	struct scope scope = SCOPE_NONE;
	char path[CGROUP_PATH_MAX];
	auto_fd int cgroup = -1;
	int r;

	/* Of these, none has a meaning in the name of a scope: nothing to escape. */
	if (length == 0 || length > LIMIT_SESSION_ID ||
	    strspn(session, "abcdefghijklmnopqrstuvwxyz0123456789_-") != length)
		return fail(&missing, -EINVAL,
			    "the session's name cannot be that of a scope");
	snprintf(scope.unit, sizeof(scope.unit), SCOPE_PREFIX "%s" SCOPE_SUFFIX,
		 session);
	/* sd_booted(3): a bus alone does not make a manager. */
	if (access("/run/systemd/system", F_OK) < 0)
		return fail(&missing, -EOPNOTSUPP,
			    "systemd does not run this machine: "
			    "/run/systemd/system: %s",
			    strerror(errno));
	r = cgroup_probe(ret_missing, missing_size);
	if (r >= 0)
		r = manager->start(
			manager->context,
			&(struct systemd_scope){.unit = scope.unit,
						.description = request->description,
						.pid = request->pid,
						.memory_bytes = limits->memory_bytes,
						.tasks = limits->tasks,
						.bound_to = request->bound_to},
			ret_missing, missing_size);
	if (r >= 0)
		r = open_cgroup(&missing, scope.unit, request->pid, &cgroup, path,
				sizeof(path));
	if (r >= 0)
		r = check_limits(&missing, cgroup, path, limits, &scope);
	if (r < 0)
		return r;
	/* Missing ones only cost the explanation, not the limit. */
	scope.memory_events_fd = openat(cgroup, "memory.events", O_RDONLY | O_CLOEXEC);
	scope.pids_events_fd = openat(cgroup, "pids.events", O_RDONLY | O_CLOEXEC);
	scope.kill_fd = openat(cgroup, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	scope_poll_events(&scope);
	scope.before = scope.seen;
	*ret_scope = scope;
	return 0;
}

void scope_poll_events(struct scope *scope)
{
	/* Errors leave the last value: the cgroup may be gone (ENODEV). */
	if (scope->memory_events_fd >= 0) {
		(void)cgroup_read_event(scope->memory_events_fd, "oom", &scope->seen.oom);
		(void)cgroup_read_event(scope->memory_events_fd, "oom_kill",
					&scope->seen.oom_kill);
	}
	if (scope->pids_events_fd >= 0)
		(void)cgroup_read_event(scope->pids_events_fd, "max",
					&scope->seen.tasks);
}

enum reason scope_limit_hit(const struct scope *scope)
{
	/* A kill without `oom` of our own: the machine, or a slice above, is out
	 * of memory, and that is no limit of this run. */
	if (scope->seen.oom > scope->before.oom &&
	    scope->seen.oom_kill > scope->before.oom_kill)
		return REASON_LIMIT_MEMORY;
	if (scope->seen.tasks > scope->before.tasks)
		return REASON_LIMIT_TASKS;
	return REASON_OK;
}

void scope_kill(const struct scope *scope)
{
	/* Fails when the cgroup is gone, that is, when nobody is left in it. */
	if (scope->kill_fd >= 0)
		(void)!write(scope->kill_fd, "1", 1);
}

void scope_close(struct scope *scope)
{
	close_fd(&scope->kill_fd);
	close_fd(&scope->memory_events_fd);
	close_fd(&scope->pids_events_fd);
}
