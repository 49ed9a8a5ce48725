/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_PROTECTED_RECORD_H
#define ANET_OS_PROTECTED_RECORD_H

#include <limits.h>

#include "core/limits.h"
#include "core/protected.h"

/*
 * What runs left of core/protected.def in a workspace, for `anet sessions clean`: a
 * file for each workspace, named by device and inode of its directory, with one record
 * after the other.  Root's, also of units, lie in PROTECTED_ROOT, a user's below his
 * home; the directory is its owner's alone.  Files without a record belong to
 * sessions that live, or that left nothing, and are removed by the next session.
 */
#define PROTECTED_ROOT "/var/lib/anet/protected"
#define PROTECTED_BELOW_HOME "/.local/state/anet/protected"

#define PROTECTED_MAGIC 0x4c4e4131u /* "1ANL" */
#define PROTECTED_VERSION 2
/* Of one workspace; who has so many has not looked at any. */
#define PROTECTED_MAX_RECORDS 64

#define PROTECTED_NAME 64 /* bytes of a file's name, with its NUL */

struct protected_record {
	uint32_t magic;
	uint16_t version;
	uint16_t reserved;
	uint64_t usec; /* when the session ended, since the epoch */
	uint64_t rows; /* bits */
	char session[LIMIT_SESSION_ID + 1];
	char workspace[PATH_MAX];
	/* What was found of the rows; a row is removed only if it is the same still. */
	struct protected_state states[64];
};

/* The directory of this caller, made if it is not there: `home` NULL for root's.  The
 * descriptor or -errno. */
int protected_directory(const char *home);

/* The name of the file of an open workspace.  0 or -errno. */
int protected_record_name(int workspace, char ret_name[PROTECTED_NAME]);

/* The file of the workspace that `workspace` refers to, to be appended to; removes
 * other files that are empty and of no session.  The descriptor or -errno. */
int protected_record_open(int directory, int workspace);

/* 0, -EFBIG if there are PROTECTED_MAX_RECORDS, or -errno. */
int protected_record_append(int fd, const struct protected_record *record);

/* The next record from an open file.  1; 0 at its end; -EBADMSG, or -errno. */
int protected_record_read(int fd, struct protected_record *ret_record);

#endif
