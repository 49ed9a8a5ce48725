/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_PRIVATE_DIR_H
#define ANET_OS_PRIVATE_DIR_H

/* Opens a directory that belongs to this user and that nobody else can write,
 * made with mode 0700 if it is not there; its parent must be.  A symbolic link
 * is not followed.  Returns the descriptor, -EPERM if it is not as said, or
 * another -errno. */
int private_dir_open(const char *path);

#endif
