/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_RUN_H
#define ANET_CORE_RUN_H

/* What a run sees of itself, the same on every machine. */
#define RUN_USER "agent"
#define RUN_UID 1000
#define RUN_HOME "/home/agent"
#define RUN_HOST_NAME "anet"
/* Where the program of a helper that runs inside is found (the probe). */
#define RUN_PATH "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

/* The endpoint on the run's own loopback.  SPEC S6. */
#define ENDPOINT_ADDRESS "127.0.0.1"
#define ENDPOINT_MODEL_PORT 8118
#define ENDPOINT_ORIGIN_(port) "http://" ENDPOINT_ADDRESS ":" #port
#define ENDPOINT_ORIGIN_OF(port) ENDPOINT_ORIGIN_(port)
#define ENDPOINT_ORIGIN ENDPOINT_ORIGIN_OF(ENDPOINT_MODEL_PORT)

/* Where a run with egress finds the hosts that it may reach.  SPEC S8. */
#define ENDPOINT_TUNNEL_PORT 8119
#define ENDPOINT_TUNNEL_ORIGIN ENDPOINT_ORIGIN_OF(ENDPOINT_TUNNEL_PORT)

/* What the run has in place of a key; it opens nothing. */
#define PLACEHOLDER_KEY "anet-placeholder-key"

/*
 * A session without a boundary (the strategy `host`) has its endpoint on the
 * machine's own loopback, where every local process can connect: it serves who has
 * this key, random for each session, in hexadecimal, without a final NUL.
 */
#define ENDPOINT_KEY_BYTES 64
/* What stands in such a run's prepared environment for the endpoint and the key,
 * and in its arguments for the endpoint,
 * until its supervisor knows them; no host has this name (RFC 6761 6.4). */
#define ENDPOINT_UNKNOWN "http://anet-endpoint.invalid"
#define ENDPOINT_KEY_UNKNOWN "anet-endpoint-key.invalid"

#endif
