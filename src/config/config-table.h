/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_CONFIG_TABLE_H
#define ANET_CONFIG_CONFIG_TABLE_H

#include <stdint.h>

#include "config/json-file.h"

/*
 * The reader of all configuration: what a file may hold is a table, each key a
 * row.  What no row names is refused, with the nearest name.
 */
enum config_type {
	CONFIG_BOOL,	  /* bool */
	CONFIG_BOOL_ONCE, /* bool that is true at first: false stays false */
	CONFIG_UINT16,	  /* uint16_t */
	CONFIG_UINT32,	  /* uint32_t */
	CONFIG_UINT64,	  /* uint64_t */
	CONFIG_TEXT,	  /* char *, in the arena */
	CONFIG_LIST,	  /* char **, strings, NULL-terminated */
	CONFIG_WORD,	  /* unsigned int, the index of the word in `words` */
	CONFIG_WORDS,	  /* uint32_t, a bit for each word of the list */
	CONFIG_MAP,	  /* char **, "NAME=VALUE" */
	CONFIG_SECTION,	  /* an object of its own, into the structure at `offset` */
};

struct config_key {
	const char *name;
	enum config_type type;
	size_t offset; /* into the structure that is filled */
	/* Numbers: bounds, inclusive, and what one is worth (0: 1). */
	uint64_t min, max, unit;
	const char *const *words;	  /* WORD, WORDS; NULL-terminated */
	const struct config_key *section; /* SECTION; ends with no name */
	/* TEXT, each string of a LIST, each name of a MAP: says what is wrong with
	 * it, NULL if nothing. */
	const char *(*check)(const char *text);
};

/* Reads the file's keys over what *target holds.  The file must have been read.
 * REASON_OK or CONFIG_INVALID, with file, line and key. */
enum reason config_table_read(struct arena *arena, const struct json_file *file,
			      const struct config_key *keys, void *target,
			      struct detail *ret_detail);

#endif
