/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_PROCESS_H
#define ANET_OS_PROCESS_H

/* What every program of anet does to itself first: nobody of the same uid may
 * trace it or read its memory, and it leaves no core dump, not even to the
 * host's core pipe handler (RLIMIT_CORE 0 would still start that, 1 does not;
 * core(5)). */
void process_harden(void);

/* Opens /dev/null for each of 0, 1, 2 that is closed, so that no later
 * descriptor is taken for standard output.  Returns 0 or -errno. */
int process_pin_stdio(void);

/* Unblocks all signals and sets those that may be inherited as ignored back
 * to their default: a caller may have ignored SIGCHLD or blocked anything. */
void process_reset_signals(void);

/* The same for a program that the caller waits for: SIGHUP, SIGINT and SIGQUIT
 * stay ignored if they are, as nohup(1) and the background jobs of shells have
 * it. */
void process_inherit_signals(void);

#endif
