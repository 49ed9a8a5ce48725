/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_UPSTREAM_WATCH_H
#define ANET_UPSTREAM_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include "core/reason.h"

/*
 * All waiting of this program, so that whatever it waits for the agent's
 * departure, the gateway's and the supervisor's are seen at once.
 */
struct watch {
	int conn; /* -1 while there is none */
	int pair;
};

struct wait {
	int service;	      /* the connection to the service; -1: not waited for */
	short service_events; /* of poll(2) */
	bool agent;	      /* wait until the agent's connection takes bytes */
	int64_t deadline;     /* of watch_now() */
	bool service_ready, agent_ready; /* results */
};

/* Milliseconds of the monotonic clock. */
int64_t watch_now(void);

/*
 * Waits for what `wait` names.  REASON_OK: at least one of it is ready.
 * UPSTREAM_TIMEOUT at the deadline.  CLIENT_GONE when the agent has closed its
 * connection or at least its sending half, or the gateway its end of the pair.
 * SUPERVISOR_GONE.  HANDOVER_INVALID when somebody sent a record although
 * none may come now.
 */
enum reason watch_wait(const struct watch *watch, struct wait *wait)
	__attribute__((warn_unused_result));

/* Waits without end for a record on one of supervisor's and gateway's sockets:
 * REASON_OK when there is one on the pair, else as above. */
enum reason watch_idle(const struct watch *watch) __attribute__((warn_unused_result));

#endif
