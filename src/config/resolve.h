/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_RESOLVE_H
#define ANET_CONFIG_RESOLVE_H

#include <stdbool.h>

#include "config/arena.h"
#include "os/explain.h"

/* How a refusal begins, and what is wanted. */
struct resolve_words {
	bool directory; /* nothing else */
	enum reason reason;
	const char *what; /* "the workspace /x of agent \"y\"" */
};

/*
 * Where a path leads that an operator wrote down for sessions that root prepares, by
 * the rules at the top of resolve.c.  REASON_OK and the path without links; or the
 * reason of `words`.
 */
enum reason resolve_owned(struct arena *arena, const char *path,
			  const struct resolve_words *words, const char **ret_path,
			  struct detail *ret_detail);

#endif
