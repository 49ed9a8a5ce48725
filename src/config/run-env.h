/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_RUN_ENV_H
#define ANET_CONFIG_RUN_ENV_H

#include <stdbool.h>

#include "config/config.h"
#include "config/runtime.h"
#include "config/template.h"
#include "core/policy.h"

/*
 * The environment of a run, built from empty (SPEC S2.6): locale, terminal and
 * time zone of the caller as far as they are plain words, a fixed place to live
 * in, the session's limits, what the runtime needs, and what the agent's
 * configuration adds.
 */

/* Each returns what is wrong with a variable's name, NULL if nothing: is it one
 * at all; may a runtime's file set it; may an agent's configuration set it
 * (nothing that loads code, names a socket or proxy of the host, or would hold
 * a secret). */
const char *run_env_check_spelling(const char *name);
const char *run_env_check_runtime_name(const char *name);
const char *run_env_check_name(const char *name);

/* Whether what an agent's configuration adds leaves alone what its runtime sets.
 * REASON_OK or CONFIG_INVALID. */
enum reason run_env_check_agent(const struct runtime *runtime,
				const struct agent *agent, struct detail *ret_detail);

/* What a caller's LANG, TERM and the like may be. */
bool run_env_word_is_plain(const char *word);

/* Whose environment a session without a boundary has. */
struct run_account {
	const char *name, *home, *shell;
	/* The caller himself runs it: what he has goes along, without credentials. */
	bool inherits;
};

/*
 * `account` is NULL for a run in a sandbox.  `program_directories` come first in
 * PATH.  REASON_OK, or CONFIG_INVALID when the agent sets what it may not.
 */
enum reason run_env_build(struct arena *arena, const struct policy *policy,
			  const struct runtime *runtime, const struct agent *agent,
			  const struct run_account *account,
			  const struct template_values *values,
			  char *const *program_directories, char ***ret_env,
			  struct detail *ret_detail);

#endif
