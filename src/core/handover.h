/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_HANDOVER_H
#define ANET_CORE_HANDOVER_H

#include <stdint.h>
#include "core/limits.h"

/*
 * How a supervisor gives work to a helper, and how the helper answers.
 *
 * The helper has one connected AF_UNIX SOCK_SEQPACKET socket on descriptor 3
 * (sd_listen_fds(3): LISTEN_FDS=1, LISTEN_PID its own pid), whether systemd's
 * socket unit or the supervisor itself started it.  A message is exactly one
 * struct handover with the descriptors of its step, in this order, by
 * SCM_RIGHTS (unix(7)); anything else ends the helper with handover_invalid.
 *
 *   kind      step        descriptors
 *   GATEWAY   PREPARE     policy, ledger (read-only), pair, and of the strategy
 *                         `host` the endpoint's key (core/run.h)
 *   GATEWAY   CONNECTION  conn
 *   UPSTREAM  PREPARE     policy, ledger, pair, credential if the policy
 *                         has POLICY_CREDENTIAL_FD
 *   UPSTREAM  CONNECTION  conn (the same connection)
 *   TUNNEL    PREPARE     policy, ledger
 *   TUNNEL    CONNECTION  conn
 *   FILES     PREPARE     policy; a struct protected_share if the policy has
 *                         POLICY_PROTECT; one directory or more to be
 *                         measured, the workspace first
 *   WATCH     PREPARE     policy, listener (seccomp_unotify(2)), socket of the report
 *
 * `pair` is a SOCK_SEQPACKET socketpair between one gateway and one upstream
 * (core/upstream-record.h).  `conn` is the agent's accepted TCP connection;
 * it is handed over when its first byte is there.  A tunnel's comes from the other
 * endpoint (core/run.h); its OUTCOME counts in bytes_in what the agent sent to the
 * host, in bytes_out what it got from there, and has the host as detail once a
 * hello has named it.  What was refused, or ended by a limit, is an EVENT of its own.
 *
 * The same socket is the helper's lifetime: EOF there ends the helper.  In the
 * other direction go fixed reports: EVENT any number of times (each a refused
 * request), MEASURE from the files helper, and one OUTCOME as the last before
 * the helper exits.  EOF without OUTCOME: it died.
 */
#define HANDOVER_FD 3
#define HANDOVER_MAGIC 0x484e4131u /* "1ANH" */
#define HANDOVER_VERSION 1
/* The most that any step carries. */
#define HANDOVER_MAX_FDS 16

enum handover_kind {
	HANDOVER_GATEWAY = 1,
	HANDOVER_UPSTREAM = 2,
	HANDOVER_FILES = 3,
	HANDOVER_WATCH = 4,
	HANDOVER_TUNNEL = 5,
};

enum handover_step {
	HANDOVER_PREPARE = 1,
	HANDOVER_CONNECTION = 2,
};

struct handover {
	uint32_t magic;
	uint16_t version;
	uint16_t size; /* sizeof(struct handover) */
	uint16_t kind;
	uint16_t step;
	uint16_t n_fds;
	uint16_t reserved;
	uint64_t connection; /* number of the connection within the session */
};

enum report_type {
	REPORT_EVENT = 1,
	REPORT_MEASURE = 2,
	REPORT_OUTCOME = 3,
};

struct report {
	uint32_t magic;
	uint16_t version;
	uint16_t size; /* sizeof(struct report) */
	uint16_t kind; /* enum handover_kind of the sender */
	uint16_t type;
	uint32_t reason; /* enum reason */
	uint64_t connection;
	uint64_t requests;  /* OUTCOME: requests served or refused */
	uint64_t bytes_in;  /* OUTCOME: from the agent; MEASURE: allocated bytes */
	uint64_t bytes_out; /* OUTCOME: to the agent; MEASURE: entries */
	uint64_t usec;	    /* OUTCOME: since CONNECTION, monotonic */
	/* For people; may quote what an untrusted peer sent.  The receiver
	 * escapes it.  Ends with a NUL. */
	char detail[LIMIT_DETAIL + 1];
};

#endif
