/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TUNNEL_ALLOWED_H
#define ANET_TUNNEL_ALLOWED_H

#include <stdbool.h>

#include "core/policy.h"

/* Whether the session may reach this host: the exact name of a public one (SPEC S8.1)
 * that its list has, or any with EGRESS_PUBLIC.  Asked on both sides of the socket
 * between the program's two processes, of which neither takes the other's word. */
bool host_is_allowed(const struct policy *policy, const char *host);

#endif
