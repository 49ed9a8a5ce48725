/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_SESSION_WATCH_H
#define ANET_SESSION_WATCH_H

#include <stdint.h>

struct session;

/* A descriptor in the event loop, embedded in what it belongs to. */
struct watch {
	int fd; /* -1: none */
	uint32_t events;
	void (*handle)(struct session *session, struct watch *watch, uint32_t events);
};

/* watch.c: the event loop.  watch_set() adds, changes or (events 0) pauses. */
int watch_open(struct session *session);
int watch_set(struct session *session, struct watch *watch, uint32_t events);
void watch_close(struct session *session, struct watch *watch);
/* Waits and calls one handler. */
int watch_dispatch(struct session *session);
int timer_set(int fd, uint64_t milliseconds);

#endif
