/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet status: in one screen whether sessions of units can run and what they do.
 * Reads files only: it works without the bus and holds nobody up.
 */
#include "cli/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "cli/command.h"
#include "cli/machine.h"
#include "os/cleanup.h"
#include "os/report.h"
#include "os/session-dir.h"
#include "os/uid-range.h"

static const char help[] =
	"Shows in one screen whether sessions can run here and what they do: limits,\n"
	"strategies, the sockets of the helpers, the units' sessions together.\n"
	"\n"
	"Usage: anet status [--json]\n"
	"\n"
	"`anet doctor` tries what this only looks at, `anet sessions` has each "
	"session.\n"
	"\n"
	"Options:\n"
	"  --json  the same as JSON (schema anet.status/1)\n"
	"  --help  this text\n";

#define LISTENING_FLAG "00010000" /* __SO_ACCEPTCON, linux/net.h */

bool status_is_listening(const char *table, const char *path)
{
	size_t length = strlen(path);

	/* "Num: RefCount Protocol Flags Type St Inode Path", proc(5).  Whoever binds
	 * a path with a newline in it can add a line: it is shown, nothing more. */
	for (const char *line = table; *line;
	     line += strcspn(line, "\n"), line += *line != 0) {
		const char *fields[8] = {line}, *end = line + strcspn(line, "\n");
		size_t n = 1;

		for (const char *at = line; at < end && n < 8; at++)
			if (*at == ' ' && at + 1 < end && at[1] != ' ')
				fields[n++] = at + 1;
		if (n == 8 && (size_t)(end - fields[7]) == length &&
		    memcmp(fields[7], path, length) == 0 &&
		    strncmp(fields[3], LISTENING_FLAG " ", 9) == 0)
			return true;
	}
	return false;
}

/* The whole file, as text; "" if it cannot be read. */
static char *read_text(const char *path)
{
	auto_file FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	if (!file || getdelim(&text, &room, 0, file) < 0) {
		free(text);
		text = calloc(1, 1);
	}
	return text;
}

static void look_at_sockets(struct status *status)
{
	static const struct socket_status sockets[STATUS_SOCKETS] = {
		{"gateway", "anet-gateway.socket", GATEWAY_SOCKET, SOCKET_ABSENT},
		{"upstream", "anet-upstream.socket", UPSTREAM_SOCKET, SOCKET_ABSENT},
		{"tunnel", "anet-tunnel.socket", TUNNEL_SOCKET, SOCKET_ABSENT},
	};
	auto_free char *table = read_text("/proc/net/unix");

	for (size_t i = 0; i < STATUS_SOCKETS; i++) {
		struct stat found;

		status->sockets[i] = sockets[i];
		if (lstat(sockets[i].path, &found) < 0)
			continue;
		status->sockets[i].state =
			table && status_is_listening(table, sockets[i].path)
				? SOCKET_LISTENING
				: SOCKET_SILENT;
	}
}

const char *socket_state_name(enum socket_state state)
{
	static const char *const names[] = {
		[SOCKET_LISTENING] = "listening",
		[SOCKET_SILENT] = "silent",
		[SOCKET_ABSENT] = "absent",
	};

	return names[state];
}

static void add_up(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

void status_total(struct status *status)
{
	struct session_state *total = &status->total;

	for (size_t i = 0; i < status->sessions.n_seen; i++) {
		const struct session_seen *seen = &status->sessions.seen[i];
		const struct session_state *state = &seen->state;

		status->running += !seen->gone;
		status->uids_in_use += seen->have_policy ? 2 : 0;
		if (!seen->have_state)
			continue;
		add_up(&total->connections, state->connections);
		add_up(&total->connections_open, state->connections_open);
		add_up(&total->requests, state->requests);
		add_up(&total->request_bytes, state->request_bytes);
		add_up(&total->response_bytes, state->response_bytes);
		add_up(&total->tunnels, state->tunnels);
		add_up(&total->tunnels_open, state->tunnels_open);
		add_up(&total->tunnel_sent_bytes, state->tunnel_sent_bytes);
		add_up(&total->tunnel_received_bytes, state->tunnel_received_bytes);
		add_up(&total->refused, state->refused);
	}
}

static void look(struct status *status)
{
	struct arena *arena = &status->arena;
	struct uid_range range;

	places_find(arena, &status->places);
	status->systemd = machine_has_systemd();
	status->units_missing = machine_limits_missing(arena, MACHINE_MANAGER);
	status->caller_missing =
		machine_limits_missing(arena, machine_manager(arena, &status->places));
	status->strategies_reason =
		strategies_read(arena, STRATEGIES_FILE, &status->strategies,
				&status->strategies_detail);
	look_at_sockets(status);
	status->sessions_reason =
		sessions_read(arena, &status->sessions, &status->sessions_detail);
	if (status->sessions_reason == REASON_OK)
		status_total(status);
	if (uid_range_read("/etc/subuid", "/etc/subgid", &range) == 0)
		status->uids = range.count;
}

static int status_main(int argc, char **argv)
{
	struct status status = {0};
	bool json = false;
	int answer = read_json_option(argc, argv, &command_status, &json);

	if (answer != GO_ON)
		return answer;
	look(&status);
	if (json)
		status_print_json(&status);
	else
		status_print(&status);
	arena_free(&status.arena);
	return EX_OK;
}

const struct command command_status = {
	.name = "status",
	.summary = "shows whether sessions can run here, and what they do",
	.help = help,
	.main = status_main,
};
