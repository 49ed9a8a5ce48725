/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_MODELS_H
#define ANET_CLI_MODELS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "config/model.h"
#include "config/runtime.h"

/* A model that some service has, in the table or as what it chooses. */
struct model_row {
	const char *host;
	struct model model;
	const char *path; /* of the models.json that has it */
	bool cheapest;
	struct list aliases, agents; /* that stand for it; whose requests go to it */
};

/* An agent, and what becomes of the models that it asks for. */
struct model_agent {
	const char *name;
	enum reason reason; /* its configuration, or that it has no model */
	const char *detail;
	const struct config_origin *origin; /* of its `model`; NULL: none is written */
	struct agent agent;
	enum wire wire;
	const char *host; /* NULL: it has no model service */
	struct model_choice choice;
	bool known;	     /* models.json has the model */
	const char *nearest; /* of the names that could be meant, if it is not */
	struct list drops;   /* fields that a request for another model loses */
};

/* What `anet models` shows.  Everything lives in the arena. */
struct models {
	struct arena *arena;
	struct places places;
	struct config config;
	struct model_table table;
	struct model_row *rows;
	size_t n_rows;
	struct model_agent *agents;
	size_t n_agents;
	const char *asked; /* the agent of --agent, or NULL */
};

/* Reads an agent and what it comes to. */
void models_read_agent(struct models *models, struct model_agent *agent);

void models_print(const struct models *models);
void models_print_json(const struct models *models);

#endif
