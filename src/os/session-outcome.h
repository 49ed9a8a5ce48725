/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_SESSION_OUTCOME_H
#define ANET_OS_SESSION_OUTCOME_H

#include <stdbool.h>

#include "core/session-state.h"

/* The last outcome of a session, OUTCOME_ROOT/ID (os/session-dir.h); by root. */

/* Completes *state (header, stage, time of change) and replaces the outcome by it;
 * makes OUTCOME_ROOT if need be.  0 or -errno. */
int session_outcome_write(const char *id, struct session_state *state);

bool session_outcome_exists(const char *id);

/* What is there belongs to an earlier life of the session.  0, also when nothing
 * is there, or -errno. */
int session_outcome_forget(const char *id);

#endif
