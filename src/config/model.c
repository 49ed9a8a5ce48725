/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/model.h"

#include <string.h>

/* The configured word that leaves the choice to the agent. */
#define LEFT_TO_AGENT "agent"

enum reason model_choose(const struct model_table *table, const char *host,
			 const char *configured, struct model_choice *ret_choice,
			 struct detail *ret_detail)
{
	struct model_choice choice = {.cause = MODEL_CHEAPEST};
	const struct model_file *file = NULL;

	if (configured && strcmp(configured, LEFT_TO_AGENT) == 0) {
		*ret_choice =
			(struct model_choice){.name = "", .cause = MODEL_LEFT_TO_AGENT};
		return REASON_OK;
	}
	if (configured) {
		choice.name = model_alias(table, host, configured, &file);
		choice.cause = choice.name ? MODEL_BY_ALIAS : MODEL_BY_ID;
		if (!choice.name)
			choice.name = configured;
	} else {
		choice.name = model_cheapest(table, host, &file);
	}
	if (!choice.name)
		return explain(
			ret_detail, REASON_NO_MODEL,
			"no model is configured, and models.json has none for %s",
			SHOW(host));
	choice.path = file ? file->path : NULL;
	choice.abilities =
		model_abilities(model_find(table, host, choice.name, NULL, NULL));
	*ret_choice = choice;
	return REASON_OK;
}

enum reason model_resolve(struct arena *arena, const struct places *places,
			  const char *host, const char *configured,
			  struct model_choice *ret_choice, struct detail *ret_detail)
{
	struct model_table table;
	enum reason reason = model_table_read(arena, places, &table, NULL, ret_detail);

	if (reason == REASON_OK)
		reason = model_choose(&table, host, configured, ret_choice, ret_detail);
	return reason;
}
