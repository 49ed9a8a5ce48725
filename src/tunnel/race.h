/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TUNNEL_RACE_H
#define ANET_TUNNEL_RACE_H

#include "tunnel/lookup.h"

/*
 * Connects to the first of the addresses that answers: each attempt begins 250 ms
 * after the one before it, or when that failed (RFC 8305 5), and has
 * LIMIT_CONNECT_SECONDS.  Gives a connected TCP socket that does not block.  Whatever
 * happens on `owner`, also its end, ends the race: SUPERVISOR_GONE.  TUNNEL_TIMEOUT if
 * nobody answered, TUNNEL_UNREACHABLE.
 */
enum reason race_connect(const struct addresses *addresses, int owner, int *ret_fd,
			 struct failure *failure);

#endif
