/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a refusal says: the place, and the value that is wrong there. */
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

enum reason judge_refuse_type(struct judge *judge, unsigned int types,
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
		if (types & names[i].type)
			write_text(&writer, "%s%s", writer.length ? " or " : "",
				   names[i].name);
	return judge_refuse(judge, REASON_RULE_TYPE, place, "is %s, not %s",
			    judge_show(value, shown), wanted);
}
