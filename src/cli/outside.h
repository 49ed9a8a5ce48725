/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_OUTSIDE_H
#define ANET_CLI_OUTSIDE_H

#include <limits.h>

#include "config/arena.h"

/* Where this machine's filesystems are that may not answer, or that ask somebody when
 * they are looked at: of the network, of programs, and mounted on demand. */
struct outside {
	struct list foreign; /* their mount points */
};

/* Reads the table of mounts.  0 or -errno. */
int outside_read(struct arena *arena, struct outside *ret_outside);

/*
 * Opens what an absolute path is outside of any run, with the caller's rights, and
 * tells its canonical path.  Nothing of a foreign filesystem is touched: a path that a
 * run chose must not make the machine mount, wait or ask.  A descriptor (O_PATH), or
 * -errno: -EXDEV where it leads into a foreign one.
 */
int outside_open(const struct outside *outside, const char *path,
		 char ret_canonical[PATH_MAX]);

#endif
