/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TUNNEL_LOOKUP_H
#define ANET_TUNNEL_LOOKUP_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "core/limits.h"
#include "core/reason.h"
#include "os/failure.h"

union socket_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/* Where a host can be reached, in the order in which to try (RFC 6724, and the two
 * families in turn, RFC 8305 4), with the port. */
struct addresses {
	size_t count; /* at least 1 */
	union socket_address list[LIMIT_ADDRESSES];
};

/* To be called once, before the first look-up. */
void lookup_prepare(void);

/*
 * Looks the name up, once (SPEC S8.3).  REASON_OK: each of its addresses is a public
 * one, and none is this machine's.  TUNNEL_ADDRESS if one of them is not, whichever;
 * TUNNEL_LOOKUP.
 */
enum reason lookup_host(const char *host, struct addresses *ret_addresses,
			struct failure *failure);

/* INET6_ADDRSTRLEN bytes of text. */
void socket_address_format(const union socket_address *address, char *ret_text);

#endif
