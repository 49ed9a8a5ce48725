/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/changes.h"

#include <string.h>

#include "config/json-edit.h"

static struct change *find(const struct changes *changes, const char *section,
			   const char *key)
{
	for (size_t i = 0; i < changes->n; i++) {
		struct change *change = &changes->list[i];

		if (strcmp(change->key, key) == 0 && !change->section == !section &&
		    (!section || strcmp(change->section, section) == 0))
			return change;
	}
	return NULL;
}

const struct change *changes_find(const struct changes *changes, const char *section,
				  const char *key)
{
	return find(changes, section, key);
}

void changes_add(struct arena *arena, struct changes *changes, const char *section,
		 const char *key, const char *value)
{
	struct change *change = find(changes, section, key);

	if (change) {
		change->value = value;
		return;
	}
	if (changes->n == changes->room) {
		size_t room = changes->room ? 2 * changes->room : 16;
		struct change *grown = arena_get(arena, room * sizeof(*grown));

		if (changes->n)
			memcpy(grown, changes->list, changes->n * sizeof(*grown));
		changes->list = grown;
		changes->room = room;
	}
	changes->list[changes->n++] = (struct change){section, key, value};
}

void changes_add_element(struct arena *arena, struct changes *changes,
			 const char *section, const char *key, const char *value)
{
	const struct change *before = find(changes, section, key);
	const char *list = before ? before->value : NULL;

	changes_add(arena, changes, section, key,
		    list ? arena_format(arena, "%.*s, %s]", (int)strlen(list) - 1, list,
					value)
			 : arena_format(arena, "[%s]", value));
}

enum reason change_apply(struct arena *arena, const struct change *change,
			 const char *path, const char *text, const char **ret_text,
			 struct detail *ret_detail)
{
	const char *after =
		json_edit(arena, text, change->section, change->key, change->value);

	if (!after)
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "%s: `%s` is not an object", SHOW(path),
			       change->section);
	*ret_text = after;
	return REASON_OK;
}
