/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_POLICY_H
#define ANET_CORE_POLICY_H

#include <stdint.h>
#include "core/limits.h"

/*
 * The policy of a session: what its helpers must know, in one record of fixed
 * size, made once by whoever prepares the session (root under systemd, the
 * caller in the foreground), sealed, and read by each helper from the
 * descriptor that it is handed.  Helpers read no configuration.
 *
 * Same machine, same build: fields are in host byte order, and a reader
 * demands the exact magic, version and size.  Strings end with a NUL inside
 * their field.
 */
#define POLICY_MAGIC 0x504e4131u /* "1ANP" */
#define POLICY_VERSION 4

/* Which API the agent speaks.  SPEC S5. */
enum wire {
	WIRE_NONE = 0, /* no model service: no endpoint is opened */
	WIRE_ANTHROPIC = 1, /* Messages */
	WIRE_OPENAI = 2,    /* Responses and Chat Completions */
};

/* The boundary that the session runs in, in the order of SPEC S1.1. */
enum policy_strategy {
	STRATEGY_HOST = 1, /* none: an ordinary process of its account */
	STRATEGY_SRT = 2,
	STRATEGY_MICROSANDBOX = 3,
};

/* SPEC S6.10. */
enum profile {
	PROFILE_OWN = 1,
	PROFILE_PEER = 2,
};

enum policy_flags {
	/* A descriptor with the key is handed over; else
	 * it is among the credentials of the upstream's unit. */
	POLICY_CREDENTIAL_FD = 1 << 0,
	/* The service is plain HTTP (only ever a loopback address). */
	POLICY_PLAIN_HTTP = 1 << 1,
	/* The supervisor was started by root: the run has run_uid, and the
	 * supervisor drops to supervisor_uid. */
	POLICY_SEPARATE_UIDS = 1 << 2,
	/* The run is the probe (SPEC S3.1). */
	POLICY_PROBE = 1 << 3,
	/* The session is a unit's: systemd starts its helpers, and the policy is a
	 * file that root made (os/session-dir.h). */
	POLICY_UNIT = 1 << 4,
	/* What programs outside execute of a workspace is read-only for the run,
	 * and told when the run made it (core/protected.h). */
	POLICY_PROTECT = 1 << 5,
	/* What the run asked for and did not get is told at its end. */
	POLICY_REPORT = 1 << 6,
};

/* What a session reaches besides its model service.  SPEC S8. */
enum policy_egress {
	EGRESS_NONE = 0,   /* no tunnel endpoint is opened */
	EGRESS_LIST = 1,   /* the hosts of egress_hosts */
	EGRESS_PUBLIC = 2, /* every public host; PROFILE_OWN only */
};

/* Server tools that an operator allows his own agent by name. S6.10. */
enum policy_server_tools {
	SERVER_TOOL_WEB_SEARCH = 1 << 0,
	SERVER_TOOL_WEB_FETCH = 1 << 1,
	SERVER_TOOL_CODE_EXECUTION = 1 << 2,
};

/* 0 means unlimited, except in those at once and output_tokens. */
struct policy_limits {
	uint64_t memory_bytes;
	uint64_t tasks;
	uint64_t wall_clock_seconds;
	uint64_t growth_bytes;
	uint64_t growth_entries;
	uint64_t requests;
	uint64_t count_tokens;
	uint64_t request_bytes;
	uint64_t connections; /* over both endpoints, as connections_at_once */
	uint64_t tunnels;
	uint64_t tunnel_sent_bytes;	/* to the hosts, of all tunnels */
	uint64_t tunnel_received_bytes; /* from them */
	uint32_t connections_at_once;
	uint32_t tunnels_at_once;
	uint32_t output_tokens;
	uint32_t reserved;
};

struct policy {
	uint32_t magic;
	uint16_t version;
	uint16_t size; /* sizeof(struct policy) */
	uint32_t flags;
	uint16_t wire;
	uint16_t profile;
	uint32_t supervisor_uid;
	uint32_t run_uid;
	uint32_t server_tools;
	uint32_t model_abilities; /* enum model_abilities, of `model` */
	uint16_t port;
	uint16_t strategy; /* enum policy_strategy */
	uint16_t egress;   /* enum policy_egress */
	uint16_t n_egress_hosts; /* of EGRESS_LIST, else 0 */
	struct policy_limits limits;
	char session[LIMIT_SESSION_ID + 1];
	char agent[LIMIT_AGENT_NAME + 1];
	char runtime[LIMIT_AGENT_NAME + 1];
	char credential[LIMIT_AGENT_NAME + 1];
	char host[LIMIT_HOST_NAME + 1];
	char base_path[LIMIT_BASE_PATH + 1]; /* "" or "/prefix", no final slash */
	char model[LIMIT_MODEL_NAME + 1];    /* "": left to the agent (own only) */
	/* Each as hostname_check() takes it, in the order of the configuration. */
	char egress_hosts[LIMIT_EGRESS_HOSTS][LIMIT_HOST_NAME + 1];
};

#endif
