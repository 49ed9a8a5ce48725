/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet agent: what there is to know of an agent that was just saved.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/agent.h"
#include "cli/output.h"
#include "cli/runtime-here.h"
#include "config/key.h"
#include "os/report.h"
#include "os/session-dir.h"

/* Warnings: the agent is saved, and something is missing before it can run. */
static void warn(const struct agent_draft *draft, enum reason reason,
		 const char *detail)
{
	const struct record record = {
		.reason = reason,
		.agent = draft->agent.name,
		.detail = detail,
		.warning = true,
	};

	fflush(stdout);
	report_print(&record);
}

void agent_tell_missing(const struct agent_draft *draft)
{
	struct agent_request *request = draft->request;
	struct arena *arena = &request->arena;
	const char *credential = draft->runtime.credential.name;
	const char *where = NULL;
	struct detail detail;
	const char *strategy = draft->selection.strategy;
	enum reason reason = runtime_check_strategy(
		&draft->runtime, draft->agent.name,
		strategy && strcmp(strategy, strategies_name(0)) == 0 ? STRATEGY_HOST
								      : STRATEGY_SRT,
		&detail);

	if (reason == REASON_OK)
		reason = runtime_here(arena, &request->places, &draft->runtime, &where,
				      &detail);
	if (reason != REASON_OK)
		warn(draft, reason, detail.text);
	else if (*draft->runtime.program.names)
		printf("Its program is %s.\n", where);
	if (draft->runtime.wire == WIRE_NONE ||
	    key_where(arena, &request->places, &draft->runtime, &reason, &detail))
		return;
	/* Root's may be sealed: then only systemd reads it. */
	if (request->places.uid == 0 &&
	    access(arena_format(arena, SEALED_DIRECTORY "/%s", credential), F_OK) == 0)
		return;
	warn(draft, REASON_NO_API_KEY,
	     arena_format(arena,
			  "agent \"%s\" has no key for its model service yet: `anet "
			  "credential set %s`",
			  draft->agent.name, credential));
}

/* Root's own file says over the machine's. */
void agent_tell_layer(const struct agent_draft *draft)
{
	if (draft->agent.path && strcmp(draft->agent.path, draft->file.path) != 0)
		printf("%s says over it what it sets, when root runs the agent in the "
		       "foreground.\n",
		       SHOW(draft->agent.path));
}

void agent_tell_choice(const struct agent_draft *draft, bool named)
{
	const struct selection *selection = &draft->selection;
	const struct strategy_row *row =
		strategies_find(&selection->table, selection->strategy);
	struct arena *arena = &draft->request->arena;

	print_words(arena_format(arena, "Its sessions run in %s (%s)%s.", row->name,
				 row->boundary,
				 named ? ""
				       : ", since no strategy was named and it is the "
					 "first that can run here"),
		    0);
	if (!named && row == &selection->table.rows[STRATEGY_HOST - 1])
		printf("`anet agent set %s --strategy srt` puts them into a sandbox.\n",
		       draft->agent.name);
}
