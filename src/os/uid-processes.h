/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_UID_PROCESSES_H
#define ANET_OS_UID_PROCESSES_H

#include "os/uid-range.h"

/*
 * Ends every process that has a uid of the pair, wherever it is, by SIGKILL, and
 * waits until none is left; called by root.  Who calls it knows that the pair is
 * reserved for a session that has ended, so that no process gets one of these uids
 * any more: only root can give one away.  0, -EBUSY if some are still there after
 * `milliseconds` (a process in a system call that cannot be interrupted), or
 * -errno.
 */
int uid_end_processes(const struct uid_pair *pair, unsigned int milliseconds);

#endif
