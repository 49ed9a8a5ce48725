/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What ends a run, and what happens then: signals, the end of processes,
 * timers, the scope's limits.
 */
#include "session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/cleanup.h"

/* How long a run that was asked to end may take, in milliseconds. */
#define GRACE_MS 5000
/* The scope of a unit's run is stopped by systemd within this, too. */
#define UNIT_GRACE_MS 1000
/* How long its processes and its last output may take after that. */
#define LAST_MS 5000

void session_end(struct session *s, enum reason reason, const char *format, ...)
{
	va_list arguments;

	if (s->stage >= STAGE_ENDING)
		return;
	if (!s->agent_ended) {
		s->reason = reason;
		va_start(arguments, format);
		vsnprintf(s->detail, sizeof(s->detail), format, arguments);
		va_end(arguments);
	}
	s->stage = STAGE_ENDING;
	close_fd(&s->lifeline);
	close_fd(&s->go);
	if (s->have_scope)
		scope_kill(&s->scope);
	(void)timer_set(s->deadline.fd, LAST_MS);
}

static void run_ended(struct session *s)
{
	if (s->stage == STAGE_STARTING)
		run_failed(s);
	/* Without a boundary others may live on and keep its output open: nobody waits
	 * for them. */
	if (!s->agent_ended && !s->end_signal && s->reason == REASON_OK) {
		s->reason = REASON_SYSTEM;
		snprintf(s->detail, sizeof(s->detail),
			 "the first process of the run was killed");
	}
	if (s->have_scope)
		scope_poll_events(&s->scope);
	/* The files of a removed cgroup are always ready (and the scope's own). */
	(void)watch_set(s, &s->scope_memory, 0);
	(void)watch_set(s, &s->scope_tasks, 0);
	s->stage = STAGE_GONE;
	endpoint_close(s);
	files_end(s);
	/* Its readers of input are gone; what it wrote is still to be copied. */
	watch_close(s, &s->in.from);
	watch_close(s, &s->in.to);
	if (!s->streams_begun) { /* then nobody has written for the caller */
		watch_close(s, &s->out.from);
		watch_close(s, &s->err.from);
	}
	(void)timer_set(s->deadline.fd, LAST_MS);
}

/* The last messages of a process that has ended are still in its socket. */
static void read_control(struct session *s)
{
	struct pollfd polled = { .events = POLLIN };

	while ((polled.fd = s->control.fd) >= 0 && poll(&polled, 1, 0) > 0)
		run_handle_control(s, &s->control, EPOLLIN);
}

/* bwrap is gone and so is PID 1 of the run: nobody of it is left. */
void session_check_gone(struct session *s)
{
	if (s->bwrap_pid == 0 && s->control.fd < 0 && s->stage != STAGE_GONE)
		run_ended(s);
}

static void bwrap_ended(struct session *s)
{
	/* Its child, where it was killed before that left its process group: it
	 * would wait for bwrap for ever.  (Root's has another uid: guard.c.) */
	(void)kill(-s->bwrap_pid, SIGKILL);
	s->bwrap_pid = 0;
	read_control(s);
	/* Where it was killed, the process that it started may go on. */
	close_fd(&s->lifeline);
	close_fd(&s->go);
	if (s->have_scope)
		scope_kill(&s->scope);
	session_check_gone(s);
	if (s->stage != STAGE_GONE)
		(void)timer_set(s->deadline.fd, LAST_MS);
}

static void handle_children(struct session *s)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		if (pid == s->bwrap_pid)
			bwrap_ended(s); /* of a helper its socket tells more */
}

static void handle_stop(struct session *s, int number)
{
	if (s->stage == STAGE_GONE) {
		/* Only the caller is waited for, who may not read any more. */
		s->end_signal = number;
		(void)timer_set(s->deadline.fd, 1);
		return;
	}
	if (s->end_signal || s->stage == STAGE_STARTING || number == SIGHUP) {
		session_end(s, REASON_INTERRUPTED, "by signal %d", number);
		s->end_signal = number;
		return;
	}
	run_signal(s, number);
	/* An agent may live on after Ctrl-C; the other two mean the session. */
	if (number == SIGINT || number == SIGQUIT)
		return;
	s->end_signal = number;
	(void)timer_set(s->deadline.fd,
			s->policy.flags & POLICY_UNIT ? UNIT_GRACE_MS : GRACE_MS);
}

static void handle_signals(struct session *s, struct watch *watch, uint32_t events)
{
	struct signalfd_siginfo signal;

	(void)events;
	if (read(watch->fd, &signal, sizeof(signal)) != (ssize_t)sizeof(signal))
		return;
	switch (signal.ssi_signo) {
	case SIGCHLD:
		handle_children(s);
		break;
	case SIGWINCH:
		streams_resize(s);
		break;
	default:
		handle_stop(s, (int)signal.ssi_signo);
	}
}

static void handle_wall_clock(struct session *s, struct watch *watch, uint32_t events)
{
	(void)events;
	watch_close(s, watch);
	session_end(s, REASON_LIMIT_WALL_CLOCK, "the run has lasted for its %" PRIu64 " s",
		    s->policy.limits.wall_clock_seconds);
}

static void handle_deadline(struct session *s, struct watch *watch, uint32_t events)
{
	uint64_t expirations;

	(void)events;
	(void)!read(watch->fd, &expirations, sizeof(expirations));
	if (s->bwrap_pid == 0 && s->stage != STAGE_GONE) {
		run_ended(s); /* PID 1 had its time; nothing more can reach it */
	} else if (s->stage == STAGE_RUNNING) {
		session_end(s, REASON_INTERRUPTED, "by signal %d; it did not end by itself",
			    s->end_signal);
	} else if (s->stage == STAGE_ENDING && s->bwrap_pid > 0) {
		/* Same uid only; otherwise the lifeline is what counts. */
		(void)kill(s->bwrap_pid, SIGKILL);
		(void)timer_set(s->deadline.fd, LAST_MS);
	} else if (s->stage == STAGE_GONE && (s->end_signal || s->reason)) {
		/* It was ended, and the caller does not read its output. */
		watch_close(s, &s->out.from);
		watch_close(s, &s->err.from);
	}
}

static void handle_scope(struct session *s, struct watch *watch, uint32_t events)
{
	enum reason reason;

	(void)events;
	scope_poll_events(&s->scope);
	reason = scope_limit_hit(&s->scope);
	/* A refused fork is told once and is the run's own matter. */
	if (reason == REASON_LIMIT_TASKS) {
		session_event(s, reason, "anet-session", "");
		(void)watch_set(s, watch, 0);
	}
}

void session_watch_scope(struct session *s)
{
	s->scope_memory =
		(struct watch){ .fd = s->scope.memory_events_fd, .handle = handle_scope };
	s->scope_tasks = (struct watch){ .fd = s->scope.pids_events_fd, .handle = handle_scope };
	(void)watch_set(s, &s->scope_memory, EPOLLPRI);
	(void)watch_set(s, &s->scope_tasks, EPOLLPRI);
}

/* By the caller: process_inherit_signals(). */
static bool is_ignored(int number)
{
	if (signal(number, SIG_IGN) == SIG_IGN)
		return true;
	(void)signal(number, SIG_DFL); /* there is no third */
	return false;
}

int session_open_watches(struct session *s)
{
	static const int numbers[] = { SIGCHLD, SIGINT,	 SIGTERM, SIGHUP,
				       SIGQUIT, SIGWINCH };
	sigset_t blocked;
	int r;

	r = watch_open(s);
	if (r < 0)
		return r;
	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!is_ignored(numbers[i]))
			sigaddset(&blocked, numbers[i]);
	if (sigprocmask(SIG_BLOCK, &blocked, NULL) < 0)
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	s->control.fd = s->files.fd = -1;
	for (size_t i = 0; i < ENDPOINT_KINDS; i++)
		s->endpoints[i].listener.fd = -1;
	s->scope_memory.fd = s->scope_tasks.fd = s->second.fd = s->master = -1;
	s->signals = (struct watch){
		.fd = signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK),
		.handle = handle_signals,
	};
	s->wall_clock = (struct watch){
		.fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK),
		.handle = handle_wall_clock,
	};
	s->deadline = (struct watch){
		.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
		.handle = handle_deadline,
	};
	s->tick = (struct watch){
		.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
		.handle = endpoint_tick,
	};
	if (s->signals.fd < 0 || s->wall_clock.fd < 0 || s->deadline.fd < 0 ||
	    s->tick.fd < 0)
		return -errno;
	r = watch_set(s, &s->signals, EPOLLIN);
	if (r == 0)
		r = watch_set(s, &s->wall_clock, EPOLLIN);
	if (r == 0)
		r = watch_set(s, &s->deadline, EPOLLIN);
	return r == 0 ? watch_set(s, &s->tick, EPOLLIN) : r;
}
