/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_STRATEGIES_PROBE_CACHE_H
#define ANET_STRATEGIES_PROBE_CACHE_H

#include <stdbool.h>

#include "config/arena.h"
#include "config/config.h"
#include "config/places.h"
#include "os/explain.h"
#include "strategies/strategy.h"

/*
 * What srt's probe found, kept for five minutes, success and failure alike, for
 * this bwrap, this anet, this configuration and this user (SPEC S3.2): in
 * $XDG_RUNTIME_DIR/anet, else ~/.cache/anet, as root in /run/anet.  Where none of
 * these can be written every session probes.
 */

/* From the cache, else by a probe that then fills it.  Returns the reason with
 * its detail. */
enum reason probe_cached(struct arena *arena, const struct places *places,
			 const struct config *config, struct detail *ret_detail);

/* Probes, whatever the cache holds, and replaces that. */
void probe_anew(struct arena *arena, const struct places *places,
		const struct config *config, struct probe_result *ret_result);

#endif
