/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_CONFIG_TABLE_H
#define ANET_CONFIG_CONFIG_TABLE_H

#include <stdint.h>

#include "config/json-file.h"
#include "config/notes.h"

/*
 * The reader of all configuration: what a file may hold is a table, each key a
 * row.  What no row names is refused, with the nearest name.
 */
enum config_type {
	CONFIG_BOOL,	   /* bool */
	CONFIG_BOOL_ONCE,  /* bool that is true at first: false stays false */
	CONFIG_BOOL_GIVEN, /* unsigned int, enum config_given */
	CONFIG_UINT16,	   /* uint16_t */
	CONFIG_UINT32,	   /* uint32_t */
	CONFIG_UINT64,	   /* uint64_t */
	CONFIG_DECIMAL,	   /* struct config_decimal; `max`, inclusive; not negative */
	CONFIG_TEXT,	   /* char *, in the arena */
	CONFIG_LIST,	   /* char **, strings, NULL-terminated */
	CONFIG_WORD,	   /* unsigned int, `min` for the first of `words`, and so on */
	CONFIG_WORDS,	   /* uint32_t, a bit for each word of the list */
	CONFIG_MAP,	   /* char **, "NAME=VALUE" */
	CONFIG_TEXTS,	   /* struct config_texts: each a string, or JSON */
	CONFIG_SECTION,	   /* an object of its own, into the structure at `offset` */
	/* BOOL_ONCE, or an object, which means true: `section` then is read into the
	 * structure that holds the bool. */
	CONFIG_OFFER,
	CONFIG_OBJECTS,	   /* struct config_objects, each read by `section` */
	CONFIG_CHOICE,	   /* struct config_choice: one of `words`, or a list as LIST */
	CONFIG_OF_MACHINE, /* in a user's file: a key of the machine's files alone */
	CONFIG_REFUSED,	   /* a retired key that would give runs more: KEY_REFUSED */
};

enum config_given {
	CONFIG_NOT_GIVEN,
	CONFIG_GIVEN_FALSE,
	CONFIG_GIVEN_TRUE,
};

/* A number with at most six decimals. */
struct config_decimal {
	bool given;
	uint64_t millionths;
};

/* What CONFIG_CHOICE fills. */
struct config_choice {
	char **list;	   /* NULL: it is a word */
	unsigned int word; /* as of CONFIG_WORD */
};

/* The head of what CONFIG_OBJECTS fills: a pointer to the elements, each of
 * `size` bytes, then how many they are. */
struct config_objects {
	void *list;
	size_t n;
};

/* A member of CONFIG_TEXTS: a string, or an object or list as JSON. */
struct config_text {
	char *name;
	char *text;
	bool json;
};

struct config_texts {
	struct config_text *list;
	size_t n;
};

struct config_key {
	const char *name;
	enum config_type type;
	size_t offset; /* into the structure that is filled */
	/* Numbers: bounds, inclusive, and what one is worth (0: 1).  LIST, CHOICE:
	 * `max` says how many there may be, each once (0: any). */
	uint64_t min, max, unit;
	const char *const *words; /* WORD, WORDS, CHOICE; NULL-terminated */
	/* SECTION, OFFER, OBJECTS; ends with no name. */
	const struct config_key *section;
	size_t size;	      /* OBJECTS: of an element */
	const char *required; /* OBJECTS: the key that each has */
	/* TEXT, each string of a LIST, each name of a MAP or TEXTS: says what is wrong
	 * with it, NULL if nothing. */
	const char *(*check)(const char *text);
	/* For people: what holds where nothing is set, or 0 is. */
	const char *unset;
	/* A retired key (SPEC S1.8): the end of the warning "KEY is retired". */
	const char *(*retired)(struct json_object *value);
};

/* Reads the file's keys over what *target holds.  The file must have been read.
 * `notes` may be NULL.  REASON_OK, CONFIG_INVALID or KEY_REFUSED, with file, line
 * and key of the first problem. */
enum reason config_table_read(struct arena *arena, const struct json_file *file,
			      const struct config_key *keys, void *target,
			      struct config_notes *notes, struct detail *ret_detail);

#endif
