/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_REMOVE_TREE_H
#define ANET_OS_REMOVE_TREE_H

/*
 * Removes what `name` is in an open directory: a file, or a directory with all that is
 * in it.  No link is followed, and other filesystems that are mounted in it are left
 * (and it with them).  `name` has no slash.  0 or -errno: -ELOOP for more than 64
 * directories deep.
 */
int remove_tree(int directory, const char *name);

#endif
