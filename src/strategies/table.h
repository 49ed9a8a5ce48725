/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_STRATEGIES_TABLE_H
#define ANET_STRATEGIES_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/arena.h"
#include "config/config.h"
#include "config/places.h"
#include "os/explain.h"

/* In the order of SPEC S1.1. */
#define STRATEGIES 3

/* Offered (configuration) and available (probe) are two facts: SPEC S1.3. */
struct strategy_row {
	const char *name;     /* "host", "srt", "microsandbox" */
	const char *boundary; /* what it keeps apart, in one line for people */
	bool offered;
	bool available;
	enum reason reason; /* REASON_OK if available */
	/* Why not, a sentence without the final full stop; "" if available. */
	const char *detail;
};

struct strategies {
	int64_t probed_at;    /* seconds, CLOCK_REALTIME */
	const char *identity; /* what was probed: strategies/identity.h */
	struct strategy_row rows[STRATEGIES];
};

/* Probes what the configuration offers, and nothing else; some 100 ms, at most
 * 10 s.  Strings live in the arena. */
void strategies_probe(struct arena *arena, const struct config *config,
		      struct strategies *ret_strategies);

/*
 * The same as the sessions of this caller find it now: each strategy that is offered
 * by what its last probe under this account said, if that still counts, else by a
 * probe (strategies/probe-cache.h).  With a `name` the others are not looked at, and
 * are not available.
 */
void strategies_cached(struct arena *arena, const struct places *places,
		       const struct config *config, const char *name,
		       struct strategies *ret_strategies);

/* The same for all of them by probes of now, which replace what the last ones said. */
void strategies_anew(struct arena *arena, const struct places *places,
		     const struct config *config, struct strategies *ret_strategies);

/* What is known without a probe: what is off, what is not built, and that host can
 * run; the others cannot until they were probed. */
void strategies_unprobed(struct arena *arena, const struct config *config,
			 struct strategies *ret_strategies);

/*
 * Reads the table at `path` (STRATEGIES_FILE).  It must be a regular file of
 * root's that nobody else can write; no link is followed.  REASON_OK; NO_STRATEGY
 * when there is none yet (the detail says what to start); RECORD_UNSAFE when it is
 * not as root wrote it or does not parse; SYSTEM.
 */
enum reason strategies_read(struct arena *arena, const char *path,
			    struct strategies *ret_strategies,
			    struct detail *ret_detail);

/* The same for the text of one; false if it is not as strategies_write() has it. */
bool strategies_parse(struct arena *arena, const char *text, size_t length,
		      struct strategies *ret_strategies);

/* Replaces the file `name` in `directory` as a whole, 0644.  0 or -errno. */
int strategies_write(int directory, const char *name,
		     const struct strategies *strategies);

/* "host", "srt", "microsandbox". */
const char *strategies_name(size_t i);

/* The row of this name; NULL: this machine has no such strategy (SPEC S1.5). */
const struct strategy_row *strategies_find(const struct strategies *strategies,
					   const char *name);

/* Whether any can run here: SPEC S1.4. */
bool strategies_any(const struct strategies *strategies);

/* NO_STRATEGY and the sentence of SPEC S1.4 if none can, else REASON_OK. */
enum reason strategies_check_any(struct arena *arena,
				 const struct strategies *strategies,
				 struct detail *ret_detail);

/* "host: …; srt: …; microsandbox: …", each with its state. */
char *strategies_list(struct arena *arena, const struct strategies *strategies);

/* Whether a table still says what a new probe would: not older than
 * PROBE_FRESH_SECONDS at `now`, of this identity, and no probe failed for what its
 * process lacked at that moment. */
bool strategies_are_current(const struct strategies *strategies, const char *identity,
			    int64_t now);

#endif
