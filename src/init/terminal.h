/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_INIT_TERMINAL_H
#define ANET_INIT_TERMINAL_H

/*
 * A terminal of the run's own devpts, so that it has a name inside
 * (ttyname(3)) and nothing of the caller's terminal crosses.  The master goes
 * to the supervisor, the slave becomes the agent's.  0 or -errno.
 */
int terminal_open(int *ret_master, int *ret_slave);

#endif
