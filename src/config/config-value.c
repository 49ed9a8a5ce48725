/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <string.h>

#include "config/config-reading.h"

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
			     const struct config_key *key,
			     const struct json_place *place, struct json_object *value,
			     bool *target)
{
	if (!json_object_is_type(value, json_type_boolean))
		return INVALID(reading, place, "must be true or false");
	if (key->type == CONFIG_BOOL_ONCE && !*target)
		return REASON_OK;
	*target = json_object_get_boolean(value);
	reading_note_origin(reading, place);
	return REASON_OK;
}

static enum reason read_given(const struct reading *reading,
			      const struct json_place *place, struct json_object *value,
			      unsigned int *target)
{
	if (!json_object_is_type(value, json_type_boolean))
		return INVALID(reading, place, "must be true or false");
	*target =
		json_object_get_boolean(value) ? CONFIG_GIVEN_TRUE : CONFIG_GIVEN_FALSE;
	reading_note_origin(reading, place);
	return REASON_OK;
}

static enum reason read_number(const struct reading *reading,
			       const struct config_key *key,
			       const struct json_place *place,
			       struct json_object *value, void *target)
{
	uint64_t number, unit = key->unit ? key->unit : 1;

	if (!json_object_is_type(value, json_type_int))
		return INVALID(reading, place, "must be a whole number");
	number = json_object_get_uint64(value); /* a negative one reads as 0 */
	if (json_object_get_int64(value) < 0 || number < key->min || number > key->max)
		return INVALID(reading, place, "must be from %" PRIu64 " to %" PRIu64,
			       key->min, key->max);
	number *= unit;
	if (key->type == CONFIG_UINT16)
		*(uint16_t *)target = (uint16_t)number;
	else if (key->type == CONFIG_UINT32)
		*(uint32_t *)target = (uint32_t)number;
	else
		*(uint64_t *)target = number;
	reading_note_origin(reading, place);
	return REASON_OK;
}

static enum reason read_decimal(const struct reading *reading,
				const struct config_key *key,
				const struct json_place *place,
				struct json_object *value,
				struct config_decimal *target)
{
	double number, millionths, error;

	if (!json_object_is_type(value, json_type_int) &&
	    !json_object_is_type(value, json_type_double))
		return INVALID(reading, place, "must be a number");
	number = json_object_get_double(value);
	/* In this form also for what is no number. */
	if (!(number >= 0 && number <= (double)key->max))
		return INVALID(reading, place, "must be from 0 to %" PRIu64, key->max);
	millionths = number * 1000000;
	target->millionths = (uint64_t)(millionths + 0.5);
	error = millionths - (double)target->millionths;
	/* 0.1 is no binary fraction. */
	if (error > 0.001 || error < -0.001)
		return INVALID(reading, place, "has more than six decimals");
	target->given = true;
	reading_note_origin(reading, place);
	return REASON_OK;
}

static enum reason read_text(const struct reading *reading,
			     const struct config_key *key,
			     const struct json_place *place, struct json_object *value,
			     char **ret_text)
{
	const char *text = text_of(value);
	const char *wrong;

	if (!text || !*text)
		return INVALID(reading, place, "must be text, not empty, without NUL");
	wrong = key->check ? key->check(text) : NULL;
	if (wrong)
		return INVALID(reading, place, "is \"%s\": %s", SHOW(text), wrong);
	*ret_text = arena_copy(reading->arena, text);
	reading_note_origin(reading, place);
	return REASON_OK;
}

static bool is_in(const struct list *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i], text) == 0)
			return true;
	return false;
}

static enum reason read_list(const struct reading *reading,
			     const struct config_key *key,
			     const struct json_place *place, struct json_object *value,
			     char ***ret_list)
{
	struct list list = {0};

	if (!json_object_is_type(value, json_type_array))
		return INVALID(reading, place, "must be a list of texts");
	if (key->max && json_object_array_length(value) > key->max)
		return INVALID(reading, place, "has %zu entries, and may have %" PRIu64,
			       json_object_array_length(value), key->max);
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		const struct json_place element = {place, .index = i};
		char *text = NULL;
		enum reason reason =
			read_text(reading, key, &element,
				  json_object_array_get_idx(value, i), &text);

		if (reason != REASON_OK)
			return reason;
		if (key->max && is_in(&list, text))
			return INVALID(reading, &element, "is \"%s\" again",
				       SHOW(text));
		list_add(reading->arena, &list, text);
	}
	*ret_list = list_items(reading->arena, &list);
	reading_note_origin(reading, place);
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
			     const struct config_key *key,
			     const struct json_place *place, struct json_object *value,
			     unsigned int *ret_word)
{
	const char *text = text_of(value);
	size_t index = text ? word_index(key, text) : 0;

	if (!text || !key->words[index])
		return INVALID(
			reading, place, "must be %s%s%s",
			key->words[1] ? "one of: " : "",
			list_join(reading->arena, (char *const *)key->words, ", "),
			text ? DID_YOU_MEAN(text, key->words) : "");
	*ret_word = (unsigned int)(key->min + index);
	reading_note_origin(reading, place);
	return REASON_OK;
}

static enum reason read_choice(const struct reading *reading,
			       const struct config_key *key,
			       const struct json_place *place,
			       struct json_object *value, struct config_choice *target)
{
	struct config_choice choice = {0};
	const char *text = text_of(value);
	enum reason reason = REASON_OK;

	if (json_object_is_type(value, json_type_array))
		reason = read_list(reading, key, place, value, &choice.list);
	else if (text && key->words[word_index(key, text)])
		reason = read_word(reading, key, place, value, &choice.word);
	else
		reason = INVALID(
			reading, place, "must be a list of texts, or one of: %s%s",
			list_join(reading->arena, (char *const *)key->words, ", "),
			text ? DID_YOU_MEAN(text, key->words) : "");
	if (reason == REASON_OK)
		*target = choice;
	return reason;
}

static enum reason read_words(const struct reading *reading,
			      const struct config_key *key,
			      const struct json_place *place, struct json_object *value,
			      uint32_t *ret_bits)
{
	uint32_t bits = 0;

	if (!json_object_is_type(value, json_type_array))
		return INVALID(
			reading, place, "must be a list of: %s",
			list_join(reading->arena, (char *const *)key->words, ", "));
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		const struct json_place element = {place, .index = i};
		unsigned int word = 0;
		enum reason reason =
			read_word(reading, key, &element,
				  json_object_array_get_idx(value, i), &word);

		if (reason != REASON_OK)
			return reason;
		bits |= 1u << word;
	}
	*ret_bits = bits;
	reading_note_origin(reading, place);
	return REASON_OK;
}

static enum reason read_map(const struct reading *reading, const struct config_key *key,
			    const struct json_place *place, struct json_object *value,
			    char ***ret_list)
{
	struct list list = {0};

	if (!json_object_is_type(value, json_type_object))
		return INVALID(reading, place, "must be an object of texts");
	json_object_object_foreach(value, name, member)
	{
		const char *text = text_of(member);
		const char *wrong = key->check ? key->check(name) : NULL;

		if (wrong)
			return INVALID(reading, place, "has \"%s\": %s", SHOW(name),
				       wrong);
		if (!text)
			return INVALID(reading, place, "has \"%s\", which is no text",
				       SHOW(name));
		list_add(reading->arena, &list,
			 arena_format(reading->arena, "%s=%s", name, text));
	}
	*ret_list = list_items(reading->arena, &list);
	reading_note_origin(reading, place);
	return REASON_OK;
}

static enum reason read_texts(const struct reading *reading,
			      const struct config_key *key,
			      const struct json_place *place, struct json_object *value,
			      struct config_texts *ret_texts)
{
	struct config_texts texts = {0};

	if (!json_object_is_type(value, json_type_object))
		return INVALID(reading, place, "must be an object of texts");
	texts.list = arena_get(reading->arena,
			       ((size_t)json_object_object_length(value) + 1) *
				       sizeof(*texts.list));
	json_object_object_foreach(value, name, member)
	{
		bool json = json_object_is_type(member, json_type_object) ||
			    json_object_is_type(member, json_type_array);
		const char *text =
			json ? json_object_to_json_string(member) : text_of(member);
		const char *wrong = key->check ? key->check(name) : NULL;

		if (wrong)
			return INVALID(reading, place, "has \"%s\": %s", SHOW(name),
				       wrong);
		if (!text)
			return INVALID(reading, place,
				       "has \"%s\", which is neither text nor an "
				       "object nor a list",
				       SHOW(name));
		texts.list[texts.n++] =
			(struct config_text){arena_copy(reading->arena, name),
					     arena_copy(reading->arena, text), json};
	}
	*ret_texts = texts;
	reading_note_origin(reading, place);
	return REASON_OK;
}

enum reason reading_value(const struct reading *reading, const struct config_key *key,
			  const struct json_place *place, struct json_object *value,
			  char *target)
{
	void *at = target + key->offset;

	switch (key->type) {
	case CONFIG_BOOL:
	case CONFIG_BOOL_ONCE:
		return read_bool(reading, key, place, value, at);
	case CONFIG_BOOL_GIVEN:
		return read_given(reading, place, value, at);
	case CONFIG_UINT16:
	case CONFIG_UINT32:
	case CONFIG_UINT64:
		return read_number(reading, key, place, value, at);
	case CONFIG_DECIMAL:
		return read_decimal(reading, key, place, value, at);
	case CONFIG_TEXT:
		return read_text(reading, key, place, value, at);
	case CONFIG_LIST:
		return read_list(reading, key, place, value, at);
	case CONFIG_WORD:
		return read_word(reading, key, place, value, at);
	case CONFIG_CHOICE:
		return read_choice(reading, key, place, value, at);
	case CONFIG_WORDS:
		return read_words(reading, key, place, value, at);
	case CONFIG_MAP:
		return read_map(reading, key, place, value, at);
	case CONFIG_TEXTS:
		return read_texts(reading, key, place, value, at);
	case CONFIG_OF_MACHINE:
		return INVALID(reading, place,
			       "stands in the machine's configuration only");
	case CONFIG_REFUSED:
		return reading_refuse(reading, REASON_KEY_REFUSED, place,
				      "is retired, and would give runs more than they "
				      "have now");
	case CONFIG_SECTION:
	case CONFIG_OFFER:
	case CONFIG_OBJECTS:
		break; /* config-table.c */
	}
	return REASON_INTERNAL;
}
