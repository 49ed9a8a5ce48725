/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies the tables of core/rules.h to objects of json-c. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "gateway/judge-internal.h"

/* Longest key shown; one of a request may have megabytes. */
#define SHOWN_KEY 64

/* A detail in the making. */
struct writer {
	char *text;
	size_t size;
	size_t length;
};

static void write_text(struct writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void write_text(struct writer *writer, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(writer->text + writer->length, writer->size - writer->length,
		      format, arguments);
	va_end(arguments);
	if (n > 0)
		writer->length += (size_t)n;
	if (writer->length >= writer->size)
		writer->length = writer->size - 1;
}

/* How many of at most `most` bytes can be shown without splitting a character. */
static size_t cut(const char *text, size_t most)
{
	size_t length = strnlen(text, most + 1);

	if (length <= most)
		return length;
	for (length = most; length && (text[length] & 0xc0) == 0x80;)
		length--;
	return length;
}

static void write_place(struct writer *writer, const struct place *place)
{
	const struct place *chain[LIMIT_JSON_DEPTH + 1];
	size_t n = 0;

	for (; place && n < LIMIT_JSON_DEPTH + 1; place = place->up)
		chain[n++] = place;
	while (n--) {
		if (!chain[n]->key)
			write_text(writer, "[%zu]", chain[n]->index);
		else if (!*chain[n]->key)
			write_text(writer, "%s\"\"", writer->length ? "." : "");
		else
			write_text(writer, "%s%.*s", writer->length ? "." : "",
				   (int)cut(chain[n]->key, SHOWN_KEY), chain[n]->key);
	}
}

enum reason judge_refuse(struct judge *judge, enum reason reason,
			 const struct place *place, const char *format, ...)
{
	char where[LIMIT_DETAIL + 1] = "";
	char text[LIMIT_DETAIL + 1];
	struct writer writer = {.text = where, .size = sizeof(where)};
	va_list arguments;
	size_t length;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	write_place(&writer, place);
	/* However long the place is, what is wrong there must be seen. */
	length = cut(where, LIMIT_DETAIL / 2);
	snprintf(judge->judgement->detail, sizeof(judge->judgement->detail),
		 "%.*s%s%.*s", (int)length, where, length ? " " : "",
		 (int)cut(text, LIMIT_DETAIL - length - 1), text);
	return reason;
}

const char *judge_show(struct json_object *value, char buffer[JUDGE_SHOWN])
{
	const char *text;

	switch (json_object_get_type(value)) {
	case json_type_string:
		text = json_object_get_string(value);
		snprintf(buffer, JUDGE_SHOWN, "\"%.*s\"",
			 (int)cut(text, JUDGE_SHOWN - 3), text);
		return buffer;
	case json_type_object:
		return "an object";
	case json_type_array:
		return "an array";
	case json_type_null:
	case json_type_boolean:
	case json_type_int:
	case json_type_double:
		break;
	}
	/* At most LIMIT_JSON_NUMBER bytes. */
	snprintf(buffer, JUDGE_SHOWN, "%s",
		 value ? json_object_get_string(value) : "null");
	return buffer;
}

const char *judge_string(struct json_object *value)
{
	const char *text;

	if (!json_object_is_type(value, json_type_string))
		return NULL;
	text = json_object_get_string(value);
	return strlen(text) == (size_t)json_object_get_string_len(value) ? text : NULL;
}

bool judge_is(struct json_object *value, const char *text)
{
	const char *string = judge_string(value);

	return string && !strcmp(string, text);
}

static unsigned int type_bit(struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		return RULE_NULL;
	case json_type_boolean:
		return RULE_BOOL;
	case json_type_int:
		return RULE_INTEGER;
	case json_type_double:
		return RULE_REAL;
	case json_type_string:
		return RULE_STRING;
	case json_type_array:
		return RULE_ARRAY;
	case json_type_object:
		return RULE_OBJECT;
	}
	return 0;
}

static enum reason refuse_type(struct judge *judge, const struct rule_field *field,
			       struct json_object *value, const struct place *place)
{
	static const struct {
		unsigned int type;
		const char *name;
	} names[] = {
		{RULE_BOOL, "true or false"}, {RULE_INTEGER, "an integer"},
		{RULE_REAL, "a number"},      {RULE_STRING, "a string"},
		{RULE_ARRAY, "an array"},     {RULE_OBJECT, "an object"},
		{RULE_NULL, "null"},
	};
	char shown[JUDGE_SHOWN];
	char wanted[LIMIT_DETAIL + 1] = "";
	struct writer writer = {.text = wanted, .size = sizeof(wanted)};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (field->types & names[i].type)
			write_text(&writer, "%s%s", writer.length ? " or " : "",
				   names[i].name);
	return judge_refuse(judge, REASON_RULE_TYPE, place, "is %s, not %s",
			    judge_show(value, shown), wanted);
}

static const struct rule_field *find_field(const struct rule_table *table,
					   const char *name)
{
	for (size_t i = 0; i < table->n_fields; i++)
		if (!strcmp(table->fields[i].name, name))
			return &table->fields[i];
	return NULL;
}

static bool says_nothing(struct json_object *value)
{
	return !value || (json_object_is_type(value, json_type_array) &&
			  !json_object_array_length(value));
}

static enum reason judge_objects(struct judge *judge, const struct rule_table *table,
				 struct json_object *array, const struct place *place)
{
	char shown[JUDGE_SHOWN];
	enum reason reason;

	for (size_t i = 0; i < json_object_array_length(array); i++) {
		struct place here = {.up = place, .index = i};
		struct json_object *element = json_object_array_get_idx(array, i);

		if (!json_object_is_type(element, json_type_object))
			return judge_refuse(judge, REASON_RULE_TYPE, &here,
					    "is %s, not an object",
					    judge_show(element, shown));
		reason = judge_fields(judge, table, element, &here);
		if (reason)
			return reason;
	}
	return REASON_OK;
}

static enum reason judge_inside(struct judge *judge, const struct rule_field *field,
				struct json_object *value, const struct place *place)
{
	bool array = json_object_is_type(value, json_type_array);

	if (!array && !json_object_is_type(value, json_type_object))
		return REASON_OK;
	if (field->object)
		return array ? judge_objects(judge, field->object, value, place)
			     : judge_fields(judge, field->object, value, place);
	if (field->kinds)
		return array ? judge_variants(judge, field->kinds, value, place,
					      field->places)
			     : judge_variant(judge, field->kinds, value, place,
					     field->places);
	return REASON_OK;
}

static enum reason judge_field(struct judge *judge, const struct rule_field *field,
			       struct json_object *value, const struct place *place,
			       bool *ret_drop)
{
	enum reason reason;
	char shown[JUDGE_SHOWN];

	if (field->action == RULE_DROP || field->set ||
	    (field->beta && !(judge->beta & field->beta))) {
		*ret_drop = true;
		return REASON_OK;
	}
	if (field->action == RULE_REFUSE) {
		*ret_drop = says_nothing(value);
		if (*ret_drop)
			return REASON_OK;
		return judge_refuse(judge, (enum reason)field->reason, place, "is %s",
				    judge_show(value, shown));
	}
	if (!(field->types & type_bit(value)))
		return refuse_type(judge, field, value, place);
	reason = judge_inside(judge, field, value, place);
	if (reason || !value || !field->check || !judge->checks[field->check])
		return reason;
	return judge->checks[field->check](judge, value, place, ret_drop);
}

/* What the table sets, whatever was there. */
static enum reason set_fields(struct judge *judge, const struct rule_table *table,
			      struct json_object *object)
{
	for (size_t i = 0; i < table->n_fields; i++) {
		const struct rule_field *field = &table->fields[i];
		struct json_object *value;

		if (field->action != RULE_SET || !field->set)
			continue;
		value = json_tokener_parse(field->set);
		if (!value || json_object_object_add(object, field->name, value) < 0) {
			json_object_put(value);
			return judge_refuse(judge, REASON_INTERNAL, NULL,
					    "out of memory");
		}
	}
	return REASON_OK;
}

enum reason judge_fields(struct judge *judge, const struct rule_table *table,
			 struct json_object *object, const struct place *place)
{
	/* The macro allows to delete the entry that it is at. */
	json_object_object_foreach(object, key, value)
	{
		const struct rule_field *field = find_field(table, key);
		struct place here = {.up = place, .key = key};
		bool drop = !field && table->unknown == RULE_DROP;
		enum reason reason = REASON_OK;

		if (field)
			reason = judge_field(judge, field, value, &here, &drop);
		else if (!drop)
			reason = judge_refuse(judge, REASON_RULE_FIELD, &here,
					      "is not a field that anet knows here");
		if (reason)
			return reason;
		if (drop)
			json_object_object_del(object, key);
	}
	return set_fields(judge, table, object);
}

enum reason judge_variant(struct judge *judge, const struct rule_variants *variants,
			  struct json_object *object, const struct place *place,
			  unsigned int where)
{
	struct place type_place = {.up = place, .key = "type"};
	const struct rule_variant *row;
	struct json_object *type;
	char shown[JUDGE_SHOWN];

	if (!json_object_is_type(object, json_type_object))
		return judge_refuse(judge, REASON_RULE_TYPE, place,
				    "is %s, not an object", judge_show(object, shown));
	if (!json_object_object_get_ex(object, "type", &type) && !variants->absent)
		return judge_refuse(judge, (enum reason)variants->unknown, place,
				    "has no type");
	row = rule_variant_find(variants, type ? judge_string(type) : variants->absent);
	if (!row)
		return judge_refuse(judge, (enum reason)variants->unknown, &type_place,
				    "is %s", judge_show(type, shown));
	if (row->reason && !(row->server_tools & judge->server_tools))
		return judge_refuse(judge, (enum reason)row->reason, &type_place,
				    "is %s", judge_show(type, shown));
	if (!(row->places & where))
		return judge_refuse(judge, (enum reason)variants->unknown, &type_place,
				    "is %s, which does not belong here",
				    judge_show(type, shown));
	if (row->beta && !(row->beta & judge->beta))
		return judge_refuse(judge, (enum reason)variants->unknown, &type_place,
				    "is %s, without its beta flag",
				    judge_show(type, shown));
	return judge_fields(judge, row->fields, object, place);
}

enum reason judge_variants(struct judge *judge, const struct rule_variants *variants,
			   struct json_object *array, const struct place *place,
			   unsigned int where)
{
	enum reason reason;

	for (size_t i = 0; i < json_object_array_length(array); i++) {
		struct place here = {.up = place, .index = i};

		reason = judge_variant(judge, variants,
				       json_object_array_get_idx(array, i), &here,
				       where);
		if (reason)
			return reason;
	}
	return REASON_OK;
}
