/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "cli/output.h"
#include "cli/why.h"
#include "core/hostname.h"
#include "core/run.h"

static void refuse_host(struct why *why, enum reason reason, const char *rule)
{
	why->verdict = "refused";
	why_add(why, "code", reason_code(reason));
	why_add(why, "rule", rule);
}

enum reason why_host(struct why *why, const char *host)
{
	const struct policy *policy = &why->run.policy;
	struct arena *arena = &why->run.arena;
	const char *egress = why_origin(why, "egress");
	const char *wrong;

	why->kind = "host";
	why->subject = host;
	if (why->run.strategy == STRATEGY_HOST) {
		why->verdict = "no boundary";
		why->allowed = true;
		why_add(why, "rule",
			"the strategy `host` leaves a run the network of this "
			"machine");
		why_add(why, "config", why_origin(why, "strategy"));
		return REASON_OK;
	}
	if (policy->wire != WIRE_NONE && strcmp(host, policy->host) == 0) {
		why->verdict = "through the gateway";
		why->allowed = true;
		why_add(why, "rule",
			arena_format(
				arena,
				"it is the model service of this agent: requests to "
				"http://" ENDPOINT_ADDRESS
				":%d are judged and carried there; the host itself "
				"cannot be reached",
				ENDPOINT_MODEL_PORT));
		why_add(why, "config", why_origin(why, "api_base"));
		return REASON_OK;
	}
	if (strcmp(host, "localhost") == 0 || strcmp(host, ENDPOINT_ADDRESS) == 0) {
		refuse_host(
			why, REASON_HOST_INVALID,
			"the run has a loopback of its own: nothing of this machine "
			"listens there, only what the run starts, and the model "
			"endpoint where the agent has one");
		return REASON_OK;
	}
	if (hostname_check((const uint8_t *)host, strlen(host), &wrong) != REASON_OK) {
		refuse_host(
			why, REASON_HOST_INVALID,
			arena_format(arena, "no egress rule can name it: %s", wrong));
		return REASON_OK;
	}
	refuse_host(
		why, REASON_EGRESS_UNSUPPORTED,
		"the egress of this agent is \"none\", the only one of this build: no "
		"host but the model service, and no name is resolved");
	why_add(why, "config", egress);
	return REASON_OK;
}
