/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tunnel/allowed.h"

#include <string.h>

#include "core/hostname.h"

bool host_is_allowed(const struct policy *policy, const char *host)
{
	const char *why;

	if (hostname_check((const uint8_t *)host, strlen(host), &why) != REASON_OK)
		return false;
	if (policy->egress == EGRESS_PUBLIC)
		return true;
	for (size_t i = 0; i < policy->n_egress_hosts; i++)
		if (strcmp(policy->egress_hosts[i], host) == 0)
			return true;
	return false;
}
