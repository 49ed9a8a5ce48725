/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/config-table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* More keys than any table has. */
#define MAX_KEYS 64

struct reading {
	struct arena *arena;
	const struct json_file *file;
	const char *section; /* NULL at the top */
	char *target;
	struct detail *detail;
};

static enum reason invalid(const struct reading *reading, const char *key,
			   const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static enum reason invalid(const struct reading *reading, const char *key,
			   const char *format, ...)
{
	const char *section = reading->section;
	char what[600];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	return explain(reading->detail, REASON_CONFIG_INVALID,
		       "%s, line %u: `%s%s%s` %s", SHOW(reading->file->path),
		       json_file_line(reading->file, section, key),
		       section ? section : "", section ? "." : "", SHOW(key), what);
}

static void *place(const struct reading *reading, const struct config_key *key)
{
	return reading->target + key->offset;
}

/* The string, if it is one without a NUL inside. */
static const char *text_of(struct json_object *value)
{
	const char *text;

	if (!json_object_is_type(value, json_type_string))
		return NULL;
	text = json_object_get_string(value);
	return strlen(text) == (size_t)json_object_get_string_len(value) ? text : NULL;
}

static enum reason read_bool(const struct reading *reading,
			     const struct config_key *key, struct json_object *value)
{
	bool *place_bool = place(reading, key);

	if (!json_object_is_type(value, json_type_boolean))
		return invalid(reading, key->name, "must be true or false");
	if (key->type == CONFIG_BOOL || *place_bool)
		*place_bool = json_object_get_boolean(value);
	return REASON_OK;
}

static enum reason read_number(const struct reading *reading,
			       const struct config_key *key, struct json_object *value)
{
	uint64_t number, unit = key->unit ? key->unit : 1;

	if (!json_object_is_type(value, json_type_int))
		return invalid(reading, key->name, "must be a whole number");
	number = json_object_get_uint64(value); /* a negative one reads as 0 */
	if (json_object_get_int64(value) < 0 || number < key->min || number > key->max)
		return invalid(reading, key->name,
			       "must be from %" PRIu64 " to %" PRIu64, key->min,
			       key->max);
	number *= unit;
	if (key->type == CONFIG_UINT16)
		*(uint16_t *)place(reading, key) = (uint16_t)number;
	else if (key->type == CONFIG_UINT32)
		*(uint32_t *)place(reading, key) = (uint32_t)number;
	else
		*(uint64_t *)place(reading, key) = number;
	return REASON_OK;
}

static enum reason read_text(const struct reading *reading,
			     const struct config_key *key, struct json_object *value,
			     char **ret_text)
{
	const char *text = text_of(value);
	const char *wrong;

	if (!text || !*text)
		return invalid(reading, key->name,
			       "must be text, not empty, without NUL");
	wrong = key->check ? key->check(text) : NULL;
	if (wrong)
		return invalid(reading, key->name, "is \"%s\": %s", SHOW(text), wrong);
	*ret_text = arena_copy(reading->arena, text);
	return REASON_OK;
}

static enum reason read_list(const struct reading *reading,
			     const struct config_key *key, struct json_object *value)
{
	struct list list = {0};

	if (!json_object_is_type(value, json_type_array))
		return invalid(reading, key->name, "must be a list of texts");
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		char *text = NULL;
		enum reason reason = read_text(
			reading, key, json_object_array_get_idx(value, i), &text);

		if (reason != REASON_OK)
			return reason;
		list_add(reading->arena, &list, text);
	}
	*(char ***)place(reading, key) = list_items(reading->arena, &list);
	return REASON_OK;
}

/* The index of the word; the number of words if it is none of them. */
static size_t word_index(const struct config_key *key, const char *text)
{
	size_t i = 0;

	while (key->words[i] && strcmp(key->words[i], text) != 0)
		i++;
	return i;
}

static enum reason read_word(const struct reading *reading,
			     const struct config_key *key, struct json_object *value,
			     unsigned int *ret_index)
{
	const char *text = text_of(value);
	size_t index = text ? word_index(key, text) : 0;

	if (!text || !key->words[index])
		return invalid(
			reading, key->name, "must be %s%s%s",
			key->words[1] ? "one of: " : "",
			list_join(reading->arena, (char *const *)key->words, ", "),
			text ? DID_YOU_MEAN(text, key->words) : "");
	*ret_index = (unsigned int)index;
	return REASON_OK;
}

static enum reason read_words(const struct reading *reading,
			      const struct config_key *key, struct json_object *value)
{
	uint32_t bits = 0;

	if (!json_object_is_type(value, json_type_array))
		return invalid(
			reading, key->name, "must be a list of: %s",
			list_join(reading->arena, (char *const *)key->words, ", "));
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		unsigned int index = 0;
		enum reason reason = read_word(
			reading, key, json_object_array_get_idx(value, i), &index);

		if (reason != REASON_OK)
			return reason;
		bits |= 1u << index;
	}
	*(uint32_t *)place(reading, key) = bits;
	return REASON_OK;
}

static enum reason read_map(const struct reading *reading, const struct config_key *key,
			    struct json_object *value)
{
	struct list list = {0};

	if (!json_object_is_type(value, json_type_object))
		return invalid(reading, key->name, "must be an object of texts");
	json_object_object_foreach(value, name, member)
	{
		const char *text = text_of(member);
		const char *wrong = key->check ? key->check(name) : NULL;

		if (wrong)
			return invalid(reading, key->name, "has \"%s\": %s", SHOW(name),
				       wrong);
		if (!text)
			return invalid(reading, key->name,
				       "has \"%s\", which is no text", SHOW(name));
		list_add(reading->arena, &list,
			 arena_format(reading->arena, "%s=%s", name, text));
	}
	*(char ***)place(reading, key) = list_items(reading->arena, &list);
	return REASON_OK;
}

static enum reason read_object(struct reading *reading, struct json_object *object,
			       const struct config_key *keys);

static enum reason read_section(struct reading *reading, const struct config_key *key,
				struct json_object *value)
{
	enum reason reason;

	if (!json_object_is_type(value, json_type_object))
		return invalid(reading, key->name, "must be an object");
	reading->section = key->name;
	reading->target += key->offset;
	reason = read_object(reading, value, key->section);
	reading->target -= key->offset;
	reading->section = NULL;
	return reason;
}

static enum reason read_key(struct reading *reading, const struct config_key *key,
			    struct json_object *value)
{
	switch (key->type) {
	case CONFIG_BOOL:
	case CONFIG_BOOL_ONCE:
		return read_bool(reading, key, value);
	case CONFIG_UINT16:
	case CONFIG_UINT32:
	case CONFIG_UINT64:
		return read_number(reading, key, value);
	case CONFIG_TEXT:
		return read_text(reading, key, value, place(reading, key));
	case CONFIG_LIST:
		return read_list(reading, key, value);
	case CONFIG_WORD:
		return read_word(reading, key, value, place(reading, key));
	case CONFIG_WORDS:
		return read_words(reading, key, value);
	case CONFIG_MAP:
		return read_map(reading, key, value);
	case CONFIG_SECTION:
		return read_section(reading, key, value);
	}
	return REASON_INTERNAL;
}

static enum reason read_object(struct reading *reading, struct json_object *object,
			       const struct config_key *keys)
{
	const char *names[MAX_KEYS + 1] = {NULL};
	size_t n = 0;

	for (; n < MAX_KEYS && keys[n].name; n++)
		names[n] = keys[n].name;
	json_object_object_foreach(object, name, value)
	{
		size_t i = 0;
		enum reason reason;

		while (names[i] && strcmp(names[i], name) != 0)
			i++;
		if (!names[i])
			return invalid(reading, name, "is not a key that anet knows%s",
				       DID_YOU_MEAN(name, names));
		reason = read_key(reading, &keys[i], value);
		if (reason != REASON_OK)
			return reason;
	}
	return REASON_OK;
}

enum reason config_table_read(struct arena *arena, const struct json_file *file,
			      const struct config_key *keys, void *target,
			      struct detail *ret_detail)
{
	struct reading reading = {
		.arena = arena,
		.file = file,
		.target = target,
		.detail = ret_detail,
	};

	return read_object(&reading, file->root, keys);
}
