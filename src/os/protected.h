/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_PROTECTED_H
#define ANET_OS_PROTECTED_H

#include <limits.h>

#include "core/protected.h"

/* Memory that the supervisor shares with anet-files (a sealed memfd of exactly this
 * size), which puts there what it found when the run had ended. */
struct protected_share {
	struct protected_states found;
	uint32_t done; /* not 0: it is all there */
	uint32_t reserved;
	char workspace[PATH_MAX]; /* from the supervisor: protected_look() */
};

/*
 * Looks at each row of core/protected.def below an open directory, whose canonical
 * path `root` is.  Links are followed as far as they stay below it, as programs
 * outside follow them.  What cannot be looked at counts as hidden.  Makes no call but
 * openat() of directories, readlinkat(), statx() and close().
 */
void protected_look(int workspace, const char *root,
		    struct protected_states *ret_states);

/* What `path` leads to in the same way, as a descriptor (O_PATH) or -errno: -EXDEV if
 * that is not below `root`. */
int protected_open(int workspace, const char *root, const char *path);

/* ".envrc, .git/hooks and 3 more" of a mask with a row in it, cut to fit. */
void protected_names(uint64_t rows, char *ret_text, size_t size);

#endif
