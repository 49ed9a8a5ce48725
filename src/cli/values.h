/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_VALUES_H
#define ANET_CLI_VALUES_H

#include "cli/table.h"
#include "config/effective.h"

/* What is in force and where it comes from, shown: `anet config show`, `anet agent
 * show`. */
struct values {
	struct arena *arena;
	struct table table;	   /* key, value, from */
	struct json_object *array; /* of {key, value, file, line} */
};

/* Begins; `array` is the caller's to use or to put. */
void values_begin(struct values *values, struct arena *arena);

/* A config_visit whose context is the struct values: adds a row to both. */
void values_take(void *context, const struct config_value *value);

/* "FILE:LINE", "FILE" or "default". */
const char *values_origin(struct arena *arena, const struct config_origin *origin);

#endif
