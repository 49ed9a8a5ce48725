/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strategies/selection.h"

#include <assert.h>
#include <string.h>

#include "config/egress.h"
#include "config/mounts.h"

/* SPEC S1.5: of an agent that was saved without one. */
#define UNSAVED "srt"

static_assert(STRATEGY_HOST == 1 && STRATEGY_SRT == 2 && STRATEGY_MICROSANDBOX == 3,
	      "rows are in the order of enum policy_strategy");

const char *selection_name(const struct agent *agent)
{
	return agent->strategy ? agent->strategy : UNSAVED;
}

static void refuse_row(struct strategy_row *row, enum reason reason, const char *detail)
{
	row->available = false;
	row->reason = reason;
	row->detail = detail;
}

/* What the probe says of a row that is as good as unprobed; of one that is off, or
 * needs no probe, it says nothing. */
static void take_probed(struct arena *arena, const struct strategy_row *probed,
			struct strategy_row *row)
{
	if (row->reason != REASON_NO_STRATEGY)
		return;
	if (!probed->offered) {
		row->reason = REASON_STRATEGY_UNAVAILABLE;
		row->detail = arena_format(arena,
					   "sandbox.%s was off when this machine was "
					   "probed: `systemctl restart anet-probe` "
					   "probes anew",
					   row->name);
		return;
	}
	row->available = probed->available;
	row->reason = probed->reason;
	row->detail = probed->detail;
}

/* SPEC S9: the mounts of the configuration that it cannot make. */
static void take_mounts(struct arena *arena, const struct selection_case *of,
			enum policy_strategy strategy, struct strategy_row *row)
{
	size_t n = of->config->sandbox.mounts.n + (of->agent ? of->agent->mounts.n : 0);
	struct detail detail;
	enum reason reason;

	if (!row->available || n == 0)
		return;
	reason = mounts_check(arena, of->places, of->config, of->agent, strategy,
			      &detail);
	if (reason != REASON_OK)
		refuse_row(row, reason, arena_copy(arena, detail.text));
}

/* The agent's runtime, as it was read already or is read here; NULL if there is none
 * that can be used, which is told where a session is prepared. */
static const struct runtime *
runtime_of(struct arena *arena, const struct selection_case *of, struct runtime *read)
{
	struct detail unused;

	if (of->runtime || !of->agent || !of->agent->runtime)
		return of->runtime;
	return runtime_load(arena, of->places, of->agent->runtime, read, &unused) ==
			       REASON_OK
		       ? read
		       : NULL;
}

/* Where the program of an agent cannot run, whatever a probe finds. */
static void take_runtime(struct arena *arena, const struct selection_case *of,
			 struct strategies *table)
{
	struct runtime read;
	const struct runtime *runtime = runtime_of(arena, of, &read);
	struct detail detail;

	for (size_t i = 0; runtime && i < STRATEGIES; i++) {
		struct strategy_row *row = &table->rows[i];
		enum reason reason =
			runtime_check_strategy(runtime, of->agent->name,
					       (enum policy_strategy)(i + 1), &detail);

		if (reason != REASON_OK &&
		    (row->available || row->reason == REASON_NO_STRATEGY))
			refuse_row(row, reason, arena_copy(arena, detail.text));
	}
}

static void take_egress(struct arena *arena, const struct selection_case *of,
			struct strategy_row *host)
{
	struct detail detail;
	enum reason reason =
		of->agent ? egress_check_boundary(of->agent, &detail) : REASON_OK;

	if (reason != REASON_OK &&
	    (host->available || host->reason == REASON_NO_STRATEGY))
		refuse_row(host, reason, arena_copy(arena, detail.text));
}

static void make_rows(struct arena *arena, const struct selection_case *of,
		      struct strategies *table)
{
	struct strategy_row *host = &table->rows[STRATEGY_HOST - 1];

	strategies_unprobed(arena, of->config, table);
	for (size_t i = 0; of->table && i < STRATEGIES; i++)
		take_probed(arena, &of->table->rows[i], &table->rows[i]);
	if (of->table) {
		table->probed_at = of->table->probed_at;
		table->identity = of->table->identity;
	}
	for (size_t i = 0; i < STRATEGIES; i++)
		take_mounts(arena, of, (enum policy_strategy)(i + 1), &table->rows[i]);
	take_runtime(arena, of, table);
	take_egress(arena, of, host);
	if (host->available && of->require_sandbox)
		refuse_row(host, REASON_SANDBOX_REQUIRED,
			   "`--require-sandbox` refuses sessions without a sandbox");
}

#define UNKNOWN "this machine has no \"%s\" execution strategy"

static void judge_choice(struct arena *arena, struct selection *selection)
{
	const struct strategy_row *row =
		strategies_find(&selection->table, selection->strategy);

	if (!row) {
		selection->reason = REASON_STRATEGY_UNKNOWN;
		selection->detail =
			arena_format(arena, UNKNOWN, SHOW(selection->strategy));
		return;
	}
	selection->reason = row->reason;
	selection->detail = selection->saved && row->reason == REASON_STRATEGY_OFF
				    ? "not offered where this agent is placed"
				    : row->detail;
}

void selection_make(struct arena *arena, const struct selection_case *of,
		    struct selection *ret_selection)
{
	struct selection selection = {0};
	struct detail detail = {0};

	make_rows(arena, of, &selection.table);
	for (size_t i = 0; i < STRATEGIES && !selection.fresh; i++)
		if (selection.table.rows[i].available)
			selection.fresh = selection.table.rows[i].name;
	if (of->agent) {
		selection.saved = of->agent->strategy;
		selection.strategy = selection_name(of->agent);
		judge_choice(arena, &selection);
	} else {
		selection.reason =
			strategies_check_any(arena, &selection.table, &detail);
		selection.detail = arena_copy(arena, detail.text);
	}
	*ret_selection = selection;
}

/* The row's sentence is shown as it was made: what it quotes is escaped. */
#define CANNOT_RUN                                                                     \
	"agent \"%s\" runs its sessions in the %s strategy, "                          \
	"which this machine cannot run: %.800s"

enum reason selection_check_start(struct arena *arena, const struct selection_case *of,
				  enum policy_strategy *ret_strategy,
				  struct detail *ret_detail)
{
	struct selection selection;
	const struct strategy_row *row;

	selection_make(arena, of, &selection);
	row = strategies_find(&selection.table, selection.strategy);
	if (!row)
		return explain(ret_detail, REASON_STRATEGY_UNKNOWN, CANNOT_RUN,
			       of->agent->name, SHOW(selection.strategy),
			       selection.detail);
	/* Of the agent and not of the machine. */
	if (row->reason == REASON_FILES_NEED_SANDBOX ||
	    row->reason == REASON_EGRESS_UNSUPPORTED ||
	    row->reason == REASON_AGENT_UNSUPPORTED)
		return explain(ret_detail, row->reason, "%.1000s", row->detail);
	if (!row->available)
		return explain(ret_detail, row->reason, CANNOT_RUN, of->agent->name,
			       row->name, row->detail);
	*ret_strategy = (enum policy_strategy)(row - selection.table.rows + 1);
	return REASON_OK;
}

enum reason selection_check_save(const struct selection *selection, const char *name,
				 struct detail *ret_detail)
{
	const struct strategy_row *row = strategies_find(&selection->table, name);

	if (!row)
		return explain(ret_detail, REASON_STRATEGY_UNKNOWN, UNKNOWN,
			       SHOW(name));
	if (!row->available)
		return explain(ret_detail, row->reason,
			       "the %s strategy cannot be chosen: %.800s", row->name,
			       row->detail);
	return REASON_OK;
}
