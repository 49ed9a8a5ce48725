/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tunnel/allowed.h"

#include <string.h>

#include "core/hostname.h"

bool host_is_allowed(const struct policy *policy, const char *host,
		     const char **ret_why)
{
	if (hostname_check((const uint8_t *)host, strlen(host), ret_why) != REASON_OK)
		return false;
	if (policy->wire != WIRE_NONE && strcmp(policy->host, host) == 0) {
		*ret_why = "the model endpoint carries requests to it";
		return false;
	}
	if (policy->egress == EGRESS_PUBLIC)
		return true;
	for (size_t i = 0; i < policy->n_egress_hosts; i++)
		if (strcmp(policy->egress_hosts[i], host) == 0)
			return true;
	*ret_why = "";
	return false;
}
