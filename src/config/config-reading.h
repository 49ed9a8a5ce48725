/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_CONFIG_READING_H
#define ANET_CONFIG_CONFIG_READING_H

#include "config/config-table.h"

/* What the two halves of the reader share: config-table.c goes through objects,
 * config-value.c reads what stands in them. */
struct reading {
	struct arena *arena;
	const struct json_file *file;
	struct config_notes *notes; /* NULL: nothing is noted */
	struct detail *detail;
};

/* Says that what stands there is wrong; goes on as the notes have it. */
enum reason reading_refuse(const struct reading *reading, enum reason reason,
			   const struct json_place *place, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
#define INVALID(reading, place, ...)                                                   \
	reading_refuse(reading, REASON_CONFIG_INVALID, place, __VA_ARGS__)

void reading_note_origin(const struct reading *reading, const struct json_place *place);

/* Reads a value that is no object of keys into its place in `target`. */
enum reason reading_value(const struct reading *reading, const struct config_key *key,
			  const struct json_place *place, struct json_object *value,
			  char *target);

#endif
