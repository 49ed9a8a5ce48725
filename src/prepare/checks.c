/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What must be there before a session may start, and is not made by it.
 */
#include "prepare/prepare.h"

#include "config/key.h"
#include "os/session-dir.h"
#include "strategies/table.h"

/* The only boundary that this build's sessions run in. */
#define STRATEGY "srt"

enum reason check_strategy(struct start *start)
{
	struct preparation *p = &start->preparation;
	struct strategies table;
	const struct strategy_row *row;
	enum reason reason =
		strategies_read(&p->arena, STRATEGIES_FILE, &table, &p->detail);

	if (reason != REASON_OK)
		return reason;
	row = strategies_find(&table, STRATEGY);
	if (!row)
		return explain(&p->detail, REASON_STRATEGY_UNAVAILABLE,
			       "this machine has no \"" STRATEGY
			       "\" execution strategy");
	if (row->available)
		return REASON_OK;
	return explain(&p->detail, REASON_STRATEGY_UNAVAILABLE,
		       "agent \"%s\" runs its sessions in the " STRATEGY
		       " strategy, which this machine cannot run: %s",
		       start->name.agent, SHOW(row->detail));
}

enum reason check_credential(struct start *start)
{
	static const char *const directories[] = {KEYS_DIRECTORY, SEALED_DIRECTORY};
	struct preparation *p = &start->preparation;
	const char *name = p->runtime.credential.name;

	if (p->runtime.wire == WIRE_NONE)
		return REASON_OK;
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		bool found = false;
		enum reason reason = key_file_check(
			arena_format(&p->arena, "%s/%s", directories[i], name), &found,
			&p->detail);

		if (found || reason != REASON_OK)
			return reason;
	}
	return explain(&p->detail, REASON_NO_API_KEY,
		       "agent \"%s\" has no API key for its model service: there is "
		       "neither " KEYS_DIRECTORY "/%s nor " SEALED_DIRECTORY
		       "/%s; set it with `anet credential set %s`",
		       start->name.agent, name, name, name);
}
