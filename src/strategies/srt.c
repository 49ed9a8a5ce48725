/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The strategy `srt`: bubblewrap and seccomp.  It is available if a session that
 * runs anet-probe finds everything closed that a run must not reach (SPEC S3.1).
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/handover.h"
#include "core/run.h"
#include "os/cleanup.h"
#include "os/clock.h"
#include "strategies/probe-judge.h"
#include "strategies/session-start.h"
#include "strategies/strategy.h"

#define PROBE_PROGRAM ANET_HELPER_DIR "/anet-probe"
#define PROBE_MSEC (PROBE_SECONDS * 1000)
/* The probe prints a short line for each of its assertions. */
#define OUTPUT_BYTES 8192

/* Everything of one probe; made by begin(), ended by end(). */
struct probe {
	int tcp, abstract; /* what the run must not reach */
	char port[8], name_hex[33];
	char directory[32]; /* "" if there is none */
	int lock;
	int report, report_peer; /* the supervisor's socket, both ends */
	int output, output_peer; /* what it and the probe print */
	pid_t session;
	char text[OUTPUT_BYTES + 1];
	size_t length;
	bool reported;
	struct report outcome;
	struct policy policy;
};

static int listen_tcp(char port[8])
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) < 0 ||
	    listen(fd, 4) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &size) < 0)
		return -errno;
	snprintf(port, 8, "%u", (unsigned int)ntohs(address.sin_port));
	return take_fd(&fd);
}

/* An abstract socket (unix(7)) of 16 random bytes, so that no one else's is met. */
static int listen_abstract(char name_hex[33])
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	unsigned char name[16];
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || getrandom(name, sizeof(name), 0) != (ssize_t)sizeof(name))
		return -errno;
	memcpy(address.sun_path + 1, name, sizeof(name));
	if (bind(fd, (struct sockaddr *)&address,
		 offsetof(struct sockaddr_un, sun_path) + 1 + sizeof(name)) < 0 ||
	    listen(fd, 4) < 0)
		return -errno;
	for (size_t i = 0; i < sizeof(name); i++)
		snprintf(name_hex + 2 * i, 3, "%02x", name[i]);
	return take_fd(&fd);
}

static enum reason failed(struct probe_result *result, const char *what, int error)
{
	return explain(&result->detail, REASON_SYSTEM, "the probe cannot %s: %s", what,
		       strerror(error));
}

static enum reason open_targets(struct probe *probe, struct probe_result *result)
{
	int sockets[2], pipes[2];

	probe->tcp = listen_tcp(probe->port);
	if (probe->tcp < 0)
		return failed(result, "listen on 127.0.0.1", -probe->tcp);
	probe->abstract = listen_abstract(probe->name_hex);
	if (probe->abstract < 0)
		return failed(result, "listen on an abstract socket", -probe->abstract);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return failed(result, "make a socket pair", errno);
	probe->report = sockets[0];
	probe->report_peer = sockets[1];
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return failed(result, "make a pipe", errno);
	probe->output = pipes[0];
	probe->output_peer = pipes[1];
	return REASON_OK;
}

/* As root the run has an id of its own, and so the directory.  It is made with that
 * id: in a unit root may not give a file away. */
static bool make_directory(struct probe *probe)
{
	bool root = geteuid() == 0, made;
	int error;

	if (root) {
		(void)setfsgid(probe->policy.run_uid);
		(void)setfsuid(probe->policy.run_uid);
	}
	made = mkdtemp(probe->directory) != NULL;
	error = errno;
	if (root) {
		(void)setfsuid(0);
		(void)setfsgid(0);
	}
	errno = error;
	return made;
}

static enum reason begin(struct probe *probe, struct probe_result *result)
{
	static const char template[] = "/tmp/anet-probe-XXXXXX";
	enum reason reason = open_targets(probe, result);

	if (reason != REASON_OK)
		return reason;
	reason = session_take_uids(&probe->policy, &probe->lock, &result->detail);
	if (reason != REASON_OK)
		return reason;
	memcpy(probe->directory, template, sizeof(template));
	if (!make_directory(probe)) {
		probe->directory[0] = 0;
		return failed(result, "make a directory in /tmp", errno);
	}
	return REASON_OK;
}

/* Its run ends with it, however it ends: S2.7. */
static void kill_session(const struct probe *probe)
{
	if (kill(probe->session, SIGKILL) == 0 || errno != EPERM)
		return;
	/* It has taken its own id, and root of a unit may not kill others. */
	if (seteuid(probe->policy.supervisor_uid) < 0)
		return;
	(void)kill(probe->session, SIGKILL);
	if (seteuid(0) < 0)
		abort(); /* nobody else's id is to do what follows */
}

static void end(struct probe *probe)
{
	if (probe->session > 0) {
		kill_session(probe);
		while (waitpid(probe->session, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (probe->directory[0])
		(void)rmdir(probe->directory); /* the probe writes nothing */
	close_fd(&probe->tcp);
	close_fd(&probe->abstract);
	close_fd(&probe->lock);
	close_fd(&probe->report);
	close_fd(&probe->report_peer);
	close_fd(&probe->output);
	close_fd(&probe->output_peer);
}

/* In the child: becomes the supervisor of the probe's run.  Says on standard
 * output why, if it cannot. */
static _Noreturn void become_session(struct probe *probe, char *program)
{
	char *argv[] = {program, probe->port, probe->name_hex, NULL};
	char path[] = "PATH=" RUN_PATH, home[] = "HOME=" RUN_HOME;
	char user[] = "USER=" RUN_USER;
	char *env[] = {path, home, user, NULL};
	struct run_mount mount = {program, program, RUN_MOUNT_PROGRAM};
	auto_free char *directory = realpath(probe->directory, NULL);
	const struct run_record run = {
		.workspace = directory ? directory : probe->directory,
		.argv = argv,
		.env = env,
		.mounts = &mount,
		.n_mounts = 1,
	};
	struct detail detail;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	enum reason reason;

	if (null < 0 || dup2(null, 0) < 0 || dup2(probe->output_peer, 1) < 0 ||
	    dup2(probe->output_peer, 2) < 0)
		_exit(71);
	reason = session_exec(&probe->policy, &run, probe->report_peer, probe->lock,
			      -1, &detail);
	dprintf(1, "%s\n", detail.text);
	_exit(reason_exit_status(reason));
}

static enum reason start(struct probe *probe, struct probe_result *result)
{
	auto_free char *program = realpath(PROBE_PROGRAM, NULL);

	if (!program || access(program, X_OK) < 0)
		return explain(&result->detail, REASON_HELPER_MISSING,
			       "the helper " PROBE_PROGRAM " cannot be executed: %s",
			       strerror(errno));
	probe->session = fork();
	if (probe->session < 0)
		return failed(result, "start a process", errno);
	if (probe->session == 0)
		become_session(probe, program);
	close_fd(&probe->report_peer);
	close_fd(&probe->output_peer);
	return REASON_OK;
}

/* Takes what has come; false at the end of the stream. */
static bool take_output(struct probe *probe)
{
	char bytes[512];
	size_t room = OUTPUT_BYTES - probe->length;
	ssize_t got = read(probe->output, bytes, sizeof(bytes));

	if (got < 0)
		return errno == EINTR;
	if ((size_t)got < room)
		room = (size_t)got;
	memcpy(probe->text + probe->length, bytes, room); /* the rest is dropped */
	probe->length += room;
	return got > 0;
}

static bool take_report(struct probe *probe)
{
	struct report report;
	ssize_t got = recv(probe->report, &report, sizeof(report), 0);

	if (got < 0)
		return errno == EINTR;
	if (got == (ssize_t)sizeof(report) && report.magic == HANDOVER_MAGIC &&
	    report.version == HANDOVER_VERSION && report.type == REPORT_OUTCOME) {
		report.detail[sizeof(report.detail) - 1] = 0;
		probe->outcome = report;
		probe->reported = true;
	}
	return got > 0;
}

/* Until both streams have ended; false when that takes too long. */
static bool collect(struct probe *probe)
{
	uint64_t deadline = monotonic_ms() + PROBE_MSEC;
	struct pollfd fds[2] = {
		{.fd = probe->output, .events = POLLIN},
		{.fd = probe->report, .events = POLLIN},
	};

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		uint64_t now = monotonic_ms();

		if (now >= deadline)
			return false;
		if (poll(fds, 2, (int)(deadline - now)) < 0 && errno != EINTR)
			return false;
		if (fds[0].revents && !take_output(probe))
			fds[0].fd = -1;
		if (fds[1].revents && !take_report(probe))
			fds[1].fd = -1;
	}
	return true;
}

static void probe_srt(struct probe_result *ret_result)
{
	struct probe_result result = {0};
	struct probe probe = {
		.tcp = -1,
		.abstract = -1,
		.lock = -1,
		.report = -1,
		.report_peer = -1,
		.output = -1,
		.output_peer = -1,
		/* No limit: only the boundary is tried, and the deadline ends it. */
		.policy =
			{
				.magic = POLICY_MAGIC,
				.version = POLICY_VERSION,
				.size = sizeof(struct policy),
				.flags = POLICY_PROBE,
				.wire = WIRE_NONE,
				.profile = PROFILE_OWN,
				.strategy = STRATEGY_SRT,
				.runtime = "command",
				.limits =
					{
						.connections_at_once =
							LIMIT_CONNECTIONS_AT_ONCE,
						.output_tokens = LIMIT_OUTPUT_TOKENS,
					},
			},
	};

	session_name(&probe.policy, "probe");
	result.reason = session_check_programs(STRATEGY_SRT, WIRE_NONE, EGRESS_NONE,
					       &result.detail);
	if (result.reason == REASON_OK)
		result.reason = begin(&probe, &result);
	if (result.reason == REASON_OK)
		result.reason = start(&probe, &result);
	if (result.reason == REASON_OK) {
		bool in_time = collect(&probe);

		result.reason =
			probe_judge(probe.text, in_time,
				    probe.reported ? &probe.outcome : NULL, &result);
	}
	end(&probe);
	*ret_result = result;
}

const struct strategy strategy_srt = {
	.name = "srt",
	.boundary = "bubblewrap and seccomp; shares the kernel and the machine",
	.probe = probe_srt,
};
