/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_STRATEGIES_SELECTION_H
#define ANET_STRATEGIES_SELECTION_H

#include <stdbool.h>

#include "config/config.h"
#include "config/places.h"
#include "config/runtime.h"
#include "core/policy.h"
#include "os/explain.h"
#include "strategies/table.h"

/*
 * Which boundary the sessions of an agent run in, from what the configuration
 * offers, what a probe found and what was saved; with the sentences of SPEC S1.
 * Nothing here probes, and nothing ever chooses another boundary than the saved
 * one.
 */

/* For whom a selection is made. */
struct selection_case {
	const struct places *places;
	const struct strategies *table; /* of a probe; NULL: there was none yet */
	const struct config *config;	/* as it is now: the probe may be older */
	const struct agent *agent;	/* NULL: for a new agent */
	const struct runtime *runtime;	/* the agent's; NULL: read from its file */
	bool require_sandbox;		/* `--require-sandbox` */
};

struct selection {
	/* The table as it is for this agent: with what the configuration says now
	 * and with the agent's mounts. */
	struct strategies table;
	const char *saved;    /* NULL: none was saved */
	const char *strategy; /* of its sessions: SPEC S1.5; NULL without an agent */
	/* REASON_OK: a session of the agent (without one: of any new agent) could
	 * start now. */
	enum reason reason;
	/* What the saved choice shows if it cannot run: a sentence without the final
	 * full stop; "" if it can. */
	const char *detail;
	/* What a new agent gets (SPEC S1.5); NULL: no strategy can run. */
	const char *fresh;
};

/* Strings live in the arena, or where those of the case do. */
void selection_make(struct arena *arena, const struct selection_case *of,
		    struct selection *ret_selection);

/* Whether a session may start.  REASON_OK and its strategy; or the reason of that
 * strategy's row (STRATEGY_OFF, SANDBOX_REQUIRED, NO_BWRAP, …) or STRATEGY_UNKNOWN,
 * with the sentence of SPEC S1.6.  `of` has an agent. */
enum reason selection_check_start(struct arena *arena, const struct selection_case *of,
				  enum policy_strategy *ret_strategy,
				  struct detail *ret_detail);

/* Whether an agent may be saved with the strategy `name` (SPEC S1.5): REASON_OK, or
 * as above. */
enum reason selection_check_save(const struct selection *selection, const char *name,
				 struct detail *ret_detail);

/* The strategy of an agent's sessions: as it was saved, else srt. */
const char *selection_name(const struct agent *agent);

#endif
