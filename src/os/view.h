/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_VIEW_H
#define ANET_OS_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/policy.h"
#include "core/protected.h"
#include "core/reason.h"
#include "os/run-record.h"

/*
 * What a run of strategy srt sees of the machine, as a plan: the supervisor mounts
 * exactly this, in this order, and `anet why` answers from it.  What no entry
 * covers is not there.
 */

/* Where the homes lie that agents of an ordinary user keep, below his home. */
#define VIEW_KEPT_HOMES "/.local/share/anet/homes"

enum view_kind {
	VIEW_SYSTEM = 1, /* the machine's own programs and settings */
	VIEW_PROGRAM,	 /* the runtime's program */
	VIEW_MOUNT,	 /* of `mounts` in the configuration, or of the probe */
	VIEW_WORKSPACE,
	VIEW_PROTECTED, /* in the workspace: core/protected.h */
	VIEW_HOME,	/* the run's home */
	VIEW_PRIVATE,	/* the run's own, empty at its start */
	VIEW_MADE,	/* written by anet, the same in all runs */
	VIEW_MASKED,	/* there, and empty */
	VIEW_LINK,	/* a link of the system's */
};

/* How an entry comes to be. */
enum view_way {
	VIEW_BIND = 1,	/* what `fd` refers to */
	VIEW_TMPFS,	/* of `bytes` at most, with the permissions of `mode` */
	VIEW_PROC,	/* a proc of the run's own */
	VIEW_DEV,	/* a few devices */
	VIEW_SYMLINK,	/* `source` is what it leads to */
	VIEW_FILE,	/* `source` is its text */
	VIEW_DIRECTORY, /* an empty directory with the permissions of `mode` */
};

/* Of entries that are files with a text of anet's, VIEW_FILE. */
#define VIEW_MADE_FILES 5

struct view_entry {
	enum view_kind kind;
	enum view_way way;
	const char *target; /* absolute, without links */
	const char *source; /* of a bind: its canonical path outside */
	bool writable;
	/* Which rule put it there, for people: "`mounts` of the configuration"; of
	 * VIEW_PROTECTED who acts on it. */
	const char *rule;

	/* Of binds only: what was checked. */
	int fd; /* O_PATH, the view's own; else -1 */
	uint64_t dev, ino;
	uint32_t flags; /* enum run_mount_flags */

	uint64_t bytes;
	const char *mode; /* octal digits */
};

struct view {
	struct view_entry *entries;
	size_t n;
	size_t room;
	/* With POLICY_PROTECT: what of the table was in the workspace. */
	struct protected_states protected;
};

/*
 * Opens and checks every source; nothing is mounted.  To be called with the rights
 * of whoever starts the run.  REASON_OK, or the reason with what, on which path and
 * why in ret_detail; *ret_view is to be given to view_free() in either case.
 */
enum reason view_build(const struct run_record *run, const struct policy *policy,
		       struct view *ret_view, char *ret_detail, size_t size);

/* The entry that decides about an absolute path: the deepest that covers it; of two
 * at one place the later one.  `path` is taken as it is: "//", "." and ".." are not
 * resolved, and links (VIEW_LINK, or those in a workspace) are not followed.
 * NULL: not visible. */
const struct view_entry *view_find(const struct view *view, const char *path);

/* Some entry that lies below `path`: where view_find() finds none, `path` is there as
 * an empty read-only directory with only what leads to such entries.  Or NULL. */
const struct view_entry *view_find_below(const struct view *view, const char *path);

/* Never NULL once view_build() has succeeded. */
const struct view_entry *view_workspace(const struct view *view);

/* Whether a run may be given what `fd` (O_PATH will do) refers to, by its kind: only
 * files and directories, writable only where the filesystem is.  OK or MOUNT_INVALID
 * with the sentence. */
enum reason view_check_source(int fd, const char *path, bool writable, char *ret_detail,
			      size_t size);

/* "system", "program", … */
const char *view_kind_word(enum view_kind kind);

void view_free(struct view *view);

#endif
