/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_REPLACE_FILE_H
#define ANET_OS_REPLACE_FILE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Replaces the file `name` of a directory as a whole: by .NAME.new, which is written,
 * given to `uid` and `gid` (-1: the caller's) with exactly `mode`, and on disk before
 * it takes the name; the directory is on disk before this returns.  One writer at a
 * time: the caller holds a lock, and what another has left under the temporary name
 * goes.  Signals wait meanwhile.  0, or -errno; then the file is as it was.
 */
int replace_file(int directory, const char *name, mode_t mode, uid_t uid, gid_t gid,
		 const void *bytes, size_t length);

/* Removes what replace_file() has left of `name` when it was killed.  0 or -errno. */
int replace_file_clear(int directory, const char *name);

/* flock(2), waiting, until the descriptor is closed.  0 or -errno. */
int lock_whole(int fd);

/* Makes what is missing above the last component.  0 or -errno. */
int make_parents(const char *path, mode_t mode);

#endif
