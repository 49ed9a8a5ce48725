/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_SESSIONS_H
#define ANET_CLI_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/arena.h"
#include "core/policy.h"
#include "core/session-name.h"
#include "core/session-state.h"
#include "os/explain.h"

/* The sessions of units, as their records have them (os/session-dir.h).  A state
 * is its supervisor's word: numbers may be any, its text must be escaped. */

/* One that runs, or was prepared. */
struct session_seen {
	struct session_name name;
	char *unit; /* its full name; NULL: its record cannot be used */
	bool have_policy, have_state;
	bool gone; /* its unit's control group is no more */
	struct policy policy;
	struct session_state state;
};

/* One that has ended, and did not start again. */
struct session_outcome {
	struct session_name name;
	struct session_state state;
};

struct sessions {
	struct session_seen *seen; /* both by id */
	size_t n_seen;
	struct session_outcome *outcomes;
	size_t n_outcomes;
};

/* REASON_OK, also when there are no directories of sessions; NOT_PERMITTED or
 * SYSTEM. */
enum reason sessions_read(struct arena *arena, struct sessions *ret_sessions,
			  struct detail *ret_detail);

/* "starting", "running", "ending", "ended", "gone". */
const char *session_state_word(const struct session_seen *seen);

void sessions_print(struct arena *arena, const struct sessions *sessions);
void sessions_print_json(struct arena *arena, const struct sessions *sessions);

#endif
