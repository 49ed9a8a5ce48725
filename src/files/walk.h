/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_FILES_WALK_H
#define ANET_FILES_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * The size of a directory tree that somebody else changes meanwhile.
 *
 * Nothing is followed: names are looked up below descriptors, never through a
 * symbolic link, and never in a directory that is another mount's root.  A
 * btrfs subvolume, which a run may make, is no mount and is walked.
 */

/* A path of PATH_MAX (4096) bytes whose names have 7 is 512 deep: what lies
 * deeper is no project, and one descriptor is held for each level. */
#define WALK_MAX_DEPTH 512

struct walk_options {
	/* A directory changed since then that cannot be measured is a finding;
	 * all zero: none is, but for the root and for what is too deep. */
	struct timespec since;
	/* Stop, with what is found so far, as soon as more than this is found. */
	uint64_t max_bytes;
	uint64_t max_entries;
	/* Asked from time to time; true ends the walk. */
	bool (*cancelled)(void);
};

enum walk_finding {
	WALK_MEASURED = 0,
	WALK_CANCELLED,
	/* A directory changed since `since` may not be read. */
	WALK_UNREADABLE,
	WALK_TOO_DEEP,
};

struct tree_size {
	/* Allocated (st_blocks), so sparse files cost nothing and preallocated
	 * ones do; a file with n links counts an nth at each. */
	uint64_t bytes;
	uint64_t entries;
	enum walk_finding finding;
	/* Of the directory that is the finding: its name, for people. */
	char name[128];
};

/* `root` is a directory, O_PATH suffices.  Uses no heap.  Entries that vanish
 * meanwhile are left out. */
void walk_tree(int root, const struct walk_options *options,
	       struct tree_size *ret_size);

#endif
