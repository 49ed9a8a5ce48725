/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <time.h>

#include "os/cgroup.h"
#include "os/cleanup.h"

/* For the whole of scope_start(): a manager that is well answers within
 * milliseconds, and a run without these limits is better than none. */
#define SCOPE_TIMEOUT_USEC (3 * UINT64_C(1000000))

#define SYSTEMD_NAME "org.freedesktop.systemd1"
#define SYSTEMD_PATH "/org/freedesktop/systemd1"
#define SYSTEMD_MANAGER SYSTEMD_NAME ".Manager"

static inline void cleanup_bus(sd_bus **bus)
{
	/* Without a flush, which could wait for a peer that does not read. */
	sd_bus_close(*bus);
	sd_bus_unref(*bus);
}

static inline void cleanup_message(sd_bus_message **message)
{
	sd_bus_message_unref(*message);
}

#define auto_bus __attribute__((cleanup(cleanup_bus)))
#define auto_message __attribute__((cleanup(cleanup_message)))

/* One scope_start() under way. */
struct request {
	const char *unit;
	uint64_t deadline; /* CLOCK_MONOTONIC, microseconds */
	bool done;
	int error; /* -errno of the manager's refusal */
	char *missing;
	size_t missing_size;
};

__attribute__((format(printf, 3, 4))) static int
fail(struct request *request, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(request->missing, request->missing_size, format, arguments);
	va_end(arguments);
	return error;
}

static uint64_t now_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/*
 * Connects to a manager's socket or the bus that it is on.  One of another PID
 * namespace (a socket mounted into a container) would take our pid for that of
 * a process of its own: such a peer reads as pid 0 (SO_PEERCRED, unix(7)).
 */
static int connect_socket(struct request *request, const char *path, int *ret_fd)
{
	const struct timeval timeout = {.tv_sec = 1};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct ucred peer;
	socklen_t length = sizeof(peer);
	auto_fd int fd = -1;

	if (strlen(path) >= sizeof(address.sun_path))
		return fail(request, -ENAMETOOLONG,
			    "%s: the name is too long for a socket", path);
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return fail(request, -errno, "socket: %s", strerror(errno));
	/* Bounds the wait for a place in a full backlog, too (socket(7)). */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return fail(request, -errno, "no manager answers at %s: %s", path,
			    strerror(errno));
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
		return fail(request, -errno, "%s: SO_PEERCRED: %s", path,
			    strerror(errno));
	if (peer.pid == 0)
		return fail(request, -EOPNOTSUPP,
			    "the manager at %s belongs to another PID namespace", path);
	if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return fail(request, -errno, "%s: O_NONBLOCK: %s", path,
			    strerror(errno));
	*ret_fd = take_fd(&fd);
	return 0;
}

/*
 * The public bus first; where none runs, the socket that systemd keeps for
 * systemctl: systemd(1) calls that one private, but it is the only way on a
 * machine without a message bus, and speaks the same interface.
 */
static int connect_manager(struct request *request, sd_bus **ret_bus)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	const bool system = geteuid() == 0;
	char directory[64], bus_path[128], private_path[128];
	bool is_bus = true;
	auto_bus sd_bus *bus = NULL;
	auto_fd int fd = -1;
	int r;

	if (system) {
		runtime = "/run";
	} else if (!runtime || runtime[0] != '/') {
		/* Not set by su, cron and the like, yet there if the user lingers. */
		snprintf(directory, sizeof(directory), "/run/user/%u",
			 (unsigned)geteuid());
		runtime = directory;
	}
	snprintf(bus_path, sizeof(bus_path), "%s%s", runtime,
		 system ? "/dbus/system_bus_socket" : "/bus");
	snprintf(private_path, sizeof(private_path), "%s/systemd/private", runtime);

	/* sd_booted(3): a bus alone does not make a manager. */
	if (access("/run/systemd/system", F_OK) < 0)
		return fail(
			request, -EOPNOTSUPP,
			"systemd does not run this machine: /run/systemd/system: %s",
			strerror(errno));
	r = connect_socket(request, bus_path, &fd);
	if (r == -ENOENT || r == -ECONNREFUSED) {
		is_bus = false;
		r = connect_socket(request, private_path, &fd);
	}
	if (r < 0)
		return r;
	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_fd(bus, fd, fd);
	if (r >= 0) {
		(void)take_fd(&fd); /* the bus object closes it from here on */
		r = sd_bus_set_bus_client(bus, is_bus);
	}
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r < 0)
		return fail(request, r, "%s: %s", is_bus ? bus_path : private_path,
			    strerror(-r));
	*ret_bus = take_ptr(bus);
	return 0;
}

static int on_reply(sd_bus_message *message, void *userdata, sd_bus_error *ret_error)
{
	struct request *request = userdata;
	const sd_bus_error *error = sd_bus_message_get_error(message);

	(void)ret_error;
	if (!error)
		return 0; /* the job is queued; JobRemoved tells its end */
	request->error = sd_bus_error_has_name(error, SYSTEMD_NAME ".UnitExists")
				 ? -EEXIST
				 : -sd_bus_error_get_errno(error);
	fail(request, 0, "systemd refused %s: %s", request->unit,
	     error->message ? error->message : error->name);
	request->done = true;
	return 0;
}

/* JobRemoved(u id, o job, s unit, s result), org.freedesktop.systemd1(5). */
static int on_job_removed(sd_bus_message *message, void *userdata,
			  sd_bus_error *ret_error)
{
	struct request *request = userdata;
	const char *job, *unit, *result;
	uint32_t id;
	int r = sd_bus_message_read(message, "uoss", &id, &job, &unit, &result);

	(void)ret_error;
	/* Mode "fail" means that no other job is queued for this name. */
	if (r < 0 || request->done || strcmp(unit, request->unit) != 0)
		return 0;
	if (strcmp(result, "done") != 0) {
		request->error = -EIO;
		fail(request, 0, "systemd did not start %s: its job ended as '%s'",
		     unit, result);
	}
	request->done = true;
	return 0;
}

/*
 * Slices: `anet.slice` bounds all sessions of a machine together; for a user
 * the same below app.slice, where systemd-user-runtime expects applications.
 * OOMPolicy: the kernel kills the largest process; the agent may well go on
 * when that was a compiler of its own, so the scope is not stopped for it.
 * MemorySwapMax: with swap, the machine would pay for what a run may not use.
 */
static int append_properties(sd_bus_message *message, pid_t pid,
			     const char *description,
			     const struct policy_limits *limits)
{
	const char *slice = geteuid() == 0 ? "anet.slice" : "app-anet.slice";
	int r = sd_bus_message_append(message, "(sv)(sv)(sv)(sv)(sv)(sv)",
				      "Description", "s", description, "PIDs", "au", 1,
				      (uint32_t)pid, "Slice", "s", slice, "CollectMode",
				      "s", "inactive-or-failed", "TimeoutStopUSec", "t",
				      UINT64_C(1000000), "OOMPolicy", "s", "continue");

	if (r >= 0 && limits->memory_bytes)
		r = sd_bus_message_append(message, "(sv)(sv)", "MemoryMax", "t",
					  limits->memory_bytes, "MemorySwapMax", "t",
					  UINT64_C(0));
	if (r >= 0 && limits->tasks)
		r = sd_bus_message_append(message, "(sv)", "TasksMax", "t",
					  limits->tasks);
	return r;
}

/* Each step by hand, since sd_bus_call() would wait for a bus that hangs
 * during its hello for longer than our time. */
static int wait_done(sd_bus *bus, const struct request *request)
{
	while (!request->done) {
		int r = sd_bus_process(bus, NULL);
		uint64_t now;

		if (r < 0)
			return r;
		if (r > 0)
			continue;
		now = now_usec();
		if (now >= request->deadline)
			return -ETIMEDOUT;
		r = sd_bus_wait(bus, request->deadline - now);
		if (r < 0 && r != -EINTR)
			return r;
	}
	return 0;
}

static int make_unit(struct request *request, sd_bus *bus, pid_t pid,
		     const char *description, const struct policy_limits *limits)
{
	auto_message sd_bus_message *message = NULL;
	int r = sd_bus_match_signal_async(bus, NULL, NULL, SYSTEMD_PATH,
					  SYSTEMD_MANAGER, "JobRemoved", on_job_removed,
					  NULL, request);

	if (r >= 0)
		r = sd_bus_message_new_method_call(bus, &message, SYSTEMD_NAME,
						   SYSTEMD_PATH, SYSTEMD_MANAGER,
						   "StartTransientUnit");
	if (r >= 0)
		r = sd_bus_message_append(message, "ss", request->unit, "fail");
	if (r >= 0)
		r = sd_bus_message_open_container(message, 'a', "(sv)");
	if (r >= 0)
		r = append_properties(message, pid, description, limits);
	if (r >= 0)
		r = sd_bus_message_close_container(message);
	if (r >= 0)
		r = sd_bus_message_append(message, "a(sa(sv))",
					  0); /* no auxiliary units */
	if (r >= 0)
		r = sd_bus_call_async(bus, NULL, message, on_reply, request,
				      SCOPE_TIMEOUT_USEC);
	if (r >= 0)
		r = wait_done(bus, request);
	if (r == -ETIMEDOUT)
		return fail(request, r, "systemd did not start %s within 3 s",
			    request->unit);
	if (r < 0)
		return fail(request, r, "asking systemd for %s: %s", request->unit,
			    strerror(-r));
	return request->error;
}

/* A limit of the live cgroup: at most what was asked for, when that is set. */
static int check_limit(struct request *request, int cgroup, const char *path,
		       const char *file, uint64_t asked, uint64_t *ret_limit)
{
	int r = cgroup_read_limit(cgroup, file, ret_limit);

	if (r < 0 && asked == CGROUP_MAX) {
		*ret_limit = CGROUP_MAX;
		return 0;
	}
	if (r < 0)
		return fail(request, r, "%s of %s cannot be read: %s", file, path,
			    r == -ENOENT ? "its controller is not enabled there"
					 : strerror(-r));
	if (*ret_limit == CGROUP_MAX && asked != CGROUP_MAX)
		return fail(request, -ERANGE, "%s of %s reads max instead of %llu",
			    file, path, (unsigned long long)asked);
	if (*ret_limit > asked)
		return fail(request, -ERANGE, "%s of %s reads %llu instead of %llu",
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

static int check_limits(struct request *request, int cgroup, const char *path,
			const struct policy_limits *limits, struct scope *scope)
{
	uint64_t swap_max;
	int r = check_limit(request, cgroup, path, "memory.max",
			    limits->memory_bytes ? limits->memory_bytes : CGROUP_MAX,
			    &scope->memory_max);

	if (r >= 0)
		r = check_limit(request, cgroup, path, "pids.max",
				limits->tasks ? limits->tasks : CGROUP_MAX,
				&scope->tasks_max);
	if (r < 0 || !limits->memory_bytes)
		return r;
	/* Kernels that do not count swap have no such file; nothing can be
	 * swapped out, then, on a machine that has no swap. */
	if (faccessat(cgroup, "memory.swap.max", F_OK, 0) < 0 && errno == ENOENT &&
	    !machine_has_swap())
		return 0;
	return check_limit(request, cgroup, path, "memory.swap.max", 0, &swap_max);
}

/* Fails unless the process really is in the scope, whatever was answered. */
static int open_cgroup(struct request *request, pid_t pid, int *ret_cgroup,
		       char *ret_path, size_t path_size)
{
	const char *name;
	auto_fd int cgroup = -1;
	int r = cgroup_open(pid, &cgroup, ret_path, path_size);

	if (r < 0)
		return fail(request, r, "the cgroup of process %d cannot be opened: %s",
			    (int)pid, strerror(-r));
	name = strrchr(ret_path, '/');
	if (!name || strcmp(name + 1, request->unit) != 0)
		return fail(request, -EIO,
			    "process %d is in the cgroup %s instead of that of %s",
			    (int)pid, ret_path, request->unit);
	*ret_cgroup = take_fd(&cgroup);
	return 0;
}

int scope_start(pid_t pid, const char *session, const char *description,
		const struct policy_limits *limits, struct scope *ret_scope,
		char *ret_missing, size_t missing_size)
{
	struct scope scope = SCOPE_NONE;
	struct request request = {.unit = scope.unit,
				  .deadline = now_usec() + SCOPE_TIMEOUT_USEC,
				  .missing = ret_missing,
				  .missing_size = missing_size};
	const size_t length = strlen(session);
	char path[CGROUP_PATH_MAX];
	auto_bus sd_bus *bus = NULL;
	auto_fd int cgroup = -1;
	int r;

	/* Of these, none has a meaning in the name of a scope: nothing to escape. */
	if (length == 0 || length > LIMIT_SESSION_ID ||
	    strspn(session, "abcdefghijklmnopqrstuvwxyz0123456789_-") != length)
		return fail(&request, -EINVAL,
			    "the session's name cannot be that of a scope");
	snprintf(scope.unit, sizeof(scope.unit), SCOPE_PREFIX "%s" SCOPE_SUFFIX,
		 session);
	r = cgroup_probe(ret_missing, missing_size);
	if (r >= 0)
		r = connect_manager(&request, &bus);
	if (r >= 0)
		r = make_unit(&request, bus, pid, description, limits);
	if (r >= 0)
		r = open_cgroup(&request, pid, &cgroup, path, sizeof(path));
	if (r >= 0)
		r = check_limits(&request, cgroup, path, limits, &scope);
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
		(void)cgroup_read_event(scope->memory_events_fd, "oom",
					&scope->seen.oom);
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
