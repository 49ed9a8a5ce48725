/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

#include "cli/machine.h"
#include "cli/output.h"
#include "cli/sessions.h"
#include "cli/table.h"
#include "core/reason.h"

#define USEC_PER_SECOND 1000000

static char *number(struct arena *arena, uint64_t value)
{
	return arena_format(arena, "%" PRIu64, value);
}

/* Since that time; one that is to come has just been. */
static char *since(struct arena *arena, uint64_t usec)
{
	uint64_t now = (uint64_t)time(NULL), then = usec / USEC_PER_SECOND;

	return duration_text(arena, now > then ? now - then : 0);
}

static const char *limits_word(const struct session_state *state)
{
	return state->flags & SESSION_LIMITS_FULL
		       ? "full"
		       : reason_code(REASON_NO_CGROUP_LIMITS);
}

/* What is between its run and the machine; "" where no record says so. */
static const char *boundary_text(struct arena *arena, const struct session_seen *seen)
{
	bool host = seen->policy.strategy == STRATEGY_HOST;

	if (!seen->have_policy)
		return arena_copy(arena, "");
	return painted(arena, host ? COLOR_YELLOW : COLOR_NONE,
		       host ? "no boundary" : "srt");
}

static void add_seen(struct table *table, const struct session_seen *seen)
{
	struct arena *arena = table->arena;
	const struct session_state *state = &seen->state;
	const char *word = session_state_word(seen);
	bool odd = seen->gone || !seen->unit || !seen->have_policy;

	if (!seen->have_state) {
		TABLE_ADD(table, seen->name.id, seen->name.agent,
			  painted(arena, odd ? COLOR_RED : COLOR_NONE, word),
			  boundary_text(arena, seen), NULL, NULL, NULL, NULL, NULL,
			  NULL, NULL, NULL, NULL, NULL);
		return;
	}
	TABLE_ADD(
		table, seen->name.id, seen->name.agent,
		painted(arena,
			odd				  ? COLOR_RED
			: state->stage == SESSION_RUNNING ? COLOR_GREEN
							  : COLOR_NONE,
			word),
		boundary_text(arena, seen), since(arena, state->started_usec),
		painted(arena,
			state->flags & SESSION_LIMITS_FULL ? COLOR_NONE : COLOR_YELLOW,
			limits_word(state)),
		arena_format(arena, "%" PRIu64 "/%" PRIu64, state->connections_open,
			     state->connections),
		number(arena, state->requests), bytes_text(arena, state->request_bytes),
		bytes_text(arena, state->response_bytes),
		arena_format(arena, "%" PRIu64 "/%" PRIu64, state->tunnels_open,
			     state->tunnels),
		arena_format(arena, "%s/%s",
			     bytes_text(arena, state->tunnel_sent_bytes),
			     bytes_text(arena, state->tunnel_received_bytes)),
		number(arena, state->refused),
		bytes_text(arena, state->growth_bytes));
}

/* "0", "signal 9", or "" when no agent has ended. */
static char *status_text(struct arena *arena, const struct session_state *state)
{
	if (!(state->flags & SESSION_AGENT_EXITED))
		return arena_copy(arena, "");
	if (WIFSIGNALED(state->agent_status))
		return arena_format(arena, "signal %d", WTERMSIG(state->agent_status));
	return arena_format(arena, "%d", WEXITSTATUS(state->agent_status));
}

static void print_outcomes(struct arena *arena, const struct sessions *sessions)
{
	static const char *const headings[] = {"SESSION", "ENDED",  "STATUS",
					       "REASON",  "DETAIL", NULL};
	struct table table = table_new(arena, headings);

	for (size_t i = 0; i < sessions->n_outcomes; i++) {
		const struct session_outcome *outcome = &sessions->outcomes[i];
		const struct session_state *state = &outcome->state;
		enum reason reason = (enum reason)state->reason;

		TABLE_ADD(&table, outcome->name.id,
			  local_time_text(arena, state->updated_usec / USEC_PER_SECOND),
			  status_text(arena, state),
			  painted(arena,
				  reason_exit_status(reason) ? COLOR_RED : COLOR_NONE,
				  reason_code(reason)),
			  escaped(arena, state->detail));
	}
	table_print(&table, 0);
}

void sessions_print(struct arena *arena, const struct sessions *sessions)
{
	static const char *const headings[] = {
		"SESSION",	"AGENT",     "STATE", "BOUNDARY",  "FOR",      "LIMITS",
		"#CONNECTIONS", "#REQUESTS", "#SENT", "#RECEIVED", "#TUNNELS",
		"#TUNNELED", "#REFUSED", "#GROWTH", NULL};
	struct table table = table_new(arena, headings);

	for (size_t i = 0; i < sessions->n_seen; i++)
		add_seen(&table, &sessions->seen[i]);
	if (sessions->n_seen)
		table_print(&table, 0);
	else if (machine_has_systemd())
		puts("No session of a unit runs.");
	else
		puts("systemd does not run here, and so no session of a unit can; "
		     "`anet run` runs one in the foreground.");
	if (sessions->n_outcomes) {
		puts("");
		print_outcomes(arena, sessions);
	}
}

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void add_text(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_text(value));
}

static void add_time(struct arena *arena, struct json_object *object, const char *key,
		     uint64_t usec)
{
	add_text(object, key, utc_time_text(arena, usec / USEC_PER_SECOND));
}

static void add_counts(struct json_object *object, const struct session_state *state)
{
	add_number(object, "connections_open", state->connections_open);
	add_number(object, "connections", state->connections);
	add_number(object, "requests", state->requests);
	add_number(object, "count_tokens", state->count_tokens);
	add_number(object, "request_bytes", state->request_bytes);
	add_number(object, "response_bytes", state->response_bytes);
	add_number(object, "tunnels_open", state->tunnels_open);
	add_number(object, "tunnels", state->tunnels);
	add_number(object, "tunnel_sent_bytes", state->tunnel_sent_bytes);
	add_number(object, "tunnel_received_bytes", state->tunnel_received_bytes);
	add_number(object, "refused", state->refused);
	add_number(object, "growth_bytes", state->growth_bytes);
	add_number(object, "growth_entries", state->growth_entries);
}

/* Its members are null where the agent has not ended in that way. */
static void add_status(struct json_object *object, const struct session_state *state)
{
	bool ended = state->flags & SESSION_AGENT_EXITED;
	bool killed = ended && WIFSIGNALED(state->agent_status);

	json_object_object_add(
		object, "exit_status",
		ended && !killed ? json_object_new_int(WEXITSTATUS(state->agent_status))
				 : NULL);
	json_object_object_add(
		object, "signal",
		killed ? json_object_new_int(WTERMSIG(state->agent_status)) : NULL);
}

static struct json_object *seen_json(struct arena *arena,
				     const struct session_seen *seen)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "id", seen->name.id);
	add_text(object, "agent", seen->name.agent);
	add_text(object, "unit", seen->unit);
	add_text(object, "state", session_state_word(seen));
	if (seen->have_policy) {
		add_text(object, "runtime", escaped(arena, seen->policy.runtime));
		add_text(object, "strategy",
			 seen->policy.strategy == STRATEGY_HOST ? "host" : "srt");
		add_number(object, "supervisor_uid", seen->policy.supervisor_uid);
		add_number(object, "run_uid", seen->policy.run_uid);
	}
	if (seen->have_state) {
		add_time(arena, object, "started", seen->state.started_usec);
		add_time(arena, object, "updated", seen->state.updated_usec);
		add_text(object, "limits", limits_word(&seen->state));
		add_counts(object, &seen->state);
	}
	return object;
}

static struct json_object *outcome_json(struct arena *arena,
					const struct session_outcome *outcome)
{
	struct json_object *object = json_object_new_object();
	const struct session_state *state = &outcome->state;

	add_text(object, "id", outcome->name.id);
	add_text(object, "agent", outcome->name.agent);
	add_time(arena, object, "started", state->started_usec);
	add_time(arena, object, "ended", state->updated_usec);
	add_text(object, "reason", reason_code((enum reason)state->reason));
	add_text(object, "detail", escaped(arena, state->detail));
	add_status(object, state);
	add_text(object, "limits", limits_word(state));
	add_counts(object, state);
	return object;
}

void sessions_print_json(struct arena *arena, const struct sessions *sessions)
{
	struct json_object *root = json_object_new_object();
	struct json_object *seen = json_object_new_array();
	struct json_object *outcomes = json_object_new_array();

	for (size_t i = 0; i < sessions->n_seen; i++)
		json_object_array_add(seen, seen_json(arena, &sessions->seen[i]));
	for (size_t i = 0; i < sessions->n_outcomes; i++)
		json_object_array_add(outcomes,
				      outcome_json(arena, &sessions->outcomes[i]));
	add_text(root, "schema", "anet.sessions/1");
	json_object_object_add(root, "systemd",
			       json_object_new_boolean(machine_has_systemd()));
	json_object_object_add(root, "sessions", seen);
	json_object_object_add(root, "ended", outcomes);
	print_json(root);
}
