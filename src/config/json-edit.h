/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_JSON_EDIT_H
#define ANET_CONFIG_JSON_EDIT_H

#include "config/arena.h"

/*
 * Changes one member of a file's text and nothing else: all other members stay, byte
 * for byte, in their order, and so do comments, but for those inside what is replaced
 * or taken away.  Pure, but for the arena.
 */

/*
 * `text` is one JSON object with comments, as json_file_parse() accepts it.  `key` is
 * a member of it, or of its member `section` (NULL: of the object itself; with dots: of
 * a member of that, and so on), which must be an object and is made if it is not there.
 * `value` is JSON, on one line; NULL takes the member away, and sections that are empty
 * then.  The new text, in the
 * arena; NULL if `text` or the section is no object.
 */
char *json_edit(struct arena *arena, const char *text, const char *section,
		const char *key, const char *value);

/* A string as JSON. */
char *json_quote(struct arena *arena, const char *text);

#endif
