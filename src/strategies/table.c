/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strategies/table.h"

#include <string.h>
#include <time.h>

#include "strategies/identity.h"
#include "strategies/strategy.h"

/* What each is, and how it is probed.  The boundaries of SPEC S1.1. */
static const struct {
	const char *name;
	size_t offered;			 /* in struct config_sandbox */
	const struct strategy *strategy; /* NULL: none to probe */
	const char *boundary;		 /* where there is no strategy to tell it */
	const char *missing;		 /* why it never can run; NULL: it can */
} kinds[STRATEGIES] = {
	{"host", offsetof(struct config_sandbox, host),
	 .boundary = "none: the run is an ordinary process of its account"},
	{"srt", offsetof(struct config_sandbox, srt), .strategy = &strategy_srt},
	{"microsandbox", offsetof(struct config_sandbox, microsandbox),
	 .boundary = "a virtual machine for each session",
	 .missing = "microsandbox is not part of this build"},
};

static void probe_row(struct arena *arena, size_t i, struct strategy_row *row)
{
	struct probe_result result;

	if (!row->offered) {
		row->reason = REASON_STRATEGY_OFF;
		row->detail = arena_format(arena, "sandbox.%s is off on this machine",
					   row->name);
	} else if (kinds[i].missing) {
		row->reason = REASON_STRATEGY_NOT_BUILT;
		row->detail = kinds[i].missing;
	} else if (kinds[i].strategy) {
		kinds[i].strategy->probe(&result);
		row->reason = result.reason;
		if (result.reason != REASON_OK)
			row->detail = arena_copy(arena, result.detail.text);
	}
	row->available = row->reason == REASON_OK;
}

void strategies_probe(struct arena *arena, const struct config *config,
		      struct strategies *ret_strategies)
{
	struct strategies strategies = {
		.identity = probe_identity(arena, 0, config),
	};

	for (size_t i = 0; i < STRATEGIES; i++) {
		struct strategy_row *row = &strategies.rows[i];

		*row = (struct strategy_row){
			.name = kinds[i].name,
			.boundary = kinds[i].strategy ? kinds[i].strategy->boundary
						      : kinds[i].boundary,
			.offered = *(const bool *)((const char *)&config->sandbox +
						   kinds[i].offered),
			.reason = REASON_OK,
			.detail = "",
		};
		probe_row(arena, i, row);
	}
	strategies.probed_at = (int64_t)time(NULL);
	*ret_strategies = strategies;
}

const struct strategy_row *strategies_find(const struct strategies *strategies,
					   const char *name)
{
	for (size_t i = 0; i < STRATEGIES; i++)
		if (strcmp(strategies->rows[i].name, name) == 0)
			return &strategies->rows[i];
	return NULL;
}

bool strategies_any(const struct strategies *strategies)
{
	for (size_t i = 0; i < STRATEGIES; i++)
		if (strategies->rows[i].available)
			return true;
	return false;
}

char *strategies_list(struct arena *arena, const struct strategies *strategies)
{
	struct list list = {0};

	for (size_t i = 0; i < STRATEGIES; i++) {
		const struct strategy_row *row = &strategies->rows[i];

		list_add(arena, &list,
			 arena_format(arena, "%s: %s", row->name,
				      row->available ? "available" : row->detail));
	}
	return list_join(arena, list.items, "; ");
}

bool strategies_are_current(const struct strategies *strategies, const char *identity,
			    int64_t now)
{
	/* The clock may have been set back. */
	if (strategies->probed_at > now ||
	    now - strategies->probed_at >= PROBE_FRESH_SECONDS ||
	    strcmp(strategies->identity, identity) != 0)
		return false;
	for (size_t i = 0; i < STRATEGIES; i++)
		if (strategies->rows[i].reason == REASON_SYSTEM ||
		    strategies->rows[i].reason == REASON_UIDS_EXHAUSTED)
			return false;
	return true;
}
