/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_EGRESS_ASK_H
#define ANET_CLI_EGRESS_ASK_H

#include "config/arena.h"
#include "config/config.h"
#include "os/explain.h"

/* Hosts that runs may reach are added by a person at a terminal: SPEC S8.1. */

/* What one allows and the other does not, each for people: a host, or "every public
 * host".  Empty: nothing is new. */
char **egress_added(struct arena *arena, const struct config_egress *before,
		    const struct config_egress *after);

/*
 * Tells on the terminal of this process what `whose` runs could reach, and asks.
 * Standard streams are not asked: who starts a command from a program has these in his
 * hands.  REASON_OK if the answer was yes; NOT_CONFIRMED, or TERMINAL_REQUIRED.
 */
enum reason egress_ask(const char *whose, char *const *added,
		       struct detail *ret_detail);

/* Whether all of them were asked about. */
bool egress_was_asked(char *const *asked, char *const *added);

/* The command that allows one more host to an agent, for people, or to one run of what
 * is a runtime's name only.  NULL: its list is full, or it reaches all already. */
const char *egress_command(struct arena *arena, const struct agent *agent,
			   const char *host);

#endif
