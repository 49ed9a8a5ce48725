/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_PREPARATION_H
#define ANET_CONFIG_PREPARATION_H

#include "config/arena.h"
#include "config/config.h"
#include "config/places.h"
#include "config/program.h"
#include "config/run-env.h"
#include "config/runtime.h"
#include "core/policy.h"
#include "os/explain.h"
#include "os/run-record.h"

/*
 * What the configuration makes of an agent: the policy and the run record of a
 * session.  Used by who prepares one: `anet run` in the foreground, anet-prepare
 * under systemd.  The steps come in this order; each returns REASON_OK, or the
 * reason with its sentence in `detail`.  Everything lives in the arena.
 */
struct preparation {
	struct arena arena;
	struct places places;
	struct config config;
	struct agent agent;
	struct runtime runtime;
	struct program program;
	/* The boundary, chosen before the policy is made. */
	enum policy_strategy strategy;
	bool require_sandbox; /* the caller wants one */
	/* `--egress`, in the place of the agent's; NULL: it was not said. */
	const struct config_egress *egress;
	const char *task;   /* for the agent, in the place of words; NULL: none */
	bool terminal;	    /* a person is at the run's standard input and output */
	char *const *words; /* the caller's */
	struct policy policy;
	struct run_record record;
	const char *home; /* the source of RUN_HOME; NULL: none is kept */
	/* Of a session without a boundary; its name is NULL in a sandbox. */
	struct run_account account;
	struct detail detail;
};

/* Configuration, agent and runtime, from `places`, which are set. */
enum reason preparation_load(struct preparation *preparation, const char *agent);

/* The program, and what is said to it: `words`, or the task that is set.  The
 * workspace and the strategy are set. */
enum reason preparation_program(struct preparation *preparation, char *const *words);

/* The policy, without session name and uids; the strategy is set. */
enum reason preparation_policy(struct preparation *preparation);

/* The arguments, the mounts of the program and of the configuration (room stays for
 * `more` others), the files of the home and the environment; of a session without a
 * boundary `account` is set. */
enum reason preparation_record(struct preparation *preparation, size_t more);

#endif
