/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_VISIBLE_H
#define ANET_OS_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include "core/reason.h"

/* Whose credential files are meant. */
struct visible_homes {
	const char *own[2]; /* from passwd and from $HOME; NULL: none */
	bool root;	    /* root may choose a directory in another's home */
};

/* The caller's, from his account and environment; strings are not copied. */
void visible_homes_find(struct visible_homes *ret_homes);

/* What no run may see, looked up once for many checks: it knows what was there when it
 * was made.  The strings of `homes` must live as long.  NULL without memory; to be
 * given to visible_free(), which takes NULL. */
struct visible;
struct visible *visible_new(const struct visible_homes *homes);
void visible_free(struct visible *visible);

/*
 * Whether a run may see what `fd` (O_PATH will do) refers to; `path` is its
 * canonical path.  Refused is what equals or contains a never-visible path,
 * or lies inside one (SPEC S2.4), compared by name and by (st_dev, st_ino), so
 * that bind mounts and links of such a path are found too.  `program` is for
 * the files of the runtime's program, which may lie inside one.
 * OK or NEVER_VISIBLE with both paths in ret_detail; SYSTEM without memory.
 */
enum reason visible_look(struct visible *visible, int fd, const char *path,
			 bool program, char *ret_detail, size_t size);

/* The same for one alone. */
enum reason visible_check(int fd, const char *path, const struct visible_homes *homes,
			  bool program, char *ret_detail, size_t size);

#endif
