/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_PROTECTED_H
#define ANET_CORE_PROTECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a run could leave behind in a shared workspace to be executed outside
 * (protected.def).  What of it is there when a run starts is read-only for the run;
 * what is there at its end and was not, or is another file, is told.
 */
enum {
	PROTECTED_COUNT = 0
#define P(path, condition, who) +1
#include "protected.def"
#undef P
};

enum protected_condition {
	PROTECTED_ALWAYS,
	/* Only where the workspace is itself a repository (a bare one). */
	PROTECTED_REPOSITORY,
	/* As a file read-only.  As a directory writable, since commits go there, and
	 * told only when another one took its place: the rows below it say the rest. */
	PROTECTED_GITDIR,
	/* Never read-only; told when it made a repository of the workspace. */
	PROTECTED_BEGINS,
};

/* A row of the table; `row` below PROTECTED_COUNT.  The strings are static. */
const char *protected_path(size_t row);
enum protected_condition protected_condition(size_t row);
/* Who acts on it, for people: "git, which …". */
const char *protected_reader(size_t row);

enum protected_kind {
	PROTECTED_ABSENT,
	PROTECTED_DIRECTORY,
	PROTECTED_OTHER, /* a file, a link, … */
	/* What is on the way cannot be looked into. */
	PROTECTED_HIDDEN,
};

/* What one look at a row found. */
struct protected_state {
	uint64_t dev, ino;
	uint32_t kind; /* enum protected_kind */
	/* Of a file with several names, by one of which it can be written: when it
	 * was changed last, in nanoseconds.  Else 0. */
	uint32_t reserved;
	int64_t changed;
	/* Of a link, what it leads to in the workspace; 0: nothing there.  Then
	 * `changed` is of that. */
	uint64_t end_dev, end_ino;
	/* When it was made, in nanoseconds, since inode numbers are used again; 0 where
	 * the filesystem does not say. */
	int64_t born;
};

struct protected_states {
	uint32_t repository; /* whether git would take the workspace for a repository */
	uint32_t reserved;
	struct protected_state rows[PROTECTED_COUNT];
};

/* Whether a row that was found so is to be read-only for the run. */
bool protected_is_read_only(const struct protected_states *states, size_t row);

/* Whether both looks found the same file, whatever has become of what is in it.  What
 * is not there or was hidden is never the same. */
bool protected_is_same_file(const struct protected_state *one,
			    const struct protected_state *other);

/* The rows, as bits, that the run made or replaced between two looks. */
uint64_t protected_changes(const struct protected_states *before,
			   const struct protected_states *after);

#endif
