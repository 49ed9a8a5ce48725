/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/rules-headers.h"

#include <string.h>

/* A row is a line. */
/* clang-format off */

const struct rule_header_out rule_headers_out[] = {
	{"host", WIRE_NONE, HEADER_HOST, NULL, "The service that the policy names."},
	{"user-agent", WIRE_NONE, HEADER_TEXT, "anet/" PACKAGE_VERSION,
	 "Says what asks, and nothing about the machine."},
	{"accept-encoding", WIRE_NONE, HEADER_TEXT, "identity",
	 "An answer is passed on as it is, so it must be readable for every agent."},
	{"accept", WIRE_NONE, HEADER_ACCEPT, NULL,
	 "Event streams where the body has stream true, else JSON."},
	/* The only version of the API (docs.anthropic.com, Versions). */
	{"anthropic-version", WIRE_ANTHROPIC, HEADER_TEXT, "2023-06-01",
	 "The only version of the API."},
	{"anthropic-beta", WIRE_ANTHROPIC, HEADER_BETA, NULL,
	 "Those of the agent's flags that the list has."},
	{"x-api-key", WIRE_ANTHROPIC, HEADER_KEY, NULL, "The operator's key."},
	{"authorization", WIRE_OPENAI, HEADER_KEY, "Bearer ", "The operator's key."},
	{"content-type", WIRE_NONE, HEADER_TEXT, "application/json",
	 "What anet writes the body as."},
	{"content-length", WIRE_NONE, HEADER_LENGTH, NULL, "Of the body that anet wrote."},
};

const size_t rule_n_headers_out = sizeof(rule_headers_out) / sizeof(*rule_headers_out);

#define CREDENTIAL "The agent's credential is a placeholder."
#define ACCOUNT "Puts the usage down to something else in the operator's account."
#define SESSION "Tells the service which of the operator's sessions belong together."
#define MACHINE "Tells of the operator's machine and its programs."

const struct rule_header_dropped rule_headers_dropped[] = {
	{"authorization", false, CREDENTIAL},
	{"x-api-key", false, CREDENTIAL},
	{"api-key", false, CREDENTIAL},
	{"x-goog-api-key", false, CREDENTIAL},
	{"proxy-authorization", false, CREDENTIAL},
	{"cookie", false, "The state of an account log-in."},
	{"anthropic-beta", false, "Only the flags of the list go out, in a field that anet writes."},
	{"anthropic-workspace-id", false, ACCOUNT},
	{"anthropic-user-profile-id", false, ACCOUNT},
	{"anthropic-dangerous-direct-browser-access", false, "Of browsers."},
	{"openai-organization", false, ACCOUNT},
	{"openai-project", false, ACCOUNT},
	{"chatgpt-account-id", false, ACCOUNT},
	{"openai-beta", false, "Turns on WebSockets and agents at the service."},
	{"user-agent", false, "Tells the system, its kernel release and the terminal."},
	{"originator", false, MACHINE},
	{"version", false, MACHINE},
	{"x-app", false, MACHINE},
	{"x-stainless-", true, MACHINE},
	{"accept-language", false, MACHINE},
	{"sec-", true, "Of browsers."},
	{"origin", false, "Of browsers."},
	{"referer", false, "Of browsers."},
	{"x-codex-", true,
	 "The turn metadata holds the installation's id, the working directory, addresses of "
	 "git remotes and the commit."},
	{"x-oai-attestation", false, MACHINE},
	{"x-openai-", true, "Turns on what OpenAI's own clients use."},
	{"x-claude-code-", true, SESSION},
	{"session-id", false, SESSION},
	{"session_id", false, SESSION},
	{"thread-id", false, SESSION},
	{"conversation_id", false, SESSION},
	{"x-session-id", false, SESSION},
	{"x-session-affinity", false, SESSION},
	{"x-client-request-id", false, SESSION},
	{"traceparent", false, SESSION},
	{"tracestate", false, SESSION},
	{"baggage", false, SESSION},
	{"idempotency-key", false, "The service would keep the answer for it."},
	{"forwarded", false, MACHINE},
	{"x-forwarded-", true, MACHINE},
	{"via", false, MACHINE},
};

const size_t rule_n_headers_dropped =
	sizeof(rule_headers_dropped) / sizeof(*rule_headers_dropped);

const struct rule_header_back rule_headers_back[] = {
	{"content-type", WIRE_NONE, false, false, "What the body is."},
	{"retry-after", WIRE_NONE, false, false, "When to try again."},
	{"x-should-retry", WIRE_NONE, false, false, "Whether to try again."},
	{"request-id", WIRE_ANTHROPIC, false, false, "What to tell a support desk."},
	{"anthropic-ratelimit-", WIRE_ANTHROPIC, true, true,
	 "How much of the operator's rate is left; not for peers."},
	{"x-request-id", WIRE_OPENAI, false, false, "What to tell a support desk."},
	/* openai-node, retryRequest() */
	{"retry-after-ms", WIRE_OPENAI, false, false, "When to try again."},
	{"x-ratelimit-", WIRE_OPENAI, true, true,
	 "How much of the operator's rate is left; not for peers."},
};

const size_t rule_n_headers_back = sizeof(rule_headers_back) / sizeof(*rule_headers_back);

/* clang-format on */

bool rule_header_goes_back(const char *name, size_t length, enum wire wire,
			   enum profile profile)
{
	for (size_t i = 0; i < rule_n_headers_back; i++) {
		const struct rule_header_back *row = &rule_headers_back[i];
		size_t wanted = strlen(row->name);

		if (row->own_only && profile != PROFILE_OWN)
			continue;
		if (row->wire != WIRE_NONE && row->wire != wire)
			continue;
		if ((row->prefix ? length > wanted : length == wanted) &&
		    memcmp(name, row->name, wanted) == 0)
			return true;
	}
	return false;
}
