/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts a child in a scope and lets it run into a limit: what tests/vm
 * looks at from outside.
 *
 *   scope-try SESSION MEMORY_BYTES TASKS ACTION
 *
 * ACTION: none    the child ends at once
 *         memory  a child of the child touches 64 MiB more than the limit
 *         tasks   the child forks until that fails
 *         kill    the child leaves sessions and daemons behind, then scope_kill()
 *
 * Prints one "key value" line per fact.  Exit status 0 if the scope was
 * started, 3 if not (the line `missing` says why), 1 for anything else.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/policy.h"
#include "os/cleanup.h"
#include "os/scope.h"

#define MIB ((size_t)1024 * 1024)

static long elapsed_usec(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - since->tv_sec) * 1000000 +
	       (now.tv_nsec - since->tv_nsec) / 1000;
}

static int touch_memory(size_t bytes)
{
	uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 2;
	for (size_t at = 0; at < bytes; at += 4096)
		memory[at] = 1;
	return 0;
}

/* In a child of its own, so that the first process lives on, as an agent does
 * when one of its programs is killed. */
static int use_memory(size_t bytes)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(touch_memory(bytes));
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 2;
	printf("memory %s\n", WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
				      ? "killed"
				      : "allowed");
	return 0;
}

static int use_tasks(uint64_t limit)
{
	uint64_t tasks = 1;

	/* Far enough to show that there is no limit. */
	while (tasks < 2 * limit) {
		pid_t pid = fork();

		if (pid == 0) {
			pause();
			_exit(0);
		}
		if (pid < 0) {
			printf("refused %s\n", strerror(errno));
			break;
		}
		tasks++;
	}
	printf("tasks %llu\n", (unsigned long long)tasks);
	fflush(stdout);
	return kill(0, SIGKILL); /* the process group is the child's own */
}

static int spread(void)
{
	for (int i = 0; i < 20; i++) {
		if (fork() == 0) {
			setsid();
			signal(SIGTERM, SIG_IGN);
			if (i % 2 == 0 && fork() > 0)
				_exit(0);
			pause();
			_exit(0);
		}
	}
	pause();
	return 0;
}

static int act(const char *action, const struct policy_limits *limits)
{
	if (strcmp(action, "memory") == 0)
		return use_memory(limits->memory_bytes + 64 * MIB);
	if (strcmp(action, "tasks") == 0)
		return use_tasks(limits->tasks);
	if (strcmp(action, "kill") == 0)
		return spread();
	return 0;
}

/* Until the child ended, as a supervisor does it. */
static int watch(struct scope *scope, pid_t pid)
{
	int notices = 0, status;

	for (;;) {
		struct pollfd fds[] = {
			{.fd = scope->memory_events_fd, .events = POLLPRI},
			{.fd = scope->pids_events_fd, .events = POLLPRI}};
		pid_t ended = waitpid(pid, &status, WNOHANG);

		if (ended < 0)
			return 1;
		if (ended == pid)
			break;
		if (poll(fds, 2, 20) > 0) {
			notices++;
			scope_poll_events(scope);
		}
	}
	scope_poll_events(scope);
	printf("noticed %d\nlimit %s\n", notices, reason_code(scope_limit_hit(scope)));
	return 0;
}

static int end_by_kill(const struct scope *scope)
{
	struct timespec start;
	int ended = 0;

	sleep(1); /* for the child to have forked */
	clock_gettime(CLOCK_MONOTONIC, &start);
	scope_kill(scope);
	/* All of them are ours, as the subreaper, and none ends by itself. */
	while (wait(NULL) > 0)
		ended++;
	printf("ended %d\nended_usec %ld\n", ended, elapsed_usec(&start));
	return 0;
}

/* A child that does nothing until a byte comes. */
static pid_t fork_waiting(const char *action, const struct policy_limits *limits,
			  int *ret_go)
{
	int go[2];
	pid_t pid;
	char byte;

	if (pipe2(go, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid != 0) {
		close(go[0]);
		*ret_go = go[1];
		return pid;
	}
	close(go[1]);
	setpgid(0, 0);
	if (read(go[0], &byte, 1) != 1)
		_exit(2);
	_exit(act(action, limits));
}

/* What anet-scope does for a supervisor. */
static int ask(int context, const struct systemd_scope *scope, char *ret_missing,
	       size_t missing_size)
{
	(void)context;
	return systemd_start_scope(scope, ret_missing, missing_size);
}

static void print_scope(const struct scope *scope, long usec)
{
	printf("unit %s\nstart_usec %ld\n", scope->unit, usec);
	printf("memory_max %llu\ntasks_max %llu\n",
	       (unsigned long long)scope->memory_max,
	       (unsigned long long)scope->tasks_max);
	printf("has_kill %d\n", scope->kill_fd >= 0);
}

int main(int argc, char **argv)
{
	const struct scope_manager manager = {ask, -1};
	struct policy_limits limits = {0};
	struct scope scope = SCOPE_NONE;
	struct timespec start;
	char missing[256];
	auto_fd int go = -1;
	pid_t pid;
	int r;

	setvbuf(stdout, NULL, _IOLBF, 0); /* the child prints too */
	if (argc != 5)
		return 1;
	limits.memory_bytes = strtoull(argv[2], NULL, 10);
	limits.tasks = strtoull(argv[3], NULL, 10);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork_waiting(argv[4], &limits, &go);
	if (pid < 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &start);
	r = scope_start(&manager,
			&(struct scope_request){.pid = pid,
						.session = argv[1],
						.description = "anet test of a scope",
						.limits = &limits},
			&scope, missing, sizeof(missing));
	if (r < 0) {
		printf("missing %s\nerrno %s\nstart_usec %ld\n", missing,
		       strerrorname_np(-r), elapsed_usec(&start));
		kill(pid, SIGKILL);
		return 3;
	}
	print_scope(&scope, elapsed_usec(&start));
	if (write(go, "", 1) != 1)
		return 1;
	r = strcmp(argv[4], "kill") == 0 ? end_by_kill(&scope) : watch(&scope, pid);
	scope_close(&scope);
	return r;
}
