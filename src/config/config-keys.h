/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_CONFIG_KEYS_H
#define ANET_CONFIG_CONFIG_KEYS_H

#include "config/config-table.h"
#include "config/config.h"
#include "config/retired.h"

/* What the files fill, and by which tables: config.c, agent.c. */
struct config_file {
	struct config config;
	bool require_sandbox; /* retired */
};

struct agent_file {
	struct agent agent;
	struct policy_limits limits;
	struct retired_agent retired;
};

extern const struct config_key config_keys[];	  /* struct config_file */
extern const struct config_key agent_keys[];	  /* struct agent_file */
extern const struct config_key auto_reply_keys[]; /* struct config_auto_reply */

/* What they have in common. */
extern const struct config_key limit_keys[]; /* struct policy_limits */
extern const struct config_key mount_keys[]; /* struct config_mount */

/* The row of a list of mounts. */
#define MOUNTS_KEY(place)                                                              \
	{                                                                              \
		.name = "mounts", .type = CONFIG_OBJECTS, .offset = (place),           \
		.section = mount_keys, .size = sizeof(struct config_mount),            \
		.required = "source"                                                   \
	}

/* Reads one file by a table, if it is there.  `edit` and `notes` may be NULL. */
enum reason read_by_table(struct arena *arena, const char *path,
			  const struct config_key *keys, void *target,
			  const struct config_edit *edit, struct config_notes *notes,
			  bool *ret_found, struct detail *ret_detail);

#endif
