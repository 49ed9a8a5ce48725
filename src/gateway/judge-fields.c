/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies the tables of core/rules.h to objects of json-c. */
#include <string.h>
#include "gateway/judge-internal.h"

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

/* Whether a value's text is one of "a|b". */
static bool among(const char *words, struct json_object *value)
{
	bool nested = type_bit(value) & (RULE_OBJECT | RULE_ARRAY | RULE_NULL);
	const char *text = json_object_is_type(value, json_type_string) || nested
				   ? judge_string(value)
				   : json_object_get_string(value);
	size_t length = text ? strlen(text) : 0;

	while (length && *words) {
		size_t n = strcspn(words, "|");

		if (n == length && !memcmp(words, text, n))
			return true;
		words += n + (words[n] == '|');
	}
	return false;
}

static enum reason judge_word(struct judge *judge, const struct rule_field *field,
			      struct json_object *value, const struct place *place)
{
	char shown[JUDGE_SHOWN];

	if (among(field->words, value))
		return REASON_OK;
	return judge_refuse(judge, (enum reason)field->reason, place, "is %s%s%s",
			    judge_show(value, shown), *field->words ? ", not " : "",
			    field->words);
}

static enum reason judge_words(struct judge *judge, const struct rule_field *field,
			       struct json_object *value, const struct place *place)
{
	enum reason reason = REASON_OK;

	if (!value || json_object_is_type(value, json_type_object))
		return REASON_OK;
	if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value) && !reason;
		     i++) {
			struct place here = {.up = place, .index = i};

			reason = judge_word(judge, field,
					    json_object_array_get_idx(value, i), &here);
		}
		return reason;
	}
	return judge_word(judge, field, value, place);
}

static enum reason judge_field(struct judge *judge, const struct rule_field *field,
			       struct json_object *value, const struct place *place,
			       bool *ret_drop)
{
	enum reason reason;
	char shown[JUDGE_SHOWN];

	if (field->action == RULE_DROP ||
	    (field->beta && !(judge->beta & field->beta))) {
		*ret_drop = true;
		return REASON_OK;
	}
	/* It gets its value at the end. */
	if (field->set)
		return REASON_OK;
	if (field->action == RULE_REFUSE &&
	    !(field->server_tools & judge->server_tools)) {
		*ret_drop = says_nothing(value);
		if (*ret_drop)
			return REASON_OK;
		return judge_refuse(judge, (enum reason)field->reason, place, "is %s",
				    judge_show(value, shown));
	}
	if (!(field->types & type_bit(value)))
		return judge_refuse_type(judge, field->types, value, place);
	reason = field->words ? judge_words(judge, field, value, place) : REASON_OK;
	if (!reason)
		reason = judge_inside(judge, field, value, place);
	if (reason || !value || !field->check || !judge->checks[field->check])
		return reason;
	return judge->checks[field->check](judge, value, place, ret_drop);
}

/* What must be there, and what the table sets, whatever was there. */
static enum reason complete_fields(struct judge *judge, const struct rule_table *table,
				   struct json_object *object,
				   const struct place *place)
{
	enum reason reason = REASON_OK;

	for (size_t i = 0; i < table->n_fields && !reason; i++) {
		const struct rule_field *field = &table->fields[i];

		if (field->required &&
		    !json_object_object_get_ex(object, field->name, NULL))
			return judge_refuse(judge, (enum reason)field->reason, place,
					    "has no %s", field->name);
		if (field->set)
			reason = judge_set(judge, object, field->name,
					   json_tokener_parse(field->set));
	}
	return reason;
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
	return complete_fields(judge, table, object, place);
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
