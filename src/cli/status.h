/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_STATUS_H
#define ANET_CLI_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/sessions.h"
#include "config/arena.h"
#include "config/places.h"
#include "os/explain.h"
#include "strategies/table.h"

/* What `anet status` looks at.  Schema anet.status/1. */

enum socket_state {
	SOCKET_LISTENING,
	SOCKET_SILENT, /* the file is there, nobody listens */
	SOCKET_ABSENT,
};

struct socket_status {
	const char *name;
	const char *unit;
	const char *path;
	enum socket_state state;
};

#define STATUS_SOCKETS 3

struct status {
	struct arena arena;
	struct places places;
	bool systemd;
	/* Why memory and tasks are not limited; NULL: they are. */
	const char *units_missing;  /* of units */
	const char *caller_missing; /* of this caller's `anet run` */
	/* OK, or why there is no table. */
	enum reason strategies_reason;
	struct detail strategies_detail;
	struct strategies strategies;
	struct socket_status sockets[STATUS_SOCKETS];
	/* OK, or why they cannot be seen. */
	enum reason sessions_reason;
	struct detail sessions_detail;
	struct sessions sessions;
	/* All sessions that run. */
	struct session_state total;
	uint64_t running, uids_in_use;
	/* 0: the range cannot be told. */
	uint64_t uids;
};

/* Adds up what the sessions say; what would not fit stays at the maximum. */
void status_total(struct status *status);

/* Whether somebody listens at this path, as /proc/net/unix has it (`table`). */
bool status_is_listening(const char *table, const char *path);

const char *socket_state_name(enum socket_state state);

void status_print(struct status *status);
void status_print_json(struct status *status);

#endif
