/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_CONFIG_H
#define ANET_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "config/arena.h"
#include "os/explain.h"
#include "config/places.h"
#include "core/policy.h"

/* Which strategies are offered. */
struct config_sandbox {
	bool host, srt, microsandbox;
};

/* What the configuration says, defaults filled in.  SPEC S1.2, S2.8, S6.10. */
struct config {
	struct config_sandbox sandbox;
	struct policy_limits limits;
	/* Paths of the files that were read, in their order. */
	struct list files;
};

/* config.json and config.d/<*>.json of the system, then the user's
 * config.json; what comes later wins, but a strategy that is off for the
 * machine stays off.  REASON_OK, CONFIG_UNREADABLE or CONFIG_INVALID. */
enum reason config_load(struct arena *arena, const struct places *places,
			struct config *ret_config, struct detail *ret_detail);

/* An agent: agents.d/NAME.json of the system, then of the user. */
struct agent {
	const char *name;
	char *runtime;
	char *model; /* NULL: none configured */
	char *workspace;
	char **arguments;      /* before the caller's; never NULL */
	char **env;	       /* "NAME=VALUE"; never NULL */
	uint32_t server_tools; /* enum policy_server_tools */
	unsigned int egress;   /* 0: none, the only one so far */
};

/* Fills *ret_agent and, over what `config` has, its limits.  A name that no
 * file has but that is a runtime's stands for that runtime.  REASON_OK,
 * AGENT_UNKNOWN, CONFIG_UNREADABLE or CONFIG_INVALID. */
enum reason agent_load(struct arena *arena, const struct places *places,
		       const char *name, struct config *config, struct agent *ret_agent,
		       struct detail *ret_detail);

/* SPEC S4.1: [a-z][a-z0-9_]{0,31}. */
bool agent_name_is_valid(const char *name);

/* The names of the *.json files of a directory, sorted, without the suffix, are
 * added to `list`; a directory that is not there has none.  0 or -errno. */
int list_json_names(struct arena *arena, const char *directory, struct list *list);

#endif
