/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_JSON_FILE_H
#define ANET_CONFIG_JSON_FILE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "config/arena.h"
#include "config/json-place.h"
#include "os/explain.h"

/*
 * A file of configuration: JSON with comments (// to the end of the line, and
 * C's), one object, no key twice.
 */
struct json_file {
	const char *path;
	/* As read, but comments are blanks: offsets are the file's. */
	const char *text;
	size_t length;
	struct json_object *root; /* an object; freed by json_file_free() */
	/* Where in the file `root` is; NULL: it is the file as a whole. */
	const struct json_place *place;
};

/* No configuration is longer. */
#define JSON_FILE_MAX (1024 * 1024)

/*
 * Reads one.  It must be a regular file that belongs to root, to the caller or to
 * whoever owns this program, and that nobody else can write: whoever writes it
 * decides what a run may do.
 * REASON_OK, also when there is no such file (then root is NULL),
 * CONFIG_UNREADABLE or CONFIG_INVALID.
 */
enum reason json_file_read(struct arena *arena, const char *path,
			   struct json_file *ret_file, struct detail *ret_detail);
/* The same for a text that is to be the file `path`; it is copied. */
enum reason json_file_parse(struct arena *arena, const char *path, const char *text,
			    size_t length, struct json_file *ret_file,
			    struct detail *ret_detail);
void json_file_free(struct json_file *file);

/* The line, from 1, of what stands there. */
unsigned int json_file_line(const struct json_file *file,
			    const struct json_place *place);

/* Makes comments blank in place, newlines kept, nothing inside strings touched.
 * Returns `length`, or the offset of a comment that has no end. */
size_t json_blank_comments(char *text, size_t length);

#endif
