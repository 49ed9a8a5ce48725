/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The body that goes out, as text: what json-c writes, into memory that is there from
 * the beginning.  json-c would grow a buffer of its own, string by string, which then
 * had to be copied: half of the time, and a body more of memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "gateway/judge-internal.h"
#include "os/cleanup.h"

struct writer {
	char *text;
	size_t length, room;
	bool failed;
};

/* Room for `more` bytes; the judge adds little to a body, so that it seldom grows. */
static bool reserve(struct writer *writer, size_t more)
{
	size_t room;
	char *grown;

	if (more <= writer->room - writer->length)
		return true;
	room = writer->room + writer->room / 4 + more;
	grown = realloc(writer->text, room);
	if (!grown) {
		writer->failed = true;
		return false;
	}
	writer->text = grown;
	writer->room = room;
	return true;
}

static void put(struct writer *writer, const char *bytes, size_t length)
{
	if (!reserve(writer, length))
		return;
	memcpy(writer->text + writer->length, bytes, length);
	writer->length += length;
}

#define ONES UINT64_C(0x0101010101010101)
#define HIGH (ONES * 0x80)

/* Whether one of eight bytes is a control character, a quotation mark or a backslash;
 * may also say so of a byte behind one that is. */
static bool any_escaped(uint64_t word)
{
	uint64_t quote = word ^ ONES * '"', backslash = word ^ ONES * '\\';

	return (((word - ONES * 0x20) & ~word) | ((quote - ONES) & ~quote) |
		((backslash - ONES) & ~backslash)) &
	       HIGH;
}

static bool is_escaped(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\';
}

/* How many bytes stand for themselves. */
static size_t plain_length(const char *text, size_t length)
{
	size_t at = 0;
	uint64_t word;

	for (; length - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, text + at, sizeof(word));
		if (any_escaped(word))
			break;
	}
	while (at < length && !is_escaped((unsigned char)text[at]))
		at++;
	return at;
}

static void put_escape(struct writer *writer, unsigned char c)
{
	static const char named[] = "\bb\nn\rr\tt\ff\"\"\\\\";
	char text[8];

	for (size_t i = 0; i + 1 < sizeof(named); i += 2)
		if (c == (unsigned char)named[i]) {
			text[0] = '\\';
			text[1] = named[i + 1];
			put(writer, text, 2);
			return;
		}
	snprintf(text, sizeof(text), "\\u%04x", c);
	put(writer, text, 6);
}

static void put_string(struct writer *writer, const char *text, size_t length)
{
	put(writer, "\"", 1);
	for (size_t at = 0; at < length;) {
		size_t plain = plain_length(text + at, length - at);

		put(writer, text + at, plain);
		at += plain;
		if (at < length)
			put_escape(writer, (unsigned char)text[at++]);
	}
	put(writer, "\"", 1);
}

static void put_integer(struct writer *writer, struct json_object *value)
{
	int64_t number = json_object_get_int64(value);
	char text[24];
	int length;

	/* Larger ones read as that. */
	length = number == INT64_MAX ? snprintf(text, sizeof(text), "%" PRIu64,
						json_object_get_uint64(value))
				     : snprintf(text, sizeof(text), "%" PRId64, number);
	put(writer, text, (size_t)length);
}

static void put_value(struct writer *writer, struct json_object *value);

static void put_object(struct writer *writer, struct json_object *object)
{
	const char *before = "{";

	json_object_object_foreach(object, key, value)
	{
		put(writer, before, 1);
		put_string(writer, key, strlen(key));
		put(writer, ":", 1);
		put_value(writer, value);
		before = ",";
	}
	put(writer, *before == '{' ? "{}" : "}", *before == '{' ? 2 : 1);
}

static void put_array(struct writer *writer, struct json_object *array)
{
	size_t n = json_object_array_length(array);

	put(writer, "[", 1);
	for (size_t i = 0; i < n; i++) {
		if (i)
			put(writer, ",", 1);
		put_value(writer, json_object_array_get_idx(array, i));
	}
	put(writer, "]", 1);
}

/* As deep as a body may nest: LIMIT_JSON_DEPTH. */
static void put_value(struct writer *writer, struct json_object *value)
{
	const char *text;

	switch (json_object_get_type(value)) {
	case json_type_object:
		put_object(writer, value);
		break;
	case json_type_array:
		put_array(writer, value);
		break;
	case json_type_string:
		put_string(writer, json_object_get_string(value),
			   (size_t)json_object_get_string_len(value));
		break;
	case json_type_int:
		put_integer(writer, value);
		break;
	case json_type_null:
		put(writer, "null", 4);
		break;
	case json_type_boolean:
	case json_type_double: /* json-c has kept its text */
	default:
		text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
		if (text)
			put(writer, text, strlen(text));
		else
			writer->failed = true;
	}
}

char *judge_write(struct json_object *body, size_t expected, size_t *ret_length)
{
	struct writer writer = {.room = expected};

	writer.text = malloc(writer.room);
	if (!writer.text)
		return NULL;
	put_value(&writer, body);
	if (writer.failed) {
		free(writer.text);
		return NULL;
	}
	*ret_length = writer.length;
	return writer.text;
}
