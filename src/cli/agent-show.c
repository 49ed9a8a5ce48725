/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet agent show and list.
 */
#include <stdio.h>
#include <string.h>

#include "cli/agent.h"
#include "cli/output.h"
#include "cli/selector.h"
#include "cli/table.h"
#include "cli/values.h"
#include "os/report.h"

/* One agent with all that there is to tell of it. */
struct shown_agent {
	struct config_notes machine_notes, agent_notes;
	struct config config;
	struct agent agent;
	struct strategies table;
	struct selection selection;
};

static void select_for(struct agent_request *request, struct shown_agent *shown)
{
	const struct selection_case of = {
		.places = &request->places,
		.table = &shown->table,
		.config = &shown->config,
		.agent = &shown->agent,
	};

	selection_make(&request->arena, &of, &shown->selection);
}

static enum reason read_shown(struct agent_request *request, struct shown_agent *shown)
{
	struct arena *arena = &request->arena;
	enum reason reason;

	shown->machine_notes.complete = true;
	shown->agent_notes.complete = true;
	reason = config_load_noted(arena, &request->places, &shown->machine_notes,
				   &shown->config, &request->detail);
	if (reason == REASON_OK)
		reason = agent_load_noted(arena, &request->places, request->name,
					  &shown->agent_notes, &shown->config,
					  &shown->agent, &request->detail);
	if (reason != REASON_OK)
		return reason;
	selector_table(arena, &request->places, &shown->config, &shown->table);
	select_for(request, shown);
	return REASON_OK;
}

static void print_shown(struct agent_request *request, const struct shown_agent *shown,
			struct values *values)
{
	struct arena *arena = &request->arena;

	printf("agent  %s\nfile   %s\n\n", shown->agent.name,
	       shown->agent.path ? escaped(arena, shown->agent.path)
				 : "none: it is a runtime's name");
	table_print(&values->table, 0);
	putchar('\n');
	selector_print(arena, &shown->selection, 0);
	putchar('\n');
	selector_print_choice(arena, shown->agent.name, &shown->selection);
	json_object_put(values->array);
}

static void print_shown_json(const struct shown_agent *shown, struct values *values)
{
	struct json_object *root = json_object_new_object();

	json_object_object_add(root, "schema", json_text("anet.agent/1"));
	json_object_object_add(root, "name", json_text(shown->agent.name));
	json_object_object_add(root, "file", json_text(shown->agent.path));
	json_object_object_add(root, "values", values->array);
	selector_add_json(root, &shown->selection);
	print_json(root);
}

enum reason agent_show(struct agent_request *request)
{
	struct shown_agent shown = {0};
	struct values values;
	enum reason reason = read_shown(request, &shown);

	if (reason != REASON_OK)
		return reason;
	values_begin(&values, &request->arena);
	agent_values(&request->arena, &shown.agent, &shown.config, &shown.agent_notes,
		     &shown.machine_notes, values_take, &values);
	if (request->json)
		print_shown_json(&shown, &values);
	else
		print_shown(request, &shown, &values);
	return REASON_OK;
}

/* A row of the list: an agent, or why it cannot be read. */
struct row {
	const char *name;
	enum reason reason;
	const char *detail;
	struct agent agent;
	struct selection selection;
};

static void read_row(struct agent_request *request, const struct config *machine,
		     const struct strategies *table, struct row *row)
{
	struct config config = *machine;
	struct detail detail = {0};
	const struct selection_case of = {
		.places = &request->places,
		.table = table,
		.config = &config,
		.agent = &row->agent,
	};

	row->reason = agent_load(&request->arena, &request->places, row->name, &config,
				 &row->agent, &detail);
	row->detail = arena_copy(&request->arena, detail.text);
	if (row->reason != REASON_OK)
		return;
	selection_make(&request->arena, &of, &row->selection);
	row->reason = row->selection.reason;
	row->detail = row->selection.detail;
}

static void print_rows(struct agent_request *request, const struct row *rows, size_t n)
{
	static const char *const headings[] = {
		"NAME", "RUNTIME", "STRATEGY", "STATE", "MODEL", "WORKSPACE", NULL};
	struct arena *arena = &request->arena;
	struct table table = table_new(arena, headings);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct row *row = &rows[i];
		const struct agent *agent = &row->agent;
		bool good = row->reason == REASON_OK;

		TABLE_ADD(&table, escaped(arena, row->name),
			  agent->runtime ? escaped(arena, agent->runtime) : "",
			  agent->name ? escaped(arena, row->selection.strategy) : "",
			  painted(arena, good ? COLOR_GREEN : COLOR_RED,
				  good ? "available" : reason_code(row->reason)),
			  agent->model ? escaped(arena, agent->model) : "",
			  agent->workspace ? escaped(arena, agent->workspace) : "");
	}
	if (n)
		table_print(&table, 0);
	else
		puts("There are no agents. `anet agent add NAME --runtime RUNTIME` "
		     "makes one.");
	for (size_t i = 0; i < n; i++) {
		if (rows[i].reason == REASON_OK)
			continue;
		if (!any)
			putchar('\n');
		any = true;
		print_words(arena_format(arena, "%s: %s", escaped(arena, rows[i].name),
					 escaped(arena, rows[i].detail)),
			    0);
	}
}

static struct json_object *row_json(const struct row *row)
{
	struct json_object *object = json_object_new_object();
	const struct agent *agent = &row->agent;
	bool good = row->reason == REASON_OK;

	json_object_object_add(object, "name", json_text(row->name));
	json_object_object_add(object, "file", json_text(agent->path));
	json_object_object_add(object, "runtime", json_text(agent->runtime));
	json_object_object_add(object, "saved", json_text(row->selection.saved));
	json_object_object_add(object, "strategy", json_text(row->selection.strategy));
	json_object_object_add(object, "can_run", json_object_new_boolean(good));
	json_object_object_add(object, "code",
			       json_text(good ? NULL : reason_code(row->reason)));
	json_object_object_add(object, "detail", json_text(good ? NULL : row->detail));
	json_object_object_add(object, "model", json_text(agent->model));
	json_object_object_add(object, "workspace", json_text(agent->workspace));
	return object;
}

static void print_rows_json(const struct row *rows, size_t n)
{
	struct json_object *root = json_object_new_object();
	struct json_object *array = json_object_new_array();

	json_object_object_add(root, "schema", json_text("anet.agents/1"));
	for (size_t i = 0; i < n; i++)
		json_object_array_add(array, row_json(&rows[i]));
	json_object_object_add(root, "agents", array);
	print_json(root);
}

enum reason agent_list(struct agent_request *request)
{
	struct arena *arena = &request->arena;
	struct list names = {0};
	struct strategies table;
	struct config config;
	struct row *rows;
	enum reason reason =
		config_load(arena, &request->places, &config, &request->detail);

	if (reason == REASON_OK)
		reason = agent_names(arena, &request->places, &names, &request->detail);
	if (reason != REASON_OK)
		return reason;
	rows = arena_get(arena, (names.n + 1) * sizeof(*rows));
	if (names.n)
		selector_table(arena, &request->places, &config, &table);
	for (size_t i = 0; i < names.n; i++) {
		rows[i].name = names.items[i];
		read_row(request, &config, &table, &rows[i]);
	}
	if (request->json)
		print_rows_json(rows, names.n);
	else
		print_rows(request, rows, names.n);
	return REASON_OK;
}
