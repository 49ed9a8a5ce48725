/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_EFFECTIVE_H
#define ANET_CONFIG_EFFECTIVE_H

#include <json-c/json.h>

#include "config/config.h"

/* What is in force, key by key, as a file would say it, and where it comes from. */
struct config_value {
	const char *name; /* "limits.tasks", "mounts[0]" */
	/* Whoever visits owns it.  NULL: nothing is set, and then `unset` holds. */
	struct json_object *json;
	/* In words: what nothing means, or what 0 means; NULL: itself. */
	const char *unset;
	const struct config_origin *origin; /* NULL: it is the default */
};

typedef void config_visit(void *context, const struct config_value *value);

/* Each key of config.json, in the order of anet.conf(5); `notes` are those of
 * config_load_noted(), which were `complete`. */
void config_values(struct arena *arena, const struct config *config,
		   const struct config_notes *notes, config_visit *visit,
		   void *context);

/* Each key of an agent; `config` as agent_load_noted() left it, with the notes of
 * the agent's files and of the configuration, whose limits are the agent's. */
void agent_values(struct arena *arena, const struct agent *agent,
		  const struct config *config, const struct config_notes *agent_notes,
		  const struct config_notes *config_notes, config_visit *visit,
		  void *context);

#endif
