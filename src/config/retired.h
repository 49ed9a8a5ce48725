/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_RETIRED_H
#define ANET_CONFIG_RETIRED_H

#include <json-c/json.h>

#include "config/config.h"

/* Keys of older versions, SPEC S1.8: how the warning "KEY is retired" goes on, by
 * what the key says; NULL: it says nothing that would have to be deleted. */
const char *retired_backend(struct json_object *value);
const char *retired_require_sandbox(struct json_object *value);
const char *retired_execution(struct json_object *value);
const char *retired_run_in_sandbox(struct json_object *value);

/* What is wrong with the value of `sandbox.backend`: agents that were saved for a
 * sandbox take it, so it must not lead out of one.  NULL: nothing. */
const char *retired_check_backend(const char *text);

/* What an agent's files say of its strategy by old names. */
struct retired_agent {
	char *execution;
	unsigned int run_in_sandbox; /* enum config_given */
};

/* The strategy that it was saved with; NULL: none. */
char *retired_strategy(struct arena *arena, const struct retired_agent *agent,
		       const char *backend);

/*
 * The warnings that `config` has and nobody was told of since the boot (for a user:
 * since the first log-in), and notes that they are told now; all, where that cannot
 * be noted.  For what starts sessions.
 */
char **retired_untold(struct arena *arena, const struct places *places,
		      const struct config *config);

/* Tells them (SPEC S1.8); `session` is NULL before there is one. */
void retired_tell(struct arena *arena, const struct places *places,
		  const struct config *config, const char *helper, const char *session,
		  const char *agent);

#endif
