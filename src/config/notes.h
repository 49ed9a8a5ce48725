/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_NOTES_H
#define ANET_CONFIG_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "config/arena.h"
#include "core/reason.h"

/* What is wrong, in a sentence that names file, line and key. */
struct config_problem {
	enum reason reason;
	const char *text;
};

/* Which file a value came from. */
struct config_origin {
	const char *name; /* of the key: "limits.tasks" */
	const char *path;
	unsigned int line;
};

/*
 * What reading configuration has to tell besides the values.  Start with { 0 };
 * with `complete` set a reader goes on after a problem, so that all are found,
 * and notes where each value comes from.  Everything lives in the arena.
 */
struct config_notes {
	bool complete;
	struct list warnings; /* retired keys that were read (SPEC S1.8) */
	struct config_problem *problems;
	size_t n_problems, room_problems;
	struct config_origin *origins;
	size_t n_origins, room_origins;
};

void notes_add_problem(struct arena *arena, struct config_notes *notes,
		       enum reason reason, const char *text);

/* In the place of what was noted for that name before; the strings are copied. */
void notes_set_origin(struct arena *arena, struct config_notes *notes, const char *name,
		      const char *path, unsigned int line);

/* NULL: the value is the default. */
const struct config_origin *notes_find_origin(const struct config_notes *notes,
					      const char *name);

#endif
