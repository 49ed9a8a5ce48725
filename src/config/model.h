/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_MODEL_H
#define ANET_CONFIG_MODEL_H

#include "config/model-table.h"

/* Why a model is the one. */
enum model_cause {
	MODEL_CHEAPEST = 1,  /* none is configured */
	MODEL_BY_ALIAS,	     /* an alias of the service is */
	MODEL_BY_ID,	     /* as it is written */
	MODEL_LEFT_TO_AGENT, /* "agent" is written */
};

/* What the gateway pins. */
struct model_choice {
	const char *name; /* "": left to the agent */
	/* enum model_abilities; 0 where models.json does not say them. */
	uint32_t abilities;
	enum model_cause cause;
	const char *path; /* of the models.json that has the choice or alias; or NULL */
};

/*
 * The model of the service at `host` (SPEC S6.1, S6.10): `configured` with its alias
 * resolved; NULL: the cheapest of the service; "agent": left to the agent.  REASON_OK,
 * NO_MODEL, CONFIG_UNREADABLE or CONFIG_INVALID.
 */
enum reason model_resolve(struct arena *arena, const struct places *places,
			  const char *host, const char *configured,
			  struct model_choice *ret_choice, struct detail *ret_detail);

/* The same from a table that has been read; REASON_OK or NO_MODEL. */
enum reason model_choose(const struct model_table *table, const char *host,
			 const char *configured, struct model_choice *ret_choice,
			 struct detail *ret_detail);

#endif
