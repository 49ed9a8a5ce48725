/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TUNNEL_ALLOWED_H
#define ANET_TUNNEL_ALLOWED_H

#include <stdbool.h>

#include "core/policy.h"

/*
 * Whether the session may reach this host: the exact name of a public one (SPEC S8.1)
 * that its list has, or any with EGRESS_PUBLIC; but never its model service, to which
 * only a gateway lets requests pass.  If not, why (*ret_why, static): "" if it simply
 * is not in the list.
 *
 * Asked on both sides of the socket between the program's two processes, of which the
 * second does not take the first one's word.
 */
bool host_is_allowed(const struct policy *policy, const char *host,
		     const char **ret_why);

#endif
