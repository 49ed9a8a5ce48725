/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_CHANGES_H
#define ANET_CLI_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "config/arena.h"
#include "os/explain.h"

/* What a line of a command changes in a file of configuration. */

/* A member that is to be changed: config/json-edit.h. */
struct change {
	const char *section, *key;
	const char *value; /* JSON; NULL: it goes */
};

struct changes {
	struct change *list;
	size_t n, room;
};

/* Adds one, in the place of an earlier one of the same member. */
void changes_add(struct arena *arena, struct changes *changes, const char *section,
		 const char *key, const char *value);

/* One more element for a list, of which all of one line are the list. */
void changes_add_element(struct arena *arena, struct changes *changes,
			 const char *section, const char *key, const char *value);

/* NULL: there is none of this member. */
const struct change *changes_find(const struct changes *changes, const char *section,
				  const char *key);

/* The text of the file `path` after one of them; *ret_text is *text where there is
 * nothing that could go.  REASON_OK, or CONFIG_INVALID: the section is no object. */
enum reason change_apply(struct arena *arena, const struct change *change,
			 const char *path, const char *text, const char **ret_text,
			 struct detail *ret_detail);

#endif
