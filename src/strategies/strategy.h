/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_STRATEGIES_STRATEGY_H
#define ANET_STRATEGIES_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>

#include "os/explain.h"

/* What is tried from inside, and what came of it. */
struct probe_check {
	const char *name;
	const char *meaning; /* what holds if it is ok, for people */
	bool tried, ok;
	char detail[168];
};

#define PROBE_MAX_CHECKS 32

struct probe_result {
	enum reason reason; /* OK: available */
	struct detail detail;
	struct probe_check checks[PROBE_MAX_CHECKS];
	size_t n_checks;
};

/* A boundary that sessions run in.  SPEC S1. */
struct strategy {
	const char *name;
	/* What it keeps apart, in one line for people. */
	const char *boundary;
	/* Tries on this machine, as this user, whether it works: starts the real
	 * thing with a program that attacks it.  Takes some 100 ms, at most 10 s;
	 * installs nothing, leaves nothing. */
	void (*probe)(struct probe_result *ret_result);
};

extern const struct strategy strategy_srt;

#endif
