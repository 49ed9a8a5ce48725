/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_SESSION_STATE_H
#define ANET_CORE_SESSION_STATE_H

#include <stdint.h>

#include "core/limits.h"

/*
 * What a supervisor lets others see of its session: a record of fixed size in
 * the file SESSION_STATE_FILE (os/session-dir.h), replaced as a whole, once a
 * second at most and at its end.  Same machine, same build, as core/policy.h.
 * Readers do not trust it: it comes from the uid of the supervisor.
 */
#define SESSION_STATE_MAGIC 0x534e4131u /* "1ANS" */
#define SESSION_STATE_VERSION 2

enum session_stage {
	SESSION_STARTING = 1, /* the sandbox is being built */
	SESSION_RUNNING,
	SESSION_ENDING,
	SESSION_ENDED, /* the last record: every process of the run is gone */
};

enum session_state_flags {
	SESSION_LIMITS_FULL = 1 << 0, /* in a scope, limits read back (SPEC S2.8) */
	SESSION_AGENT_EXITED = 1 << 1, /* agent_status holds */
};

struct session_state {
	uint32_t magic;
	uint16_t version;
	uint16_t size; /* sizeof(struct session_state) */
	uint32_t stage;
	uint32_t flags;
	/* enum reason; the limit that was hit, or why the session ended */
	uint32_t reason;
	int32_t agent_status; /* as waitpid(2) gives it */
	uint64_t started_usec, updated_usec; /* CLOCK_REALTIME */
	uint64_t connections, connections_open;
	uint64_t requests, count_tokens, request_bytes, response_bytes;
	uint64_t tunnels, tunnels_open, tunnel_sent_bytes, tunnel_received_bytes;
	uint64_t refused;
	uint64_t growth_bytes, growth_entries;
	char detail[LIMIT_DETAIL + 1]; /* for people; the reader escapes it */
};

#endif
