/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/systemd-scope.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <time.h>

#include "os/cleanup.h"

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

/* One systemd_start_scope() under way. */
struct request {
	const struct systemd_scope *scope;
	uint64_t deadline; /* CLOCK_MONOTONIC, microseconds */
	bool is_bus;	   /* not the manager's own socket */
	bool done;
	int error; /* -errno of the manager's refusal */
	/* From the reply.  Only the manager that gave it may end the job: on a
	 * bus, everybody may send a signal. */
	char job[128];
	char sender[256]; /* the longest bus name has 255 bytes; "" on no bus */
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
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return fail(request, -errno, "socket: %s", strerror(errno));
	/* Bounds the wait for a place in a full backlog, too (socket(7)). */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return fail(request, -errno, "no systemd manager answers at %s: %s",
			    path, strerror(errno));
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
static int connect_manager(struct request *request, int *ret_fd)
{
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
	const bool system = geteuid() == 0;
	char directory[64], path[128];
	int r;

	if (system) {
		runtime = "/run";
	} else if (!runtime || runtime[0] != '/') {
		/* Not set by su, cron and the like, yet there if the user lingers. */
		snprintf(directory, sizeof(directory), "/run/user/%u",
			 (unsigned)geteuid());
		runtime = directory;
	}
	snprintf(path, sizeof(path), "%s%s", runtime,
		 system ? "/dbus/system_bus_socket" : "/bus");
	r = connect_socket(request, path, ret_fd);
	request->is_bus = r >= 0;
	if (r != -ENOENT && r != -ECONNREFUSED)
		return r;
	snprintf(path, sizeof(path), "%s/systemd/private", runtime);
	r = connect_socket(request, path, ret_fd);
	return r == -ENOENT || r == -ECONNREFUSED ? -EOPNOTSUPP : r;
}

static int open_bus(struct request *request, sd_bus **ret_bus)
{
	auto_bus sd_bus *bus = NULL;
	auto_fd int fd = -1;
	int r = connect_manager(request, &fd);

	if (r < 0)
		return r;
	r = sd_bus_new(&bus);
	if (r >= 0)
		r = sd_bus_set_fd(bus, fd, fd);
	if (r >= 0) {
		(void)take_fd(&fd); /* the bus object closes it from here on */
		r = sd_bus_set_bus_client(bus, request->is_bus);
	}
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r < 0)
		return fail(request, r, "the connection to the systemd manager: %s",
			    strerror(-r));
	*ret_bus = take_ptr(bus);
	return 0;
}

static const char *message_sender(sd_bus_message *message)
{
	const char *sender = sd_bus_message_get_sender(message);

	return sender ? sender : "";
}

static int on_reply(sd_bus_message *message, void *userdata, sd_bus_error *ret_error)
{
	struct request *request = userdata;
	const sd_bus_error *error = sd_bus_message_get_error(message);
	const char *job;
	int r;

	(void)ret_error;
	if (error) {
		r = sd_bus_error_has_name(error, SYSTEMD_NAME ".UnitExists")
			    ? -EEXIST
			    : -sd_bus_error_get_errno(error);
		request->error =
			fail(request, r, "systemd refused %s: %s", request->scope->unit,
			     error->message ? error->message : error->name);
		request->done = true;
		return 0;
	}
	r = sd_bus_message_read(message, "o", &job);
	if (r < 0)
		return r; /* ends the connection */
	snprintf(request->job, sizeof(request->job), "%s", job);
	snprintf(request->sender, sizeof(request->sender), "%s",
		 message_sender(message));
	return 0;
}

/* JobRemoved(u id, o job, s unit, s result), org.freedesktop.systemd1(5).
 * systemd answers the call before it runs the job. */
static int on_job_removed(sd_bus_message *message, void *userdata,
			  sd_bus_error *ret_error)
{
	struct request *request = userdata;
	const char *job, *unit, *result;
	uint32_t id;
	int r = sd_bus_message_read(message, "uoss", &id, &job, &unit, &result);

	(void)ret_error;
	if (r < 0 || request->done || strcmp(job, request->job) != 0 ||
	    strcmp(message_sender(message), request->sender) != 0)
		return 0;
	if (strcmp(result, "done") != 0)
		request->error = fail(request, -EIO,
				      "systemd did not start %s: its job ended as '%s'",
				      unit, result);
	request->done = true;
	return 0;
}

/*
 * Slices: anet.slice bounds all sessions of a machine together.  A user's are
 * in app.slice, the place of applications (systemd.special(7)), together in
 * one slice that he can limit as a whole.
 * OOMPolicy: the kernel kills the largest process; the agent may well go on
 * when that was a compiler of its own, so the scope is not stopped for it.
 * MemorySwapMax: with swap, the machine would pay for what a run may not use.
 */
static int append_properties(sd_bus_message *message, const struct systemd_scope *scope)
{
	const char *slice = geteuid() == 0 ? "anet.slice" : "app-anet.slice";
	int r = sd_bus_message_append(
		message, "(sv)(sv)(sv)(sv)(sv)(sv)", "Description", "s",
		scope->description, "PIDs", "au", 1, (uint32_t)scope->pid, "Slice", "s",
		slice, "CollectMode", "s", "inactive-or-failed", "TimeoutStopUSec", "t",
		UINT64_C(1000000), "OOMPolicy", "s", "continue");

	/* Both always, or the manager's own defaults would be in force. */
	if (r >= 0)
		r = sd_bus_message_append(
			message, "(sv)(sv)", "MemoryMax", "t",
			scope->memory_bytes ? scope->memory_bytes : UINT64_MAX,
			"TasksMax", "t", scope->tasks ? scope->tasks : UINT64_MAX);
	if (r >= 0 && scope->memory_bytes)
		r = sd_bus_message_append(message, "(sv)", "MemorySwapMax", "t",
					  UINT64_C(0));
	/* Both are stopped at once then, and the supervisor asks the agent to end.
	 * A signal of systemd's own to all of its processes would end bwrap before
	 * the agent has heard of it. */
	if (r >= 0 && scope->bound_to)
		r = sd_bus_message_append(message, "(sv)(sv)", "BindsTo", "as", 1,
					  scope->bound_to, "KillSignal", "i",
					  (int32_t)SIGCONT);
	return r;
}

static int send_request(struct request *request, sd_bus *bus)
{
	auto_message sd_bus_message *message = NULL;
	int r = sd_bus_match_signal_async(
		bus, NULL, request->is_bus ? SYSTEMD_NAME : NULL, SYSTEMD_PATH,
		SYSTEMD_MANAGER, "JobRemoved", on_job_removed, NULL, request);

	if (r >= 0)
		r = sd_bus_message_new_method_call(bus, &message, SYSTEMD_NAME,
						   SYSTEMD_PATH, SYSTEMD_MANAGER,
						   "StartTransientUnit");
	/* Mode "fail": never in place of another unit's job. */
	if (r >= 0)
		r = sd_bus_message_append(message, "ss", request->scope->unit, "fail");
	if (r >= 0)
		r = sd_bus_message_open_container(message, 'a', "(sv)");
	if (r >= 0)
		r = append_properties(message, request->scope);
	if (r >= 0)
		r = sd_bus_message_close_container(message);
	/* No auxiliary units. */
	if (r >= 0)
		r = sd_bus_message_append(message, "a(sa(sv))", 0);
	if (r >= 0)
		r = sd_bus_call_async(
			bus, NULL, message, on_reply, request,
			(uint64_t)systemd_scope_timeout_ms(request->scope) * 1000);
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

int systemd_start_scope(const struct systemd_scope *scope, char *ret_missing,
			size_t missing_size)
{
	struct request request = {
		.scope = scope,
		.deadline =
			now_usec() + (uint64_t)systemd_scope_timeout_ms(scope) * 1000,
		.missing = ret_missing,
		.missing_size = missing_size};
	auto_bus sd_bus *bus = NULL;
	int r = open_bus(&request, &bus);

	if (r < 0)
		return r;
	r = send_request(&request, bus);
	if (r >= 0)
		r = wait_done(bus, &request);
	if (r == -ETIMEDOUT)
		return fail(&request, r, "systemd did not start %s within %d s",
			    scope->unit, systemd_scope_timeout_ms(scope) / 1000);
	if (r < 0)
		return fail(&request, r, "asking systemd for %s: %s", scope->unit,
			    strerror(-r));
	return request.error;
}
