/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_UID_RANGE_H
#define ANET_OS_UID_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * User ids for sessions that root starts: a pair each, one for the supervisor,
 * one for the run, out of the range that the account `anet` has in /etc/subuid
 * and /etc/subgid (subuid(5)), so that nobody else uses them.
 */
struct uid_range {
	uint32_t first;
	uint32_t count;
};

/* Where neither file has a line for the account: above what login.defs(5) and
 * systemd-nspawn give away, below 2^31. */
#define UID_RANGE_FIRST 1879048192u
#define UID_RANGE_COUNT 65536u

/* What both files give to the account.  0; -ENOENT when only one of them does or
 * they share nothing, -ERANGE when it is below 65536 or not below 2^31; or
 * another -errno. */
int uid_range_read(const char *subuid_path, const char *subgid_path,
		   struct uid_range *ret_range);

/* Whether this process' user namespace maps the whole range, as user and as group
 * ids (user_namespaces(7)): root of a container often has only the first 65536. */
bool uid_range_mapped(const struct uid_range *range);

/* Takes the first free pair: slot i is first + 2i and first + 2i + 1.  It is
 * taken for as long as the descriptor is open, which holds a lock on a file in
 * `directory` (private_dir_open()).  0, -EUSERS when all are in use, or -errno. */
int uid_range_take(const struct uid_range *range, const char *directory,
		   uint32_t *ret_supervisor, uint32_t *ret_run, int *ret_lock_fd);

#endif
