/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_PROTECTED_H
#define ANET_OS_PROTECTED_H

#include "core/protected.h"

/* Memory that the supervisor shares with anet-files (a sealed memfd of exactly this
 * size), which puts there what it found when the run had ended. */
struct protected_share {
	struct protected_states found;
	uint32_t done; /* not 0: it is all there */
	uint32_t reserved;
};

/*
 * Looks at each row of core/protected.def below an open directory (O_PATH will do),
 * following no link.  What cannot be looked at counts as hidden, so that it
 * differs from what was seen.  Makes no call but openat() of directories, statx()
 * and close().
 */
void protected_look(int workspace, struct protected_states *ret_states);

/* ".envrc, .git/hooks and 3 more" of a mask with a row in it, cut to fit. */
void protected_names(uint64_t rows, char *ret_text, size_t size);

#endif
