/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/why.h"

/* Shown of a value; the rest is in what the caller has given. */
#define SHOWN_BYTES 48
/* Nobody reads more, and a hostile request could have 200 000. */
#define MAX_CHANGES 200

static const char *shown(struct why *why, struct json_object *value)
{
	const char *text =
		json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
	struct arena *arena = &why->run.arena;
	size_t length = strlen(text);

	if (length <= SHOWN_BYTES)
		return escaped(arena, text);
	return arena_format(arena, "%s…",
			    escaped(arena, arena_copy_bytes(arena, text, SHOWN_BYTES)));
}

static void add_change(struct why *why, const char *place, const char *what,
		       struct json_object *was, struct json_object *becomes)
{
	struct json_object *row;

	if (json_object_array_length(why->changes) == MAX_CHANGES)
		return;
	row = json_object_new_object();
	json_object_object_add(row, "place", json_text(place));
	json_object_object_add(row, "change", json_text(what));
	json_object_object_add(row, "was", json_object_get(was));
	json_object_object_add(row, "becomes", json_object_get(becomes));
	json_object_array_add(why->changes, row);
	TABLE_ADD(why->changes_table, what, place, was ? shown(why, was) : "",
		  becomes ? shown(why, becomes) : "");
}

static void compare(struct why *why, const char *place, struct json_object *was,
		    struct json_object *becomes);

static void compare_objects(struct why *why, const char *place, struct json_object *was,
			    struct json_object *becomes)
{
	const char *dot = *place ? "." : "";
	struct arena *arena = &why->run.arena;
	struct json_object *other;

	json_object_object_foreach(was, key, value)
	{
		char *inner =
			arena_format(arena, "%s%s%s", place, dot, escaped(arena, key));

		if (json_object_object_get_ex(becomes, key, &other))
			compare(why, inner, value, other);
		else
			add_change(why, inner, "dropped", value, NULL);
	}
	json_object_object_foreach(
		becomes, added,
		new_value) if (!json_object_object_get_ex(was, added, &other))
		add_change(why,
			   arena_format(arena, "%s%s%s", place, dot,
					escaped(arena, added)),
			   "added", NULL, new_value);
}

/* Recursion ends at the depth that the gateway takes (LIMIT_JSON_DEPTH). */
static void compare(struct why *why, const char *place, struct json_object *was,
		    struct json_object *becomes)
{
	size_t n;

	if (json_object_equal(was, becomes))
		return;
	if (json_object_is_type(was, json_type_object) &&
	    json_object_is_type(becomes, json_type_object)) {
		compare_objects(why, place, was, becomes);
		return;
	}
	n = json_object_is_type(was, json_type_array) ? json_object_array_length(was)
						      : 0;
	if (n == 0 || !json_object_is_type(becomes, json_type_array) ||
	    json_object_array_length(becomes) != n) {
		add_change(why, place, "changed", was, becomes);
		return;
	}
	for (size_t i = 0; i < n; i++)
		compare(why, arena_format(&why->run.arena, "%s[%zu]", place, i),
			json_object_array_get_idx(was, i),
			json_object_array_get_idx(becomes, i));
}

void why_compare(struct why *why, struct json_object *sent, struct json_object *goes)
{
	static const char *const headings[] = {"", "FIELD", "WAS", "BECOMES", NULL};

	why->changes = json_object_new_array();
	why->changes_table = arena_get(&why->run.arena, sizeof(struct table));
	*why->changes_table = table_new(&why->run.arena, headings);
	if (sent && goes)
		compare(why, "", sent, goes);
}
