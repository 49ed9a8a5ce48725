/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_IDMAP_H
#define ANET_OS_IDMAP_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A detached copy of the mount that `fd` (O_PATH will do) lies in, rooted
 * there, submounts included (open_tree(2)).  With `map`, files that belong to
 * (disk_uid, disk_gid) belong to run_id in it and the other way round, and all
 * other ids stay as they are (mount_setattr(2), Linux 5.12).  Needs
 * CAP_SYS_ADMIN in the initial user namespace.  0 or -errno: EINVAL and EPERM
 * mean a filesystem or a container that cannot do it.
 */
int idmap_tree(int fd, bool map, uid_t disk_uid, gid_t disk_gid, uid_t run_id, int *ret_tree);

#endif
