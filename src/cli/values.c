/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/values.h"

#include "cli/output.h"
#include "os/explain.h"

void values_begin(struct values *values, struct arena *arena)
{
	static const char *const headings[] = {"KEY", "VALUE", "FROM", NULL};

	values->arena = arena;
	values->table = table_new(arena, headings);
	values->array = json_object_new_array();
}

const char *values_origin(struct arena *arena, const struct config_origin *origin)
{
	if (!origin)
		return "default";
	if (!origin->line)
		return arena_copy(arena, SHOW(origin->path));
	return arena_format(arena, "%s:%u", SHOW(origin->path), origin->line);
}

/* As a file would say it, but text without its quotation marks. */
static const char *value_text(struct arena *arena, const struct config_value *value)
{
	struct json_object *json = value->json;

	if (value->unset && (!json || (json_object_is_type(json, json_type_int) &&
				       json_object_get_uint64(json) == 0)))
		return value->unset;
	if (!json)
		return "none";
	if (json_object_is_type(json, json_type_string))
		return escaped(arena, json_object_get_string(json));
	if ((json_object_is_type(json, json_type_array) &&
	     json_object_array_length(json) == 0) ||
	    (json_object_is_type(json, json_type_object) &&
	     json_object_object_length(json) == 0))
		return "none";
	return escaped(arena, json_object_to_json_string_ext(
				      json, JSON_C_TO_STRING_SPACED |
						    JSON_C_TO_STRING_NOSLASHESCAPE));
}

void values_take(void *context, const struct config_value *value)
{
	struct values *values = context;
	struct arena *arena = values->arena;
	const struct config_origin *origin = value->origin;
	struct json_object *row = json_object_new_object();
	const char *from = values_origin(arena, origin);

	TABLE_ADD(&values->table, value->name, value_text(arena, value),
		  origin ? from : painted(arena, COLOR_DIM, from));
	json_object_object_add(row, "key", json_text(value->name));
	json_object_object_add(row, "value", value->json);
	json_object_object_add(row, "file",
			       json_text(origin ? SHOW(origin->path) : NULL));
	json_object_object_add(
		row, "line",
		origin && origin->line ? json_object_new_int64(origin->line) : NULL);
	json_object_array_add(values->array, row);
}
