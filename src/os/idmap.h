/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_IDMAP_H
#define ANET_OS_IDMAP_H

#include <stdbool.h>
#include <sys/types.h>

/* A user namespace that nobody is in, for its map alone: files that belong to
 * (disk_uid, disk_gid) belong to run_id by it and the other way round, and all other
 * ids stay as they are.  Kept for the next mount, which mostly has the same owner. */
struct idmap_names {
	int fd; /* -1: none yet */
	uid_t disk_uid;
	gid_t disk_gid;
	uid_t run_id;
};

/* Makes it, or keeps it if it is this one.  Needs CAP_SYS_ADMIN in the initial user
 * namespace.  0 or -errno. */
int idmap_names(struct idmap_names *names, uid_t disk_uid, gid_t disk_gid,
		uid_t run_id);

/*
 * A detached copy of the mount that `fd` (O_PATH will do) lies in, rooted there,
 * submounts included (open_tree(2)); with `names` (else NULL) its ids are mapped
 * (mount_setattr(2), Linux 5.12).  0 or -errno: EINVAL and EPERM mean a filesystem or
 * a container that cannot do it.
 */
int idmap_tree(int fd, const struct idmap_names *names, int *ret_tree);

#endif
