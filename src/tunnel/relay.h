/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TUNNEL_RELAY_H
#define ANET_TUNNEL_RELAY_H

#include "tunnel/tunnel.h"

/* As many bytes as the pipes of a tunnel are asked to hold. */
#define RELAY_PIPE_BYTES (1024 * 1024)

/*
 * Passes bytes both ways, those in the buffer first, until both sides have said their
 * end, or one has reset the connection: then so has the other.  Each byte is reserved
 * in the ledger before it goes on, so that no limit is passed by one.  Both sockets
 * must not block.  Counts into the report.
 *
 * REASON_OK; TUNNEL_IDLE; LIMIT_TUNNEL_SENT or LIMIT_TUNNEL_RECEIVED, after the last
 * byte that could go; SUPERVISOR_GONE.
 */
enum reason relay(struct tunnel *tunnel);

#endif
