/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_MODEL_H
#define ANET_CONFIG_MODEL_H

#include "config/arena.h"
#include "config/notes.h"
#include "config/places.h"
#include "os/explain.h"

/* What is wrong with the name of a model; NULL if nothing. */
const char *model_check(const char *name);

/*
 * The model that the gateway pins for the service at `host` (SPEC S6.1, S6.10):
 * `configured` with its alias resolved; NULL: the cheapest of the service;
 * "agent": "", left to the agent.  The table is models.json of the system's
 * configuration, else the one that came with anet.  REASON_OK, NO_MODEL,
 * CONFIG_UNREADABLE or CONFIG_INVALID.
 */
enum reason model_resolve(struct arena *arena, const struct places *places,
			  const char *host, const char *configured,
			  const char **ret_model, struct detail *ret_detail);

/* Reads the whole table, as no single session does, and notes all its problems. */
void models_check(struct arena *arena, const struct places *places,
		  struct config_notes *notes);

#endif
