/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_SELECTOR_H
#define ANET_CLI_SELECTOR_H

#include <json-c/json.h>

#include "config/arena.h"
#include "config/config.h"
#include "config/places.h"
#include "strategies/selection.h"

/* The strategies as `anet strategies` and `anet agent` show them (SPEC S1.9). */

/* What can run here now: the table of the boot probe, if it is current and about
 * what this caller's sessions would be; else as `anet run` finds it out. */
void selector_table(struct arena *arena, const struct places *places,
		    const struct config *config, struct strategies *ret_table);

/* The table for people: a row for each strategy, which of them was saved and which
 * a new agent gets. */
void selector_print(struct arena *arena, const struct selection *selection,
		    size_t indent);

/* A sentence or two: what the sessions of the agent run in, and whether they can; for
 * NULL, what a new agent gets. */
void selector_print_choice(struct arena *arena, const char *agent,
			   const struct selection *selection);

/* The same as JSON, into the members `strategies`, `saved`, `strategy`, `new_agent`,
 * `can_run`, `code` and `detail` of the object. */
void selector_add_json(struct json_object *object, const struct selection *selection);

#endif
