/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_SESSION_CLEAN_H
#define ANET_OS_SESSION_CLEAN_H

#include "core/limits.h"

/*
 * Who prepares a session, or removes what is left of one, is alone with what has its
 * name in RUN_ANET, for as long as the descriptor is open.  RUN_ANET must be there.
 * Waits.  The descriptor or -errno.
 */
int session_lock(const char *id);

/*
 * SESSION_ROOT/ID is there as a whole or not at all: it is filled, and emptied, under
 * the name of session_dir_scratch() beside it.  What has that name is a rest, for
 * whoever has the lock.
 */
#define SESSION_SCRATCH_NAME (LIMIT_SESSION_ID + 2)
void session_dir_scratch(const char *id, char ret_name[SESSION_SCRATCH_NAME]);

/* Opens SESSION_ROOT/ID (O_PATH, no link followed), whoever owns it: to remove it.
 * The descriptor or -errno (-ENOTDIR, -ELOOP: it is no directory). */
int session_dir_find(const char *id);

/*
 * Removes SESSION_ROOT/ID and a rest: the files that root made there, by their
 * names, and what lies in `live`, which belonged to the supervisor, without following
 * anything.  0, also when there is nothing; -ENOTEMPTY if there is more than anet
 * would make, or -errno.
 */
int session_dir_remove(const char *id);

#endif
