/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/models.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/values.h"
#include "core/model-abilities.h"

/* "0.10", "2.00", "0.000001". */
static const char *price_text(struct arena *arena, const struct config_decimal *price)
{
	char *text;
	size_t length;

	if (!price->given)
		return "-";
	text = arena_format(arena, "%" PRIu64 ".%06" PRIu64,
			    price->millionths / 1000000, price->millionths % 1000000);
	length = strlen(text);
	/* Cents are always shown. */
	for (size_t i = 0; i < 4 && text[length - 1] == '0'; i++)
		text[--length] = '\0';
	return text;
}

static void words_of(struct arena *arena, const struct model *model, struct list *ret)
{
	for (size_t i = 0; model_words[i]; i++)
		if (model->takes & 1u << i)
			list_add(arena, ret, arena_copy(arena, model_words[i]));
}

static const char *choice_text(const struct models *models, const struct model_row *row)
{
	struct arena *arena = models->arena;
	struct list parts = {0};

	if (row->cheapest)
		list_add(arena, &parts, arena_copy(arena, "cheapest"));
	if (row->agents.n)
		list_add(arena, &parts,
			 arena_format(arena, "of %s",
				      list_join(arena, row->agents.items, ", ")));
	if (row->model.deprecated)
		list_add(arena, &parts, arena_copy(arena, "deprecated"));
	if (row->path == models->table.files[0].path)
		list_add(arena, &parts, arena_copy(arena, "operator's"));
	return list_join(arena, list_items(arena, &parts), "; ");
}

static void print_rows(const struct models *models)
{
	static const char *const headings[] = {"SERVICE", "MODEL",  "ALIASES", "#IN",
					       "#OUT",	  "CHOICE", "TAKES",   NULL};
	struct arena *arena = models->arena;
	struct table table = table_new(arena, headings);

	for (size_t i = 0; i < models->n_rows; i++) {
		const struct model_row *row = &models->rows[i];
		struct list aliases = row->aliases, words = {0};
		const char *choice = choice_text(models, row);

		words_of(arena, &row->model, &words);
		TABLE_ADD(&table, row->host, row->model.id,
			  list_join(arena, list_items(arena, &aliases), ", "),
			  price_text(arena, &row->model.in),
			  price_text(arena, &row->model.out),
			  painted(arena, row->agents.n ? COLOR_GREEN : COLOR_NONE,
				  choice),
			  words.n ? list_join(arena, words.items, " ") : "not known");
	}
	table_print(&table, 0);
}

/* Why an agent's requests go where they go. */
static const char *cause_text(struct arena *arena, const struct model_agent *agent)
{
	const char *from = values_origin(arena, agent->origin);
	const char *unknown =
		agent->known ? ""
		: agent->nearest
			? arena_format(arena,
				       "; models.json does not have it, did you mean "
				       "`%s`?",
				       agent->nearest)
			: "; models.json does not have it";

	if (agent->reason != REASON_OK)
		return escaped(arena, agent->detail);
	if (!agent->host)
		return "its runtime has no model service";
	switch (agent->choice.cause) {
	case MODEL_CHEAPEST:
		return arena_format(arena, "the cheapest one: %s",
				    escaped(arena, agent->choice.path));
	case MODEL_BY_ALIAS:
		return arena_format(arena, "%s is an alias of %s: %s",
				    agent->agent.model,
				    escaped(arena, agent->choice.path), from);
	case MODEL_BY_ID:
		return arena_format(arena, "named in %s%s", from, unknown);
	case MODEL_LEFT_TO_AGENT:
		return arena_format(arena, "left to the agent in %s", from);
	}
	return "";
}

static const char *model_name(const struct model_agent *agent)
{
	return agent->reason == REASON_OK && agent->host && *agent->choice.name
		       ? agent->choice.name
		       : "-";
}

static void print_agents(const struct models *models)
{
	static const char *const headings[] = {"AGENT", "SERVICE", "MODEL", "WHY",
					       NULL};
	struct table table = table_new(models->arena, headings);

	if (!models->n_agents)
		return;
	for (size_t i = 0; i < models->n_agents; i++) {
		const struct model_agent *agent = &models->agents[i];

		TABLE_ADD(&table, agent->name, agent->host ? agent->host : "-",
			  model_name(agent), cause_text(models->arena, agent));
	}
	if (models->n_rows)
		putchar('\n');
	table_print(&table, 0);
}

/* Of the agent that was asked for. */
static void print_drops(const struct models *models)
{
	const struct model_agent *agent = &models->agents[0];
	struct list drops = agent->drops;

	if (!agent->host || agent->choice.cause == MODEL_LEFT_TO_AGENT)
		return;
	putchar('\n');
	if (!(agent->choice.abilities & MODEL_KNOWN))
		print_words("A request for another model is sent on as it is: "
			    "models.json does not say what this one takes.",
			    0);
	else
		print_words(arena_format(models->arena,
					 "A request for another model loses: %s.",
					 drops.n ? list_join(models->arena, drops.items,
							     ", ")
						 : "nothing"),
			    0);
}

static void print_files(const struct models *models)
{
	const struct model_file *files = models->table.files;

	printf("\nin, out      dollars for a million tokens\n");
	if (files[0].there)
		printf("operator's   %s\n", escaped(models->arena, files[0].path));
	if (files[1].there)
		printf("%s  %s\n", files[0].there ? "the others " : "all of them",
		       escaped(models->arena, files[1].path));
}

void models_print(const struct models *models)
{
	/* Of a service that models.json does not have there is nothing to list. */
	if (models->n_rows)
		print_rows(models);
	print_agents(models);
	if (models->asked)
		print_drops(models);
	if (models->n_rows)
		print_files(models);
}

static struct json_object *texts(char *const *items, size_t n)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < n; i++)
		json_object_array_add(array, json_text(items[i]));
	return array;
}

static struct json_object *price_json(struct arena *arena,
				      const struct config_decimal *price)
{
	double dollars = (double)price->millionths / 1000000;

	/* As the text, since the number is no binary fraction. */
	return price->given
		       ? json_object_new_double_s(dollars, price_text(arena, price))
		       : NULL;
}

static struct json_object *row_json(const struct models *models,
				    const struct model_row *row)
{
	struct json_object *json = json_object_new_object();
	struct list words = {0};

	words_of(models->arena, &row->model, &words);
	json_object_object_add(json, "service", json_text(row->host));
	json_object_object_add(json, "model", json_text(row->model.id));
	json_object_object_add(json, "aliases",
			       texts(row->aliases.items, row->aliases.n));
	json_object_object_add(json, "in", price_json(models->arena, &row->model.in));
	json_object_object_add(json, "out", price_json(models->arena, &row->model.out));
	json_object_object_add(json, "takes",
			       words.n ? texts(words.items, words.n) : NULL);
	json_object_object_add(json, "deprecated",
			       json_object_new_boolean(row->model.deprecated));
	json_object_object_add(json, "cheapest",
			       json_object_new_boolean(row->cheapest));
	json_object_object_add(json, "agents", texts(row->agents.items, row->agents.n));
	json_object_object_add(json, "file", json_text(row->path));
	return json;
}

static struct json_object *agent_json(const struct models *models,
				      const struct model_agent *agent)
{
	static const char *const causes[] = {
		[MODEL_CHEAPEST] = "cheapest",
		[MODEL_BY_ALIAS] = "alias",
		[MODEL_BY_ID] = "id",
		[MODEL_LEFT_TO_AGENT] = "agent",
	};
	bool chosen = agent->reason == REASON_OK && agent->host;
	bool pinned = chosen && agent->choice.cause != MODEL_LEFT_TO_AGENT;
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "name", json_text(agent->name));
	json_object_object_add(json, "service", json_text(agent->host));
	json_object_object_add(json, "model",
			       json_text(pinned ? agent->choice.name : NULL));
	json_object_object_add(json, "cause",
			       json_text(chosen ? causes[agent->choice.cause] : NULL));
	json_object_object_add(json, "configured", json_text(agent->agent.model));
	json_object_object_add(json, "file",
			       json_text(agent->origin ? agent->origin->path : NULL));
	json_object_object_add(
		json, "line",
		agent->origin ? json_object_new_int((int)agent->origin->line) : NULL);
	json_object_object_add(json, "known", json_object_new_boolean(agent->known));
	json_object_object_add(json, "drops",
			       pinned && agent->choice.abilities & MODEL_KNOWN
				       ? texts(agent->drops.items, agent->drops.n)
				       : NULL);
	json_object_object_add(json, "why",
			       json_text(cause_text(models->arena, agent)));
	json_object_object_add(json, "code",
			       agent->reason == REASON_OK
				       ? NULL
				       : json_text(reason_code(agent->reason)));
	return json;
}

void models_print_json(const struct models *models)
{
	struct json_object *root = json_object_new_object();
	struct json_object *files = json_object_new_array();
	struct json_object *rows = json_object_new_array();
	struct json_object *agents = json_object_new_array();

	for (size_t i = 0; i < MODEL_FILES; i++)
		if (models->table.files[i].there)
			json_object_array_add(files,
					      json_text(models->table.files[i].path));
	for (size_t i = 0; i < models->n_rows; i++)
		json_object_array_add(rows, row_json(models, &models->rows[i]));
	for (size_t i = 0; i < models->n_agents; i++)
		json_object_array_add(agents, agent_json(models, &models->agents[i]));
	json_object_object_add(root, "schema", json_text("anet.models/1"));
	json_object_object_add(root, "files", files);
	json_object_object_add(root, "models", rows);
	json_object_object_add(root, "agents", agents);
	print_json(root);
}
