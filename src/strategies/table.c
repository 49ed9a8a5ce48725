/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strategies/table.h"

#include <string.h>
#include <time.h>

#include "strategies/identity.h"
#include "strategies/probe-cache.h"
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
	 .boundary = "no boundary: the run is an ordinary process of its account"},
	{"srt", offsetof(struct config_sandbox, srt), .strategy = &strategy_srt},
	{"microsandbox", offsetof(struct config_sandbox, microsandbox),
	 .boundary = "a virtual machine for each session",
	 .missing = "microsandbox is not part of this build"},
};

static void refuse_row(struct strategy_row *row, enum reason reason, const char *detail)
{
	row->available = false;
	row->reason = reason;
	row->detail = detail;
}

/* What is known without a probe; whether one is needed. */
static bool begin_row(struct arena *arena, const struct config *config, size_t i,
		      struct strategy_row *row)
{
	*row = (struct strategy_row){
		.name = kinds[i].name,
		.boundary = kinds[i].strategy ? kinds[i].strategy->boundary
					      : kinds[i].boundary,
		.offered = *(const bool *)((const char *)&config->sandbox +
					   kinds[i].offered),
		.available = true,
		.reason = REASON_OK,
		.detail = "",
	};
	if (!row->offered)
		refuse_row(row, REASON_STRATEGY_OFF,
			   arena_format(arena, "sandbox.%s is off on this machine",
					row->name));
	else if (kinds[i].missing)
		refuse_row(row, REASON_STRATEGY_NOT_BUILT, kinds[i].missing);
	return row->available && kinds[i].strategy;
}

void strategies_unprobed(struct arena *arena, const struct config *config,
			 struct strategies *ret_strategies)
{
	struct strategies strategies = {.identity = ""};

	for (size_t i = 0; i < STRATEGIES; i++)
		if (begin_row(arena, config, i, &strategies.rows[i]))
			refuse_row(&strategies.rows[i], REASON_NO_STRATEGY,
				   "it was not probed yet: `systemctl restart "
				   "anet-probe` does that");
	*ret_strategies = strategies;
}

void strategies_probe(struct arena *arena, const struct config *config,
		      struct strategies *ret_strategies)
{
	struct strategies strategies = {
		.identity = probe_identity(arena, 0, config),
	};

	for (size_t i = 0; i < STRATEGIES; i++) {
		struct strategy_row *row = &strategies.rows[i];
		struct probe_result result;

		if (!begin_row(arena, config, i, row))
			continue;
		kinds[i].strategy->probe(&result);
		if (result.reason != REASON_OK)
			refuse_row(row, result.reason,
				   arena_copy(arena, result.detail.text));
	}
	strategies.probed_at = (int64_t)time(NULL);
	*ret_strategies = strategies;
}

/* Only srt has a probe. */
static enum reason ask_probe(struct arena *arena, const struct places *places,
			     const struct config *config, bool anew,
			     struct detail *ret_detail)
{
	struct probe_result result;

	if (!anew)
		return probe_cached(arena, places, config, ret_detail);
	probe_anew(arena, places, config, &result);
	*ret_detail = result.detail;
	return result.reason;
}

/* As the sessions of this caller find it; with a `name` that strategy alone. */
static void look(struct arena *arena, const struct places *places,
		 const struct config *config, const char *name, bool anew,
		 struct strategies *ret_strategies)
{
	struct strategies strategies = {
		.identity = probe_identity(arena, places->uid, config),
	};

	for (size_t i = 0; i < STRATEGIES; i++) {
		struct strategy_row *row = &strategies.rows[i];
		struct detail detail = {0};
		enum reason reason;

		if (!begin_row(arena, config, i, row))
			continue;
		if (name && strcmp(row->name, name) != 0) {
			refuse_row(row, REASON_STRATEGY_UNAVAILABLE,
				   "it was not looked at");
			continue;
		}
		reason = ask_probe(arena, places, config, anew, &detail);
		if (reason != REASON_OK)
			refuse_row(row, reason, arena_copy(arena, detail.text));
	}
	strategies.probed_at = (int64_t)time(NULL);
	*ret_strategies = strategies;
}

void strategies_cached(struct arena *arena, const struct places *places,
		       const struct config *config, const char *name,
		       struct strategies *ret_strategies)
{
	look(arena, places, config, name, false, ret_strategies);
}

void strategies_anew(struct arena *arena, const struct places *places,
		     const struct config *config, struct strategies *ret_strategies)
{
	look(arena, places, config, NULL, true, ret_strategies);
}

const char *strategies_name(size_t i)
{
	return kinds[i].name;
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

enum reason strategies_check_any(struct arena *arena,
				 const struct strategies *strategies,
				 struct detail *ret_detail)
{
	if (strategies_any(strategies))
		return REASON_OK;
	return explain(ret_detail, REASON_NO_STRATEGY,
		       "startup refused: no execution strategy can run on this machine "
		       "(%s)",
		       strategies_list(arena, strategies));
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
