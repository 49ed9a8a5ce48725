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

/*
 * A pair is the uids N and N + 1, N even.  It is taken in either of two ways, which
 * respect each other, by the file `directory`/N (private_dir_open()): by a lock on
 * it for as long as a process lives (foreground), or by the name of a session in
 * it, from the preparation of its unit to its last step.
 */
#define UID_DIRECTORY "/run/anet/uids"

struct uid_pair {
	uint32_t supervisor; /* N */
	uint32_t run;	     /* N + 1 */
};

/* Takes the first free pair for as long as the descriptor is open.  0, -EUSERS
 * when all are in use, or -errno. */
int uid_range_take(const struct uid_range *range, const char *directory,
		   struct uid_pair *ret_pair, int *ret_lock_fd);

/* Takes the first free pair in the name of a session that has none, until
 * uid_range_release().  As uid_range_take(). */
int uid_range_reserve(const struct uid_range *range, const char *directory,
		      const char *session, struct uid_pair *ret_pair);

/* The pair that a session has reserved.  0, -ENOENT if none, or -errno. */
int uid_range_find(const char *directory, const char *session,
		   struct uid_pair *ret_pair);

/* Gives it back.  0, -ENOENT if there is none, or -errno. */
int uid_range_release(const char *directory, const char *session);

#endif
