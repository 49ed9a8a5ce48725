/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_HANDOVER_H
#define ANET_OS_HANDOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "core/handover.h"
#include "core/policy.h"
#include "core/reason.h"

/*
 * Helper side, first thing in main(): dumpable off, no core dump of any kind,
 * descriptors 0 to 2 pinned to /dev/null if closed, SIGPIPE ignored, and
 * exactly the descriptor HANDOVER_FD, a connected AF_UNIX SOCK_SEQPACKET
 * socket announced by LISTEN_FDS=1 and LISTEN_PID; every other descriptor is
 * closed.  Returns 0, or -errno after which the helper ends.
 */
int helper_begin(void);

/* The uid of the process that made the socket (SO_PEERCRED, socket(7)). */
int handover_peer_uid(int fd, uid_t *ret_uid);

/*
 * Sends or receives one fixed-size record with descriptors.  `send` does not
 * take the descriptors.  `receive` blocks; it sets O_CLOEXEC, closes what
 * came beyond `max_fds`, and gives exactly *ret_n_fds descriptors to the
 * caller.  Returns 0, -ENOTCONN at EOF, -EBADMSG for any other size or for
 * lost or surplus descriptors, or another -errno.
 */
int record_send(int fd, const void *record, size_t size, const int *fds, size_t n_fds);
int record_receive(int fd, void *record, size_t size, int *ret_fds, size_t max_fds,
		   size_t *ret_n_fds);

/*
 * Receives the struct handover of (kind, step) with exactly n_fds descriptors
 * (n_fds or n_fds + n_optional).  Returns as record_receive().
 */
int handover_receive(enum handover_kind kind, enum handover_step step, int *ret_fds,
		     size_t n_fds, size_t n_optional, size_t *ret_n_fds,
		     uint64_t *ret_connection);

/* Reads a policy record from its start and checks who made it, magic, version,
 * size and the NUL of every string.  A policy says who may use a key, so nobody but
 * root, or this very uid, can make one: it is a sealed memfd of theirs, or a file of
 * root's that nobody can write, under one name, on a tmpfs (not FUSE, where a user
 * says whose a file is).  Returns 0, -EPERM, -ENOTCONN if such a file has been
 * removed (its session has ended), -EBADMSG, or another -errno. */
int policy_read(int fd, struct policy *ret_policy);

/* Sends a report to the supervisor; `detail` is cut to fit.  A supervisor
 * that is gone is no error: there is nobody left to tell. */
void report_send(struct report *report, enum report_type type, enum reason reason,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* One step of a hand-over: the message of core/handover.h with these descriptors,
 * which stay the caller's.  0 or -errno. */
int handover_send(int fd, enum handover_kind kind, enum handover_step step,
		  uint64_t connection, const int *fds, size_t n_fds);

#endif
