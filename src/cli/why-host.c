/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "cli/egress-ask.h"
#include "cli/output.h"
#include "cli/why.h"
#include "config/egress.h"
#include "core/hostname.h"
#include "core/run.h"

static void refuse_host(struct why *why, enum reason reason, const char *rule)
{
	why->verdict = "refused";
	why_add(why, "code", reason_code(reason));
	why_add(why, "rule", rule);
}

static void allow(struct why *why, const char *verdict, const char *rule,
		  const char *key)
{
	why->verdict = verdict;
	why->allowed = true;
	why_add(why, "rule", rule);
	why_add(why, "config", why_origin(why, key));
}

/* What is so for every agent, whatever its file says; true: that is the answer. */
static bool refuse_always(struct why *why, const char *host)
{
	struct arena *arena = &why->run.arena;
	const char *wrong;

	if (strcmp(host, "localhost") == 0 || strcmp(host, ENDPOINT_ADDRESS) == 0) {
		refuse_host(
			why, REASON_HOST_INVALID,
			"the run has a loopback of its own: nothing of this machine "
			"listens there, only what the run starts, and the endpoints "
			"where the agent has them");
		return true;
	}
	if (hostname_check((const uint8_t *)host, strlen(host), &wrong) == REASON_OK)
		return false;
	refuse_host(why, REASON_HOST_INVALID,
		    arena_format(arena, "no egress rule can name it: %s", wrong));
	return true;
}

static bool is_listed(const struct policy *policy, const char *host)
{
	for (size_t i = 0; i < policy->n_egress_hosts; i++)
		if (strcmp(policy->egress_hosts[i], host) == 0)
			return true;
	return false;
}

/* Whether a list could name it, and by which command. */
static enum reason refuse_unlisted(struct why *why, const char *host)
{
	struct preparation *run = &why->run;
	char *const hosts[] = {arena_copy(&run->arena, host), NULL};
	const struct egress_subject subject = {
		.agent = run->agent.name,
		.list = "no list can have it: `--host`",
		.hosts = hosts,
		.service = run->policy.host,
	};
	struct detail detail;
	enum reason reason = egress_check_services(&run->arena, &run->places,
						   &run->config, &subject, &detail);
	const char *command;

	if (reason == REASON_EGRESS_MODEL_HOST) {
		refuse_host(why, reason, arena_copy(&run->arena, detail.text));
		return REASON_OK;
	}
	if (reason != REASON_OK) {
		run->detail = detail;
		return reason;
	}
	refuse_host(why, REASON_TUNNEL_HOST,
		    run->policy.egress == EGRESS_NONE
			    ? "the `egress` of this agent is \"none\": no host but the "
			      "model service, and no name is resolved"
			    : "it is not in the `egress` of this agent, which names "
			      "hosts exactly");
	command = egress_command(&run->arena, &run->agent, host);
	why_add(why, "config", why_origin(why, "egress"));
	why_add(why, "allow", command ? command : "the list has as many as it may");
	return REASON_OK;
}

enum reason why_host(struct why *why, const char *host)
{
	const struct policy *policy = &why->run.policy;
	struct arena *arena = &why->run.arena;

	why->kind = "host";
	why->subject = host;
	if (why->run.strategy == STRATEGY_HOST) {
		allow(why, "no boundary",
		      "the strategy `host` leaves a run the network of this machine",
		      "strategy");
		return REASON_OK;
	}
	if (policy->wire != WIRE_NONE && strcmp(host, policy->host) == 0) {
		allow(why, "through the gateway",
		      arena_format(arena,
				   "it is the model service of this agent: requests to "
				   "http://" ENDPOINT_ADDRESS
				   ":%d are judged and carried there; the host itself "
				   "cannot be reached",
				   ENDPOINT_MODEL_PORT),
		      "api_base");
		return REASON_OK;
	}
	if (refuse_always(why, host))
		return REASON_OK;
	if (policy->egress == EGRESS_PUBLIC || is_listed(policy, host)) {
		allow(why, "through a tunnel",
		      arena_format(
			      arena,
			      "%s: by https, on port 443 of an address that is public, "
			      "through http://" ENDPOINT_ADDRESS
			      ":%d; what is sent is not looked at",
			      policy->egress == EGRESS_PUBLIC
				      ? "the `egress` of this agent is \"public\""
				      : "it is in the `egress` of this agent",
			      ENDPOINT_TUNNEL_PORT),
		      "egress");
		return REASON_OK;
	}
	return refuse_unlisted(why, host);
}
