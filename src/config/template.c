/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/template.h"

#include <json-c/json.h>
#include <string.h>

#include "os/explain.h"

static const char *const names[TEMPLATE_NAMES] = {
	[TEMPLATE_ENDPOINT] = "ENDPOINT",
	[TEMPLATE_PLACEHOLDER_KEY] = "PLACEHOLDER_KEY",
	[TEMPLATE_MODEL] = "MODEL",
	[TEMPLATE_OUTPUT_TOKENS] = "OUTPUT_TOKENS",
	[TEMPLATE_WORKSPACE] = "WORKSPACE",
	[TEMPLATE_HOME] = "HOME",
	[TEMPLATE_TASK] = "TASK",
};

/* The next ${…}: `start` is its dollar sign, `name` is `length` bytes long. */
struct piece {
	const char *start, *name, *rest;
	size_t length;
};

static bool next_piece(const char *text, struct piece *ret_piece)
{
	const char *start = strstr(text, "${");
	const char *end = start ? strchr(start, '}') : NULL;

	if (!end)
		return false;
	*ret_piece =
		(struct piece){start, start + 2, end + 1, (size_t)(end - start - 2)};
	return true;
}

static enum template_name name_of(const struct piece *piece)
{
	unsigned int i = 0;

	while (i < TEMPLATE_NAMES &&
	       (strlen(names[i]) != piece->length ||
		memcmp(names[i], piece->name, piece->length) != 0))
		i++;
	return (enum template_name)i;
}

const char *template_check(struct arena *arena, const char *text, unsigned int allowed)
{
	struct list known = {0};
	struct piece piece;

	for (; next_piece(text, &piece); text = piece.rest) {
		enum template_name name = name_of(&piece);

		if (name < TEMPLATE_NAMES && (allowed & 1u << name))
			continue;
		for (unsigned int i = 0; i < TEMPLATE_NAMES; i++)
			if (allowed & 1u << i)
				list_add(arena, &known, arena_copy(arena, names[i]));
		return arena_format(
			arena,
			"has ${%s}, and the names that are replaced there are %s",
			SHOW(arena_copy_bytes(arena, piece.name, piece.length)),
			list_join(arena, list_items(arena, &known), ", "));
	}
	return NULL;
}

unsigned int template_count(const char *text, enum template_name name)
{
	unsigned int n = 0;
	struct piece piece;

	for (; next_piece(text, &piece); text = piece.rest)
		n += name_of(&piece) == name;
	return n;
}

char *template_fill(struct arena *arena, const struct template_values *values,
		    const char *text)
{
	char *filled = arena_copy(arena, "");
	struct piece piece;

	for (; next_piece(text, &piece); text = piece.rest) {
		enum template_name name = name_of(&piece);
		const char *value = name < TEMPLATE_NAMES ? values->of[name] : NULL;

		if (!value || !*value)
			return NULL;
		filled = arena_format(arena, "%s%.*s%s", filled,
				      (int)(piece.start - text), text, value);
	}
	return arena_format(arena, "%s%s", filled, text);
}

static struct json_object *fill_value(struct arena *arena,
				      const struct template_values *values,
				      struct json_object *value);

static struct json_object *fill_string(struct arena *arena,
				       const struct template_values *values,
				       struct json_object *value)
{
	const char *text = json_object_get_string(value);
	char *filled;

	/* With a NUL inside it is no text that names could stand in. */
	if (strlen(text) != (size_t)json_object_get_string_len(value))
		return json_object_get(value);
	filled = template_fill(arena, values, text);
	return filled ? json_object_new_string(filled) : NULL;
}

static struct json_object *fill_object(struct arena *arena,
				       const struct template_values *values,
				       struct json_object *value)
{
	struct json_object *object = json_object_new_object();

	json_object_object_foreach(value, key, member)
	{
		char *name = template_fill(arena, values, key);
		struct json_object *filled =
			name ? fill_value(arena, values, member) : NULL;

		if (filled || (name && !member))
			json_object_object_add(object, name, filled);
	}
	return object;
}

static struct json_object *fill_array(struct arena *arena,
				      const struct template_values *values,
				      struct json_object *value)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(value); i++) {
		struct json_object *element = json_object_array_get_idx(value, i);
		struct json_object *filled = fill_value(arena, values, element);

		if (filled || !element)
			json_object_array_add(array, filled);
	}
	return array;
}

/* NULL for what is left out, and for JSON's null. */
static struct json_object *fill_value(struct arena *arena,
				      const struct template_values *values,
				      struct json_object *value)
{
	if (json_object_is_type(value, json_type_string))
		return fill_string(arena, values, value);
	if (json_object_is_type(value, json_type_object))
		return fill_object(arena, values, value);
	if (json_object_is_type(value, json_type_array))
		return fill_array(arena, values, value);
	return json_object_get(value);
}

char *template_fill_json(struct arena *arena, const struct template_values *values,
			 const char *json, bool pretty)
{
	int style = JSON_C_TO_STRING_NOSLASHESCAPE |
		    (pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_PRETTY_TAB
			    : JSON_C_TO_STRING_PLAIN);
	struct json_object *read = json_tokener_parse(json);
	struct json_object *filled = fill_value(arena, values, read);
	char *text = arena_format(arena, "%s%s",
				  json_object_to_json_string_ext(filled, style),
				  pretty ? "\n" : "");

	json_object_put(read);
	json_object_put(filled);
	return text;
}

char *template_fill_text(struct arena *arena, const struct template_values *values,
			 const struct config_text *text, bool pretty)
{
	return text->json ? template_fill_json(arena, values, text->text, pretty)
			  : template_fill(arena, values, text->text);
}
