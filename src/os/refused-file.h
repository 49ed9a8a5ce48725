/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_REFUSED_FILE_H
#define ANET_OS_REFUSED_FILE_H

#include <stdbool.h>

#include "core/refused-record.h"

/*
 * Where struct refused_record is: RUNTIME/anet/refused/ID, with /run for root's
 * sessions and those of units, XDG_RUNTIME_DIR for others.  The directory belongs to
 * its owner, and of root's the group `anet` may read what is in it.  A file is empty as
 * long as nothing was refused; its supervisor holds a lock on it while it lives.  What
 * sessions have left goes when REFUSED_FILES others came after them.
 */
#define REFUSED_NAME "refused"
#define REFUSED_FILES 64

/* For the supervisor, while it has the rights of whoever started it: a new file of this
 * session, in the place of one of an earlier session of that name.  `runtime`: as
 * runtime_dir_open().  The descriptor or -errno. */
int refused_file_make(const char *runtime, const char *session);

/* Writes the record, whose counts of writes it raises.  0 or -errno. */
int refused_file_write(int fd, struct refused_record *record);

/* The directory of RUNTIME/anet, to read it.  The descriptor or -errno. */
int refused_directory_open(const char *runtime);

/* The record of a session; of one that was refused nothing it has `n` 0 and no names.
 * *ret_lives: its supervisor does.  0, -EBADMSG, or -errno. */
int refused_file_read(int directory, const char *session,
		      struct refused_record *ret_record, bool *ret_lives);

#endif
