/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_JSON_PLACE_H
#define ANET_CONFIG_JSON_PLACE_H

#include <stddef.h>

#include "config/arena.h"

/* Where in a file of JSON a value stands: a step from the object or list that
 * holds it.  NULL is the root of the file. */
struct json_place {
	const struct json_place *parent;
	const char *key; /* NULL: the element `index` of a list */
	size_t index;
};

/* "sandbox.mounts[0].mode". */
char *json_place_name(struct arena *arena, const struct json_place *place);

/* The line, from 1, of the member or element in a text that is known to be JSON,
 * comments blanked.  Of one that is not found, or whose key is written with
 * escapes: the line of what holds it. */
unsigned int json_place_line(const char *text, size_t length,
			     const struct json_place *place);

#endif
