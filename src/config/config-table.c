/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/config-table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/config-reading.h"

/* More keys than any table has. */
#define MAX_KEYS 64

enum reason reading_refuse(const struct reading *reading, enum reason reason,
			   const struct json_place *place, const char *format, ...)
{
	char what[600];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	explain(reading->detail, reason, "%s, line %u: `%s` %s",
		SHOW(reading->file->path), json_file_line(reading->file, place),
		SHOW(json_place_name(reading->arena, place)), what);
	if (reading->notes)
		notes_add_problem(reading->arena, reading->notes, reason,
				  reading->detail->text);
	return reason;
}

void reading_note_origin(const struct reading *reading, const struct json_place *place)
{
	/* Of a list as a whole, and of each object in it. */
	if (reading->notes && reading->notes->complete &&
	    (!place->parent || place->parent->key))
		notes_set_origin(reading->arena, reading->notes,
				 json_place_name(reading->arena, place),
				 reading->file->path,
				 json_file_line(reading->file, place));
}

static void note_retired(const struct reading *reading, const struct json_place *place,
			 const char *words)
{
	if (reading->notes)
		list_add(reading->arena, &reading->notes->warnings,
			 arena_format(reading->arena, "%s, line %u: %s is retired%s",
				      SHOW(reading->file->path),
				      json_file_line(reading->file, place),
				      json_place_name(reading->arena, place), words));
}

static enum reason read_object(const struct reading *reading,
			       const struct config_key *keys,
			       const struct json_place *place,
			       struct json_object *object, char *target);

static enum reason read_section(const struct reading *reading,
				const struct config_key *key,
				const struct json_place *place,
				struct json_object *value, char *target)
{
	if (!json_object_is_type(value, json_type_object))
		return INVALID(reading, place, "must be an object");
	return read_object(reading, key->section, place, value, target + key->offset);
}

static enum reason read_offer(const struct reading *reading,
			      const struct config_key *key,
			      const struct json_place *place, struct json_object *value,
			      char *target)
{
	const struct config_key once = {.type = CONFIG_BOOL_ONCE,
					.offset = key->offset};

	if (json_object_is_type(value, json_type_boolean))
		return reading_value(reading, &once, place, value, target);
	if (!json_object_is_type(value, json_type_object))
		return INVALID(reading, place, "must be true, false or an object");
	/* Whoever describes it offers it; it is true already, or stays false. */
	if (*(bool *)(target + key->offset))
		reading_note_origin(reading, place);
	return read_object(reading, key->section, place, value, target);
}

static enum reason read_objects(const struct reading *reading,
				const struct config_key *key,
				const struct json_place *place,
				struct json_object *value, char *target)
{
	struct config_objects objects = {0};
	enum reason first = REASON_OK;
	size_t n;

	if (!json_object_is_type(value, json_type_array))
		return INVALID(reading, place, "must be a list of objects");
	n = json_object_array_length(value);
	objects.list = n ? arena_get(reading->arena, n * key->size) : NULL;
	for (; objects.n < n; objects.n++) {
		const struct json_place at = {place, .index = objects.n};
		struct json_object *one = json_object_array_get_idx(value, objects.n);
		enum reason reason;

		if (!json_object_is_type(one, json_type_object))
			reason = INVALID(reading, &at, "must be an object");
		else if (!json_object_object_get_ex(one, key->required, NULL))
			reason = INVALID(reading, &at, "has no `%s`", key->required);
		else
			reason = read_object(reading, key->section, &at, one,
					     (char *)objects.list +
						     objects.n * key->size);
		if (reason != REASON_OK &&
		    !(reading->notes && reading->notes->complete))
			return reason;
		if (first == REASON_OK)
			first = reason;
		reading_note_origin(reading, &at);
	}
	if (first != REASON_OK)
		return first;
	memcpy(target + key->offset, &objects, sizeof(objects));
	reading_note_origin(reading, place);
	return REASON_OK;
}

static enum reason read_key(const struct reading *reading, const struct config_key *key,
			    const struct json_place *place, struct json_object *value,
			    char *target)
{
	const char *words = key->retired ? key->retired(value) : NULL;

	if (words)
		note_retired(reading, place, words);
	if (key->type == CONFIG_SECTION)
		return read_section(reading, key, place, value, target);
	if (key->type == CONFIG_OFFER)
		return read_offer(reading, key, place, value, target);
	if (key->type == CONFIG_OBJECTS)
		return read_objects(reading, key, place, value, target);
	return reading_value(reading, key, place, value, target);
}

static const struct config_key *find_key(const struct config_key *keys,
					 const char *name)
{
	while (keys->name && strcmp(keys->name, name) != 0)
		keys++;
	return keys->name ? keys : NULL;
}

static enum reason refuse_key(const struct reading *reading,
			      const struct config_key *keys,
			      const struct json_place *place)
{
	const char *names[MAX_KEYS + 1] = {NULL};
	size_t n = 0;

	/* Nobody is led to a key that is retired. */
	for (; keys->name && n < MAX_KEYS; keys++)
		if (!keys->retired && keys->type != CONFIG_REFUSED &&
		    keys->type != CONFIG_OF_MACHINE)
			names[n++] = keys->name;
	return INVALID(reading, place, "is not a key that anet knows%s",
		       DID_YOU_MEAN(place->key, names));
}

static enum reason read_object(const struct reading *reading,
			       const struct config_key *keys,
			       const struct json_place *place,
			       struct json_object *object, char *target)
{
	enum reason first = REASON_OK;

	json_object_object_foreach(object, name, value)
	{
		const struct json_place at = {place, name, 0};
		const struct config_key *key = find_key(keys, name);
		enum reason reason = key ? read_key(reading, key, &at, value, target)
					 : refuse_key(reading, keys, &at);

		if (reason != REASON_OK &&
		    !(reading->notes && reading->notes->complete))
			return reason;
		if (first == REASON_OK)
			first = reason;
	}
	return first;
}

enum reason config_table_read(struct arena *arena, const struct json_file *file,
			      const struct config_key *keys, void *target,
			      struct config_notes *notes, struct detail *ret_detail)
{
	const struct reading reading = {
		.arena = arena,
		.file = file,
		.notes = notes,
		.detail = ret_detail,
	};

	return read_object(&reading, keys, file->place, file->root, target);
}
