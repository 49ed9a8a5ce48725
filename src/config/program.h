/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_PROGRAM_H
#define ANET_CONFIG_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "config/arena.h"
#include "os/explain.h"
#include "config/places.h"
#include "config/runtime.h"

/*
 * Where a runtime's program is and what a sandbox needs of it: an executable
 * file, or a script with its interpreter, and around them the npm package that
 * they belong to.  Never a whole home, nothing that the system's directories
 * show anyway.
 */
struct program {
	char *path;	    /* as it was found, for people */
	char **argv;	    /* absolute; before the arguments.  One or more */
	char **mounts;	    /* to be seen read-only, at their own places */
	char **directories; /* for the front of PATH, of what is mounted */
};

/* Nothing is taken from `workspace` (NULL: none), which earlier runs could write:
 * they would choose what is mounted for the next.  REASON_OK, or
 * RUNTIME_NOT_INSTALLED with the places that were looked at. */
enum reason program_find(struct arena *arena, const struct places *places,
			 const struct runtime *runtime, const char *workspace,
			 struct program *ret_program, struct detail *ret_detail);

/* The root of the npm package that an absolute path lies in, "/…/node_modules
 * /@scope/name"; NULL if in none. */
char *npm_package_root(struct arena *arena, const char *path);

/* A directory of a search list: "~" is the home, one component may be "*", and
 * then the highest version (strverscmp(3)) comes first.  Adds those that exist. */
void search_expand(struct arena *arena, const struct places *places,
		   const char *pattern, struct list *ret_directories);

/* Whether every sandbox shows this path as part of the system. */
bool path_is_system(const char *path);

#endif
