/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <time.h>

#include "cli/output.h"
#include "cli/status.h"
#include "cli/table.h"

static void add_limits(struct table *table, const char *area, const char *of,
		       const char *missing)
{
	struct arena *arena = table->arena;

	if (missing)
		TABLE_ADD(table, area, of,
			  painted(arena, COLOR_YELLOW,
				  reason_code(REASON_NO_CGROUP_LIMITS)),
			  missing);
	else
		TABLE_ADD(table, area, of, painted(arena, COLOR_GREEN, "full"),
			  "memory and tasks are limited");
}

static void add_strategies(struct table *table, const struct status *status)
{
	struct arena *arena = table->arena;
	int64_t now = (int64_t)time(NULL), then = status->strategies.probed_at;
	char *age = duration_text(arena, now > then ? (uint64_t)(now - then) : 0);

	if (status->strategies_reason != REASON_OK) {
		TABLE_ADD(table, "strategies", "",
			  painted(arena, COLOR_YELLOW,
				  reason_code(status->strategies_reason)),
			  escaped(arena, status->strategies_detail.text));
		return;
	}
	for (size_t i = 0; i < STRATEGIES; i++) {
		const struct strategy_row *row = &status->strategies.rows[i];
		const char *area = i ? "" : "strategies";

		if (row->available)
			TABLE_ADD(table, area, escaped(arena, row->name),
				  painted(arena, COLOR_GREEN, "available"),
				  escaped(arena, row->boundary));
		else
			TABLE_ADD(table, area, escaped(arena, row->name),
				  painted(arena, row->offered ? COLOR_RED : COLOR_NONE,
					  row->offered ? "unavailable" : "off"),
				  escaped(arena, row->detail));
	}
	TABLE_ADD(table, "", "", "", arena_format(arena, "probed %s ago", age));
}

static void add_sockets(struct table *table, const struct status *status)
{
	struct arena *arena = table->arena;

	for (size_t i = 0; i < STATUS_SOCKETS; i++) {
		const struct socket_status *row = &status->sockets[i];
		bool good = row->state == SOCKET_LISTENING;

		TABLE_ADD(table, i ? "" : "sockets", row->name,
			  painted(arena,
				  good		    ? COLOR_GREEN
				  : status->systemd ? COLOR_RED
						    : COLOR_NONE,
				  socket_state_name(row->state)),
			  good || !status->systemd
				  ? row->path
				  : arena_format(arena, "`systemctl enable --now %s`",
						 row->unit));
	}
}

static void add_sessions(struct table *table, const struct status *status)
{
	const struct session_state *total = &status->total;
	struct arena *arena = table->arena;

	if (status->sessions_reason != REASON_OK) {
		TABLE_ADD(table, "sessions", "",
			  painted(arena, COLOR_YELLOW,
				  reason_code(status->sessions_reason)),
			  status->sessions_detail.text);
		return;
	}
	TABLE_ADD(table, "sessions", "",
		  arena_format(arena, "%" PRIu64 " running", status->running),
		  arena_format(
			  arena,
			  "%" PRIu64 " of %" PRIu64 " connections open, %" PRIu64
			  " model requests, %" PRIu64 " refused, %s sent, %s received",
			  total->connections_open, total->connections, total->requests,
			  total->refused, bytes_text(arena, total->request_bytes),
			  bytes_text(arena, total->response_bytes)));
	if (total->tunnels)
		TABLE_ADD(table, "tunnels", "",
			  arena_format(arena, "%" PRIu64 " open", total->tunnels_open),
			  arena_format(
				  arena,
				  "of %" PRIu64 " to other hosts, %s sent, %s received",
				  total->tunnels,
				  bytes_text(arena, total->tunnel_sent_bytes),
				  bytes_text(arena, total->tunnel_received_bytes)));
	TABLE_ADD(table, "uids", "",
		  arena_format(arena, "%" PRIu64 " in use", status->uids_in_use),
		  status->uids ? arena_format(arena,
					      "of %" PRIu64
					      " of `anet`, two a session",
					      status->uids)
			       : "the account `anet` has no range in /etc/subuid and "
				 "/etc/subgid that can be used");
}

void status_print(struct status *status)
{
	static const char *const headings[] = {"", "", "", "", NULL};
	struct table table = table_new(&status->arena, headings);

	TABLE_ADD(&table, "systemd", "",
		  painted(&status->arena, status->systemd ? COLOR_GREEN : COLOR_YELLOW,
			  status->systemd ? "running" : "absent"),
		  status->systemd ? "it starts the units of anet"
				  : "units of anet cannot run here; `anet run` can");
	add_limits(&table, "limits", "units", status->units_missing);
	add_limits(&table, "", "anet run", status->caller_missing);
	add_strategies(&table, status);
	add_sockets(&table, status);
	add_sessions(&table, status);
	table_print(&table, 0);
}

static void add_text(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_text(value));
}

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static struct json_object *limits_json(const char *missing)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "state",
		 missing ? reason_code(REASON_NO_CGROUP_LIMITS) : "full");
	add_text(object, "detail", missing);
	return object;
}

static struct json_object *strategies_json(const struct status *status)
{
	struct json_object *rows = json_object_new_array();

	for (size_t i = 0; i < STRATEGIES; i++) {
		const struct strategy_row *row = &status->strategies.rows[i];
		struct json_object *object = json_object_new_object();

		add_text(object, "name", row->name);
		json_object_object_add(object, "offered",
				       json_object_new_boolean(row->offered));
		json_object_object_add(object, "available",
				       json_object_new_boolean(row->available));
		add_text(object, "reason", row->available ? NULL : row->detail);
		add_text(object, "code",
			 row->available ? NULL : reason_code(row->reason));
		add_text(object, "boundary", row->boundary);
		json_object_array_add(rows, object);
	}
	return rows;
}

static struct json_object *sockets_json(const struct status *status)
{
	struct json_object *rows = json_object_new_array();

	for (size_t i = 0; i < STATUS_SOCKETS; i++) {
		struct json_object *object = json_object_new_object();

		add_text(object, "unit", status->sockets[i].unit);
		add_text(object, "path", status->sockets[i].path);
		add_text(object, "state", socket_state_name(status->sockets[i].state));
		json_object_array_add(rows, object);
	}
	return rows;
}

static struct json_object *sessions_json(const struct status *status)
{
	struct json_object *object = json_object_new_object();
	const struct session_state *total = &status->total;

	add_number(object, "running", status->running);
	add_number(object, "connections_open", total->connections_open);
	add_number(object, "connections", total->connections);
	add_number(object, "requests", total->requests);
	add_number(object, "request_bytes", total->request_bytes);
	add_number(object, "response_bytes", total->response_bytes);
	add_number(object, "tunnels_open", total->tunnels_open);
	add_number(object, "tunnels", total->tunnels);
	add_number(object, "tunnel_sent_bytes", total->tunnel_sent_bytes);
	add_number(object, "tunnel_received_bytes", total->tunnel_received_bytes);
	add_number(object, "refused", total->refused);
	add_number(object, "uids_in_use", status->uids_in_use);
	return object;
}

/* Why a part is null. */
static void add_problem(struct arena *arena, struct json_object *object,
			enum reason reason, const struct detail *detail)
{
	struct json_object *problem = json_object_new_object();

	add_text(problem, "code", reason_code(reason));
	add_text(problem, "detail", escaped(arena, detail->text));
	json_object_array_add(object, problem);
}

void status_print_json(struct status *status)
{
	struct json_object *root = json_object_new_object();
	struct json_object *limits = json_object_new_object();
	struct json_object *problems = json_object_new_array();
	bool probed = status->strategies_reason == REASON_OK;
	bool seen = status->sessions_reason == REASON_OK;

	add_text(root, "schema", "anet.status/1");
	add_text(root, "version", PACKAGE_VERSION);
	json_object_object_add(root, "systemd",
			       json_object_new_boolean(status->systemd));
	json_object_object_add(limits, "units", limits_json(status->units_missing));
	json_object_object_add(limits, "run", limits_json(status->caller_missing));
	json_object_object_add(root, "limits", limits);
	add_text(root, "probed",
		 probed ? utc_time_text(&status->arena,
					(uint64_t)status->strategies.probed_at)
			: NULL);
	json_object_object_add(root, "strategies",
			       probed ? strategies_json(status) : NULL);
	json_object_object_add(root, "sockets", sockets_json(status));
	json_object_object_add(root, "sessions", seen ? sessions_json(status) : NULL);
	json_object_object_add(root, "uids",
			       status->uids ? json_object_new_uint64(status->uids)
					    : NULL);
	if (!probed)
		add_problem(&status->arena, problems, status->strategies_reason,
			    &status->strategies_detail);
	if (!seen)
		add_problem(&status->arena, problems, status->sessions_reason,
			    &status->sessions_detail);
	json_object_object_add(root, "problems", problems);
	print_json(root);
}
