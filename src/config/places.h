/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_PLACES_H
#define ANET_CONFIG_PLACES_H

#include <stdbool.h>
#include <sys/types.h>

#include "config/arena.h"

/* Where this caller's files are. */
struct places {
	uid_t uid;
	const char *system;  /* ANET_CONFIG_DIR */
	const char *data;    /* ANET_DATA_DIR */
	const char *machine; /* /run: what root keeps until the next boot */
	/* NULL where the caller has none. */
	const char *home;    /* absolute */
	const char *user;    /* ~/.config/anet, or as XDG_CONFIG_HOME has it */
	const char *runtime; /* XDG_RUNTIME_DIR; root: /run */
	const char *cache;   /* ~/.cache, or as XDG_CACHE_HOME has it; root: none */
};

/* Reads the environment.  Started as root, what belongs to another user is not
 * taken for root's own: sudo may keep HOME. */
void places_find(struct arena *arena, struct places *ret_places);

/* Those of a unit of the system: nobody's home, no environment. */
void places_of_system(struct places *ret_places);

/* "~" and "~/x" below home; other paths as they are.  NULL without a home. */
char *places_expand(struct arena *arena, const struct places *places, const char *path);

/* `path` without links, in the arena; NULL, with errno, if there is nothing. */
char *path_without_links(struct arena *arena, const char *path);

#endif
