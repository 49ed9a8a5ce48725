/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "cli/models.h"
#include "config/api-base.h"
#include "core/model-abilities.h"
#include "core/nearest.h"

/* The fields of a request that go with an ability; NULL-terminated. */
struct fields {
	uint32_t ability;
	enum wire wire;
	const char *names[4];
};

static const struct fields all_fields[] = {
	{MODEL_THINKING_ADAPTIVE, WIRE_ANTHROPIC, {"thinking of type adaptive"}},
	{MODEL_THINKING_OFF, WIRE_ANTHROPIC, {"thinking of type disabled"}},
	{MODEL_SAMPLING, WIRE_ANTHROPIC, {"temperature", "top_p", "top_k"}},
	{MODEL_EFFORT, WIRE_ANTHROPIC, {"output_config.effort"}},
	{MODEL_SAMPLING,
	 WIRE_OPENAI,
	 {"temperature", "top_p", "top_k", "penalties and logprobs"}},
	{MODEL_EFFORT,
	 WIRE_OPENAI,
	 {"reasoning", "reasoning_effort", "reasoning.encrypted_content in include"}},
	{MODEL_VERBOSITY, WIRE_OPENAI, {"text.verbosity", "verbosity"}},
};

static void list_drops(struct models *models, struct model_agent *agent)
{
	uint32_t abilities = agent->choice.abilities;

	if (!(abilities & MODEL_KNOWN))
		return;
	if (agent->wire == WIRE_ANTHROPIC && !(abilities & MODEL_THINKING_BUDGET))
		list_add(
			models->arena, &agent->drops,
			arena_copy(models->arena,
				   abilities & MODEL_THINKING_ADAPTIVE
					   ? "thinking.budget_tokens (the type becomes "
					     "adaptive)"
					   : "thinking of type enabled"));
	for (size_t i = 0; i < sizeof(all_fields) / sizeof(*all_fields); i++) {
		const struct fields *fields = &all_fields[i];

		if (fields->wire != agent->wire || abilities & fields->ability)
			continue;
		for (size_t j = 0; j < 4 && fields->names[j]; j++)
			list_add(models->arena, &agent->drops,
				 arena_copy(models->arena, fields->names[j]));
	}
}

/* What the operator may have meant by a name that no file has. */
static const char *find_nearest(struct models *models, const char *host,
				const char *name)
{
	struct list names = {0};

	for (size_t i = 0; i < MODEL_FILES; i++) {
		const struct model_service *service =
			model_service_find(&models->table.files[i], host);
		char **alias = service ? service->aliases : NULL;

		for (; alias && *alias; alias++)
			list_add(models->arena, &names,
				 arena_copy_bytes(models->arena, *alias,
						  strcspn(*alias, "=")));
		for (size_t j = 0; service && j < service->models.n; j++)
			list_add(models->arena, &names, service->models.list[j].id);
	}
	return nearest_name(name,
			    (const char *const *)list_items(models->arena, &names));
}

static enum reason find_model(struct models *models, struct model_agent *agent,
			      const struct runtime *runtime, struct detail *ret_detail)
{
	struct api_base base = {0};
	enum reason reason =
		api_base_resolve(runtime, &agent->agent, &base, ret_detail);

	if (reason != REASON_OK || runtime->wire == WIRE_NONE)
		return reason;
	agent->wire = runtime->wire;
	agent->host = arena_copy(models->arena, base.host);
	reason = model_choose(&models->table, agent->host, agent->agent.model,
			      &agent->choice, ret_detail);
	if (reason != REASON_OK || agent->choice.cause == MODEL_LEFT_TO_AGENT)
		return reason;
	agent->known = model_find(&models->table, agent->host, agent->choice.name, NULL,
				  NULL) != NULL;
	if (!agent->known)
		agent->nearest = find_nearest(models, agent->host, agent->choice.name);
	list_drops(models, agent);
	return REASON_OK;
}

void models_read_agent(struct models *models, struct model_agent *agent)
{
	struct config_notes *notes =
		arena_get(models->arena, sizeof(struct config_notes));
	struct config config = models->config;
	struct detail detail = {0};
	struct runtime runtime;

	notes->complete = true;
	agent->reason = agent_load_noted(models->arena, &models->places, agent->name,
					 notes, &config, &agent->agent, &detail);
	if (agent->reason == REASON_OK)
		agent->reason = api_runtime_load(models->arena, &models->places,
						 &agent->agent, &runtime, &detail);
	if (agent->reason == REASON_OK)
		agent->reason = find_model(models, agent, &runtime, &detail);
	if (agent->reason == REASON_OK)
		agent->origin = notes_find_origin(notes, "model");
	agent->detail = arena_copy(models->arena, detail.text);
}
