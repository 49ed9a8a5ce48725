/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-init: the first process of a run, in a sandbox its PID 1.
 *
 * Job: checks that what is mounted is what the supervisor checked and that
 * the system call filter is on, writes the files of the runtime into the home,
 * opens the endpoints' listeners and the terminal and hands them out, starts the
 * agent, reaps, reports its exit status, and ends the run when the supervisor is gone: the kernel kills every process of
 * a PID namespace when its first one exits (pid_namespaces(7)), whatever they
 * have forked, detached or ignored.
 *
 * Trusts: the record and the control socket, both made by the supervisor.  It
 * reads no byte that the agent wrote.  Not dumpable: the agent, which has the
 * same uid, cannot trace it or see its descriptors; as PID 1 it gets no signal
 * from inside.
 *
 * Descriptors: see enum init_fd.
 *
 * A program of its own, and static, because it runs inside the boundary: it
 * holds nothing that the agent may not have.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/init-record.h"
#include "core/reason.h"
#include "core/run.h"
#include "init/descendants.h"
#include "init/home-files.h"
#include "init/mount-check.h"
#include "init/report-filter.h"
#include "init/setid-check.h"
#include "init/start.h"
#include "init/terminal.h"
#include "os/cleanup.h"
#include "os/handover.h"
#include "os/process.h"

static struct start start;

static void tell(enum init_message_type type, int value, const char *detail, const int *fds,
		 size_t n_fds)
{
	struct init_message message = {
		.magic = INIT_MAGIC,
		.version = INIT_VERSION,
		.type = type,
		.value = value,
	};

	snprintf(message.detail, sizeof(message.detail), "%s", detail);
	/* A supervisor that is gone is seen at the lifeline. */
	(void)record_send(INIT_FD_CONTROL, &message, sizeof(message), fds, n_fds);
}

__attribute__((noreturn)) static void refuse_run(enum reason reason, const char *detail)
{
	tell(INIT_REFUSED, (int)reason, detail, NULL, 0);
	_exit(reason_exit_status(reason));
}

__attribute__((noreturn)) static void refuse_system(const char *what)
{
	char detail[LIMIT_DETAIL + 1];

	snprintf(detail, sizeof(detail), "%s: %s", what, strerror(errno));
	refuse_run(REASON_SANDBOX_START_FAILED, detail);
}

/* What the runtime's program is to find in its home. */
static void write_files(void)
{
	const char *place = start.files;

	for (uint32_t i = 0; i < start.header->n_files; i++) {
		const char *path = place, *text = path + strlen(path) + 1;
		char detail[LIMIT_DETAIL + 1] = "";
		enum reason reason =
			home_file_write(RUN_HOME, path, text, detail, sizeof(detail));

		place = text + strlen(text) + 1;

		if (reason)
			refuse_run(reason, detail);
	}
}

static int open_listener(uint16_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd;

	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The backlog holds a burst while all places are taken. */
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, 128) < 0)
		refuse_system(port == ENDPOINT_TUNNEL_PORT
				      ? "the listener of the tunnel endpoint"
				      : "the listener of the model endpoint");
	return fd;
}

/* Ends the run: in a sandbox the kernel kills whatever PID 1 leaves. */
__attribute__((noreturn)) static void leave(void)
{
	if (start.header->flags & INIT_HOST)
		descendants_end();
	_exit(0);
}

/* Waits for what the supervisor says; the end of the lifeline ends the run. */
static struct init_message receive(void)
{
	struct init_message message;
	size_t n_fds;

	if (record_receive(INIT_FD_CONTROL, &message, sizeof(message), NULL, 0, &n_fds) < 0 ||
	    message.magic != INIT_MAGIC || message.version != INIT_VERSION)
		leave();
	return message;
}

static unsigned int wait_for_start(void)
{
	struct init_message message;
	struct pollfd polled[] = {
		{ .fd = INIT_FD_CONTROL, .events = POLLIN },
		{ .fd = INIT_FD_LIFELINE, .events = POLLIN },
	};

	while (poll(polled, 2, -1) < 0 && errno == EINTR)
		;
	if (polled[1].revents)
		_exit(0);
	message = receive();
	if (message.type != INIT_START)
		_exit(0);
	return (unsigned int)message.value;
}

/* In the child: gives it the terminal or the pipes, and a session of its own.
 * `error` is closed by execve(2), or carries why that failed. */
__attribute__((noreturn)) static void exec_agent(int slave, int error)
{
	int number;

	(void)setsid();
	if (slave >= 0) {
		(void)ioctl(slave, TIOCSCTTY, 0);
		(void)dup2(slave, STDIN_FILENO);
		(void)dup2(slave, STDOUT_FILENO);
		if (!(start.header->flags & INIT_STDERR_PIPE))
			(void)dup2(slave, STDERR_FILENO);
	}
	process_reset_signals();
	if (chdir(start.directory) == 0)
		execvpe(start.argv[0], start.argv, start.env);
	number = errno;
	(void)!write(error, &number, sizeof(number));
	_exit(127);
}

static void report_exec_error(int number)
{
	char detail[LIMIT_DETAIL + 1];
	bool missing = number == ENOENT || number == ENOTDIR;

	snprintf(detail, sizeof(detail), "%.160s: %s", start.argv[0],
		 missing && !strchr(start.argv[0], '/') ? "no such program in PATH" :
							  strerror(number));
	refuse_run(missing ? REASON_COMMAND_NOT_FOUND : REASON_COMMAND_NOT_EXECUTABLE, detail);
}

/* execve(2) may wait for a filesystem that does not answer. */
static void wait_for_exec(int end)
{
	struct pollfd polled[] = {
		{ .fd = end, .events = POLLIN },
		{ .fd = INIT_FD_LIFELINE, .events = POLLIN },
	};

	while (poll(polled, 2, -1) < 0 && errno == EINTR)
		;
	if (polled[1].revents)
		leave();
}

static pid_t start_agent(int slave, unsigned int max_tasks)
{
	int number = 0, ends[2];
	ssize_t got;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		refuse_system("a pipe");
	if (max_tasks) {
		/* Counted within the run's own user namespace since Linux 5.14
		 * (user_namespaces(7)); plus one for anet-init. */
		struct rlimit tasks = { max_tasks + 1, max_tasks + 1 };

		(void)setrlimit(RLIMIT_NPROC, &tasks);
	}
	/* execvpe(3) searches the PATH of the caller's environment. */
	environ = start.env;
	pid = fork();
	if (pid < 0)
		refuse_system("the agent's process");
	if (pid == 0)
		exec_agent(slave, ends[1]);
	close(ends[1]);
	wait_for_exec(ends[0]);
	do
		got = read(ends[0], &number, sizeof(number));
	while (got < 0 && errno == EINTR);
	close(ends[0]);
	if (got == (ssize_t)sizeof(number))
		report_exec_error(number);
	tell(INIT_STARTED, 0, "", NULL, 0);
	return pid;
}

/* The agent's output ends when its writers end, not when PID 1 does. */
static void leave_stdio(int null, int slave)
{
	for (int fd = 0; fd <= 2; fd++)
		(void)dup2(null, fd);
	close(null);
	if (slave >= 0)
		close(slave);
}

/* Reaps whatever ended; gives true with the status once the agent has. */
static bool reap(pid_t agent, int *ret_status)
{
	bool ended = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != agent)
			continue;
		*ret_status = status;
		ended = true;
	}
	return ended;
}

static void supervise(pid_t agent, int signals)
{
	struct pollfd polled[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = INIT_FD_CONTROL, .events = POLLIN },
		{ .fd = INIT_FD_LIFELINE, .events = POLLIN },
	};

	for (;;) {
		struct signalfd_siginfo ignored;
		struct init_message message;
		int status;

		if (poll(polled, 3, -1) < 0)
			continue; /* EINTR */
		if (polled[2].revents)
			return;
		if (polled[1].revents) {
			message = receive();
			if (message.type == INIT_SIGNAL)
				(void)kill(-agent, message.value); /* may just have ended */
		}
		if (polled[0].revents) {
			(void)!read(signals, &ignored, sizeof(ignored));
			if (reap(agent, &status)) {
				tell(INIT_EXITED, status, "", NULL, 0);
				return;
			}
		}
	}
}

/* With what was opened, and from now on the notifications where they are wanted. */
static void tell_ready(int fds[INIT_READY_FDS], size_t n_fds)
{
	int r = start.header->flags & INIT_REPORT ? report_filter_install() : 0;

	if (r > 0)
		fds[n_fds++] = r;
	tell(INIT_READY, r < 0 ? r : 0, "", fds, n_fds);
	for (size_t i = 0; i < n_fds; i++)
		close(fds[i]);
}

int main(void)
{
	char detail[LIMIT_DETAIL + 1] = "";
	int fds[INIT_READY_FDS], master = -1, slave = -1, signals, null;
	enum reason reason;
	size_t n_fds = 0;
	sigset_t blocked;
	pid_t agent;
	bool host;

	process_harden();
	/* It was executed by descriptor: ps(1) would show that number. */
	(void)prctl(PR_SET_NAME, "anet-init", 0, 0, 0);
	if (close_range(INIT_FD_COUNT, ~0u, 0) < 0)
		refuse_system("surplus descriptors");
	for (int fd = INIT_FD_CONTROL; fd < INIT_FD_COUNT; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	if (sigprocmask(SIG_SETMASK, &blocked, NULL) < 0)
		refuse_system("signals");
	signals = signalfd(-1, &blocked, SFD_CLOEXEC);
	if (signals < 0)
		refuse_system("signals");

	reason = start_read(&start, detail, sizeof(detail));
	if (reason)
		refuse_run(reason, detail);
	host = start.header->flags & INIT_HOST;
	if (host && descendants_adopt() < 0)
		refuse_system("adopting the agent's processes");
	reason = mount_check(start.checks, start.header->n_checks, start.text, detail,
			     sizeof(detail));
	if (!reason && !host)
		reason = setid_check(detail, sizeof(detail));
	if (reason)
		refuse_run(reason, detail);
	/* Without a sandbox there are none, and the home is the account's. */
	if (!host)
		write_files();
	if (start.header->flags & INIT_ENDPOINT)
		fds[n_fds++] = open_listener(ENDPOINT_MODEL_PORT);
	if (start.header->flags & INIT_TUNNEL)
		fds[n_fds++] = open_listener(ENDPOINT_TUNNEL_PORT);
	if (start.header->flags & INIT_TTY) {
		int r = terminal_open(&master, &slave);

		if (r < 0) {
			errno = -r;
			refuse_system("the run's terminal");
		}
		fds[n_fds++] = master;
	}
	/* What is opened later may have to wait for anet-watch. */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	tell_ready(fds, n_fds);
	agent = start_agent(slave, wait_for_start());
	leave_stdio(null, slave);
	supervise(agent, signals);
	leave();
}
