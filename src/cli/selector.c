/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/selector.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/output.h"
#include "cli/table.h"
#include "os/session-dir.h"
#include "strategies/identity.h"

void selector_table(struct arena *arena, const struct places *places,
		    const struct config *config, struct strategies *ret_table)
{
	struct strategies table;
	struct detail detail;

	/* One that is not there or not root's own says nothing. */
	if (strategies_read(arena, STRATEGIES_FILE, &table, &detail) == REASON_OK &&
	    strategies_are_current(&table, probe_identity(arena, places->uid, config),
				   (int64_t)time(NULL)))
		*ret_table = table;
	else
		strategies_cached(arena, places, config, NULL, ret_table);
}

static bool is(const char *name, const char *choice)
{
	return choice && strcmp(name, choice) == 0;
}

static const char *choice_of(const struct selection *selection, const char *name)
{
	bool saved = is(name, selection->saved), fresh = is(name, selection->fresh);

	if (saved)
		return fresh ? "saved, default" : "saved";
	/* What an agent without a saved one runs in is not what a new one gets. */
	if (is(name, selection->strategy))
		return fresh ? "unsaved, default" : "unsaved";
	return fresh ? "default" : "";
}

void selector_print(struct arena *arena, const struct selection *selection,
		    size_t indent)
{
	static const char *const headings[] = {"STRATEGY", "STATE", "CHOICE",
					       "BOUNDARY", NULL};
	struct table table = table_new(arena, headings);

	for (size_t i = 0; i < STRATEGIES; i++) {
		const struct strategy_row *row = &selection->table.rows[i];

		TABLE_ADD(&table, row->name,
			  painted(arena,
				  row->available ? COLOR_GREEN
				  : row->offered ? COLOR_RED
						 : COLOR_NONE,
				  row->available ? "available" : "unavailable"),
			  choice_of(selection, row->name), row->boundary);
		if (!row->available)
			TABLE_ADD(&table, "", "", "",
				  painted(arena, COLOR_YELLOW,
					  escaped(arena, row->detail)));
	}
	table_print(&table, indent);
}

void selector_print_choice(struct arena *arena, const char *agent,
			   const struct selection *selection)
{
	const char *how = selection->saved ? "" : ", since none was saved with it";

	if (!agent && selection->fresh)
		printf("A new agent gets %s.\n", selection->fresh);
	else if (!agent)
		print_words(escaped(arena, selection->detail), 0);
	else if (selection->reason == REASON_OK)
		printf("Sessions of agent \"%s\" run in %s%s.\n", agent,
		       selection->strategy, how);
	else
		print_words(arena_format(arena,
					 "Sessions of agent \"%s\" run in %s%s, and "
					 "cannot start: %s.",
					 agent, escaped(arena, selection->strategy),
					 how, escaped(arena, selection->detail)),
			    0);
}

static void add_text(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_text(value));
}

static void add_bool(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

static struct json_object *row_json(const struct strategy_row *row)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "name", row->name);
	add_bool(object, "offered", row->offered);
	add_bool(object, "available", row->available);
	add_text(object, "reason", row->available ? NULL : row->detail);
	add_text(object, "code", row->available ? NULL : reason_code(row->reason));
	add_text(object, "boundary", row->boundary);
	return object;
}

void selector_add_json(struct json_object *object, const struct selection *selection)
{
	struct json_object *rows = json_object_new_array();
	bool good = selection->reason == REASON_OK;

	for (size_t i = 0; i < STRATEGIES; i++)
		json_object_array_add(rows, row_json(&selection->table.rows[i]));
	json_object_object_add(object, "strategies", rows);
	add_text(object, "saved", selection->saved);
	add_text(object, "strategy", selection->strategy);
	add_text(object, "new_agent", selection->fresh);
	add_bool(object, "can_run", good);
	add_text(object, "code", good ? NULL : reason_code(selection->reason));
	add_text(object, "detail", good ? NULL : selection->detail);
}
