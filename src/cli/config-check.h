/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_CONFIG_CHECK_H
#define ANET_CLI_CONFIG_CHECK_H

#include <json-c/json.h>

#include "config/config.h"
#include "config/places.h"

/* All that is written about anet on this machine, read at once. */
struct config_check {
	struct arena *arena;
	const struct places *places;
	struct config config; /* what the good keys say */
	/* Of all files: every problem, in the order of reading, every retired key;
	 * origins of `config` alone. */
	struct config_notes notes;
	size_t n_agents, n_runtimes;
	const char *mounts; /* what is wrong with those for all agents; NULL: nothing */
};

/* Settings, every agent, every runtime, models, directories.  Changes nothing. */
void config_check_all(struct arena *arena, const struct places *places,
		      struct config_check *ret_check);

/* That of the first problem; REASON_OK: there is none. */
enum reason config_check_reason(const struct config_check *check);

/* Where one agent works. */
struct config_workspace {
	const char *agent;
	const char *path; /* links resolved */
};

/* To standard output: a line for each problem and warning, then how many there are. */
void config_check_print(const struct config_check *check);

/* Members `status`, `files`, `problems` and `warnings`. */
void config_check_add_json(struct json_object *object,
			   const struct config_check *check);

/* SPEC S2.3: no session's directory inside another's, none that touches what anet
 * keeps, and the roots of what anet assigns apart.  config-workspaces.c. */
void config_check_workspace(struct config_check *check, const struct agent *agent,
			    struct config_workspace *ret_workspace);
void config_check_apart(struct config_check *check,
			const struct config_workspace *workspaces, size_t n);
void config_check_roots(struct config_check *check);

/* Adds a problem to the notes. */
void config_check_problem(struct config_check *check, enum reason reason,
			  const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
