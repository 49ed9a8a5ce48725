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

/* Writes a file under its lock, unless it would add hosts that are not among those that
 * a person was `asked` about (NULL: none): then *ret_added has what egress_added()
 * says. */
typedef enum reason egress_write(void *context, char *const *asked, char ***ret_added);

/*
 * Writes, and asks before that about what is new.  Others wait for the lock, and a
 * person may take his time: he is asked without it, and then all is looked at again.
 * REASON_OK, what the writer returns, NOT_CONFIRMED or TERMINAL_REQUIRED.
 *
 * It tells on the terminal of this process what `whose` could reach, and asks there.
 * Standard streams are not asked: who starts a command from a program has these in his
 * hands.
 */
enum reason egress_confirm(egress_write *write, void *context, const char *whose,
			   struct detail *ret_detail);

/* Whether all of them were asked about. */
bool egress_was_asked(char *const *asked, char *const *added);

/* The command that allows one more host to an agent, for people, or to one run of what
 * is a runtime's name only.  NULL: its list is full, or it reaches all already. */
const char *egress_command(struct arena *arena, const struct agent *agent,
			   const char *host);

#endif
