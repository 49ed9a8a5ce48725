/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_CGROUP_H
#define ANET_OS_CGROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Version 2 of the control groups only (cgroups(7), the kernel's
 * admin-guide/cgroup-v2.rst): where memory or pids belong to version 1, the
 * limits of a scope have no effect at all. */
#define CGROUP_ROOT "/sys/fs/cgroup"

/* A limit file that reads "max". */
#define CGROUP_MAX UINT64_MAX

/* Longest path of a cgroup that is followed; a unit name has at most 255
 * bytes, and slices nest a few deep. */
#define CGROUP_PATH_MAX 1024

/*
 * Whether the machine could limit memory and tasks at all.  Returns 0, or
 * -errno with a sentence that says what is missing: -EOPNOTSUPP where the
 * hierarchy is not version 2 alone, or a controller is not in it.
 */
int cgroup_probe(char *ret_missing, size_t missing_size);

/*
 * Opens (O_PATH) the cgroup of a process and gives its path below
 * CGROUP_ROOT, with a leading slash.  Returns 0, -ESRCH for a process that is
 * gone, -EOPNOTSUPP where it is in no cgroup of version 2 that can be reached
 * from here (another cgroup namespace), or -errno.
 */
int cgroup_open(pid_t pid, int *ret_fd, char *ret_path, size_t path_size);

/* Reads a file that holds one number or "max".  0, -EBADMSG, or -errno
 * (-ENOENT: the controller is not enabled for this cgroup). */
int cgroup_read_limit(int cgroup, const char *file, uint64_t *ret_limit);

/* Reads the value of `key` in an open "flat keyed" file, from its start: that
 * also makes poll(2) wait for the next change.  0, -ENOENT for a key that is
 * not there, -ENODEV when the cgroup is gone, or -errno. */
int cgroup_read_event(int events, const char *key, uint64_t *ret_value);

#endif
