/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_TEMPLATE_H
#define ANET_CONFIG_TEMPLATE_H

#include <stdbool.h>

#include "config/arena.h"
#include "config/config-table.h"

/* The names that stand as ${NAME} in a runtime's file. */
enum template_name {
	TEMPLATE_ENDPOINT,	  /* the origin of the run's model service */
	TEMPLATE_PLACEHOLDER_KEY, /* what opens that */
	TEMPLATE_MODEL,
	TEMPLATE_OUTPUT_TOKENS,
	TEMPLATE_WORKSPACE,
	TEMPLATE_HOME,
	TEMPLATE_TASK,
	TEMPLATE_NAMES
};

/* What they stand for in one session; NULL is as good as "". */
struct template_values {
	const char *of[TEMPLATE_NAMES];
};

/* What is wrong with a text, where the names whose bits (1 << TEMPLATE_…) are in
 * `allowed` may stand: for people, in the arena.  NULL: nothing. */
const char *template_check(struct arena *arena, const char *text, unsigned int allowed);

/* How often ${NAME} stands in it. */
unsigned int template_count(const char *text, enum template_name name);

/* `text`, which template_check() has passed, with each name replaced; in the arena.
 * NULL when one of them stands for nothing. */
char *template_fill(struct arena *arena, const struct template_values *values,
		    const char *text);

/* The same for each string and each key in a JSON text, as JSON.  Members and
 * elements for which template_fill() gives NULL are left out.  `pretty`: for people,
 * on lines. */
char *template_fill_json(struct arena *arena, const struct template_values *values,
			 const char *json, bool pretty);

/* Whichever of the two the text is for. */
char *template_fill_text(struct arena *arena, const struct template_values *values,
			 const struct config_text *text, bool pretty);

#endif
