/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_INIT_DESCENDANTS_H
#define ANET_INIT_DESCENDANTS_H

/* From now on a process whose parent has ended becomes a child of this one
 * (PR_SET_CHILD_SUBREAPER, Linux 3.4).  0 or -errno. */
int descendants_adopt(void);

/* Kills all of them, until none is left or the kernel does not let go of one for a
 * second: what has another uid by then (a set-user-ID program) stays. */
void descendants_end(void);

#endif
