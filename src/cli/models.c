/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet models: the models of each service, which of them an agent's requests go to,
 * why, and what a request for another one loses.
 */
#include "cli/models.h"

#include <string.h>
#include <sysexits.h>

#include "cli/command.h"
#include "os/report.h"

static const char help[] =
	"Shows the models that anet knows, which one the requests of an agent go to,\n"
	"and why.\n"
	"\n"
	"Usage: anet models [--agent NAME] [--json]\n"
	"\n"
	"The requests of an agent go to the model that its file names, by an id or an\n"
	"alias, else to the cheapest one of its service, whatever it asks for itself. "
	"A\n"
	"request for another model loses the fields that this one does not take.\n"
	"The exit status is 0, with --agent that of the reason why it has no model.\n"
	"\n"
	"Options:\n"
	"  --agent NAME  only the service of this agent, or runtime, and its model\n"
	"  --json        the same as JSON (schema anet.models/1)\n"
	"  --help        this text\n"
	"\n"
	"Files:\n"
	"  " ANET_CONFIG_DIR "/models.json  the operator's; what it has, counts\n"
	"  " ANET_DATA_DIR "/models.json  what came with anet\n"
	"\n"
	"For example:\n"
	"  anet models\n"
	"  anet models --agent claude\n";

static bool is_shown(const struct models *models, const char *host)
{
	return !models->asked ||
	       (models->agents[0].host && strcmp(models->agents[0].host, host) == 0);
}

static bool has_row(const struct models *models, const char *host, const char *id)
{
	for (size_t i = 0; i < models->n_rows; i++)
		if (strcmp(models->rows[i].host, host) == 0 &&
		    strcmp(models->rows[i].model.id, id) == 0)
			return true;
	return false;
}

static void add_row(struct models *models, const char *host, const struct model *model,
		    const char *path)
{
	if (!has_row(models, host, model->id))
		models->rows[models->n_rows++] =
			(struct model_row){.host = host, .model = *model, .path = path};
}

/* What a file has of a service: its models, and what is only chosen. */
static void add_service(struct models *models, const struct model_file *file,
			const struct model_service *service)
{
	for (size_t i = 0; i < service->models.n; i++)
		add_row(models, service->host, &service->models.list[i], file->path);
}

static void add_chosen(struct models *models, const struct model_file *file,
		       const struct model_service *service)
{
	struct model model = {.id = service->cheapest};

	if (model.id)
		add_row(models, service->host, &model, file->path);
	for (char **alias = service->aliases; alias && *alias; alias++) {
		model.id = strchr(*alias, '=') + 1;
		add_row(models, service->host, &model, file->path);
	}
}

static void for_files(struct models *models, const char *host,
		      void add(struct models *, const struct model_file *,
			       const struct model_service *))
{
	for (size_t i = 0; i < MODEL_FILES; i++) {
		const struct model_service *service =
			model_service_find(&models->table.files[i], host);

		if (service)
			add(models, &models->table.files[i], service);
	}
}

static void mark_row(struct models *models, struct model_row *row)
{
	const char *cheapest = model_cheapest(&models->table, row->host, NULL);

	row->cheapest = cheapest && strcmp(cheapest, row->model.id) == 0;
	for (size_t i = 0; i < MODEL_FILES; i++) {
		const struct model_service *service =
			model_service_find(&models->table.files[i], row->host);
		char **alias = service ? service->aliases : NULL;

		for (; alias && *alias; alias++) {
			char *name = arena_copy_bytes(models->arena, *alias,
						      strcspn(*alias, "="));
			const struct model_file *file;
			const char *id =
				model_alias(&models->table, row->host, name, &file);

			if (file == &models->table.files[i] &&
			    strcmp(id, row->model.id) == 0)
				list_add(models->arena, &row->aliases, name);
		}
	}
	for (size_t i = 0; i < models->n_agents; i++) {
		struct model_agent *agent = &models->agents[i];

		if (agent->reason == REASON_OK && agent->host &&
		    strcmp(agent->host, row->host) == 0 &&
		    strcmp(agent->choice.name, row->model.id) == 0)
			list_add(models->arena, &row->agents,
				 arena_copy(models->arena, agent->name));
	}
}

static size_t most_rows(const struct model_table *table)
{
	size_t n = 0;

	for (size_t i = 0; i < MODEL_FILES; i++)
		for (size_t j = 0; j < table->files[i].n; j++) {
			const struct model_service *service =
				&table->files[i].services[j];

			n += service->models.n + 1;
			for (char **alias = service->aliases; alias && *alias; alias++)
				n++;
		}
	return n;
}

static void collect(struct models *models)
{
	models->rows = arena_get(models->arena, (most_rows(&models->table) + 1) *
							sizeof(struct model_row));
	for (size_t i = 0; i < MODEL_FILES; i++)
		for (size_t j = 0; j < models->table.files[i].n; j++) {
			const char *host = models->table.files[i].services[j].host;

			if (!is_shown(models, host))
				continue;
			/* The second time nothing is new. */
			for_files(models, host, add_service);
			for_files(models, host, add_chosen);
		}
	for (size_t i = 0; i < models->n_rows; i++)
		mark_row(models, &models->rows[i]);
}

static enum reason read_agents(struct models *models, struct detail *ret_detail)
{
	struct list names = {0};
	enum reason reason = REASON_OK;

	if (models->asked)
		list_add(models->arena, &names,
			 arena_copy(models->arena, models->asked));
	else
		reason =
			agent_names(models->arena, &models->places, &names, ret_detail);
	if (reason != REASON_OK)
		return reason;
	models->n_agents = names.n;
	models->agents =
		arena_get(models->arena, (names.n + 1) * sizeof(struct model_agent));
	for (size_t i = 0; i < names.n; i++) {
		models->agents[i].name = names.items[i];
		models_read_agent(models, &models->agents[i]);
	}
	return REASON_OK;
}

static enum reason look(struct models *models, bool json, struct detail *ret_detail)
{
	enum reason reason;

	places_find(models->arena, &models->places);
	reason = config_load(models->arena, &models->places, &models->config,
			     ret_detail);
	if (reason == REASON_OK)
		reason = model_table_read(models->arena, &models->places,
					  &models->table, NULL, ret_detail);
	if (reason == REASON_OK)
		reason = read_agents(models, ret_detail);
	if (reason == REASON_OK && models->asked)
		reason = explain(ret_detail, models->agents[0].reason, "%s",
				 models->agents[0].detail);
	if (reason != REASON_OK)
		return reason;
	collect(models);
	if (json)
		models_print_json(models);
	else
		models_print(models);
	return REASON_OK;
}

static int models_main(int argc, char **argv)
{
	struct arena arena = {0};
	struct models models = {.arena = &arena};
	struct detail detail = {0};
	bool json = false;
	const struct command_option options[] = {
		{"agent", NULL, &models.asked},
		{"json", &json, NULL},
		{0},
	};
	int status = read_options(argc, argv, &command_models, options, NULL,
				  "for an agent write `--agent NAME`");
	enum reason reason;

	if (status != GO_ON)
		return status;
	reason = look(&models, json, &detail);
	status = reason == REASON_OK ? EX_OK : refuse(reason, "%s", detail.text);
	arena_free(&arena);
	return status;
}

const struct command command_models = {
	.name = "models",
	.summary = "shows the models of each service, and which one an agent gets",
	.help = help,
	.main = models_main,
};
