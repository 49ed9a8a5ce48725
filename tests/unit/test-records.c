/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records as tests/lib/records.py packs them.  When one of these fails, that
 * file has to follow, and the record's version to be raised if it was released.
 */
#include <stddef.h>

#include "core/handover.h"
#include "core/policy.h"
#include "core/session-state.h"
#include "core/upstream-record.h"

#define AT(type, member, offset)                                                       \
	_Static_assert(offsetof(struct type, member) == (offset),                      \
		       "tests/lib/records.py: " #type "." #member)
#define SIZE(type, size)                                                               \
	_Static_assert(sizeof(struct type) == (size), "tests/lib/records.py: " #type)

SIZE(policy, 17248);
AT(policy, flags, 8);
AT(policy, wire, 12);
AT(policy, supervisor_uid, 16);
AT(policy, server_tools, 24);
AT(policy, model_abilities, 28);
AT(policy, port, 32);
AT(policy, limits, 40);
AT(policy, limits.requests, 80);
AT(policy, limits.connections_at_once, 136);
AT(policy, session, 152);
AT(policy, agent, 250);
AT(policy, host, 349);
AT(policy, base_path, 603);
AT(policy, model, 859);
AT(policy, egress_hosts, 987);

SIZE(handover, 24);
AT(handover, kind, 8);
AT(handover, n_fds, 12);
AT(handover, connection, 16);

SIZE(report, 312);
AT(report, kind, 8);
AT(report, reason, 12);
AT(report, requests, 24);
AT(report, usec, 48);
AT(report, detail, 56);

SIZE(session_state, 400);
AT(session_state, stage, 8);
AT(session_state, agent_status, 20);
AT(session_state, started_usec, 24);
AT(session_state, connections, 40);
AT(session_state, refused, 120);
AT(session_state, growth_entries, 136);
AT(session_state, detail, 144);

SIZE(upstream_request, 24);
AT(upstream_request, endpoint, 8);
AT(upstream_request, body_bytes, 16);
AT(upstream_request, beta, 20);

SIZE(upstream_done, 280);
AT(upstream_done, reason, 8);
AT(upstream_done, http_status, 12);
AT(upstream_done, response_bytes, 16);
AT(upstream_done, detail, 24);

int main(void)
{
	return 0;
}
