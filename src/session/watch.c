/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/session.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "os/cleanup.h"

int watch_open(struct session *session)
{
	session->epoll = epoll_create1(EPOLL_CLOEXEC);
	return session->epoll < 0 ? -errno : 0;
}

int watch_set(struct session *session, struct watch *watch, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };
	int operation = EPOLL_CTL_MOD;

	if (watch->fd < 0 || watch->events == events)
		return 0;
	/* A paused descriptor is taken out: epoll reports EPOLLHUP and EPOLLERR
	 * even to those who asked for nothing, over and over. */
	if (events == 0)
		operation = EPOLL_CTL_DEL;
	else if (watch->events == 0)
		operation = EPOLL_CTL_ADD;
	if (epoll_ctl(session->epoll, operation, watch->fd, &event) < 0)
		return -errno;
	watch->events = events;
	return 0;
}

void watch_close(struct session *session, struct watch *watch)
{
	(void)watch_set(session, watch, 0);
	close_fd(&watch->fd);
}

int watch_dispatch(struct session *session)
{
	struct epoll_event event;
	struct watch *watch;
	int n;

	/* One at a time: a handler may close any other watch. */
	n = epoll_wait(session->epoll, &event, 1, -1);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 0)
		return 0;
	watch = event.data.ptr;
	watch->handle(session, watch, event.events);
	return 0;
}

int timer_set(int fd, uint64_t milliseconds)
{
	struct itimerspec timer = {
		.it_value.tv_sec = (time_t)(milliseconds / 1000),
		.it_value.tv_nsec = (long)(milliseconds % 1000) * 1000000,
	};

	return timerfd_settime(fd, 0, &timer, NULL) < 0 ? -errno : 0;
}
