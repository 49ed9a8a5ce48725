/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_WRITABLE_H
#define ANET_CONFIG_WRITABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "config/places.h"

/* What runs may write, and so may hold links of their making. */
struct writable {
	const char *path;  /* canonical */
	const char *agent; /* NULL: every agent, or the one that is asked about */
	bool own;
};

struct writable_list {
	struct writable *list;
	size_t n, room;
};

/* Workspaces and writable mounts of `agent` (NULL: none; `workspace` in the place of
 * its own where that is not NULL), of all others, and of every agent.  Strings live in
 * the arena. */
void writable_find(struct arena *arena, const struct places *places,
		   const struct config *config, const struct agent *agent,
		   const char *workspace, struct writable_list *ret_list);

#endif
