/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/json-place.h"

#include <stdbool.h>
#include <string.h>

char *json_place_name(struct arena *arena, const struct json_place *place)
{
	const char *parent = "";

	if (!place)
		return arena_copy(arena, "");
	if (place->parent)
		parent = json_place_name(arena, place->parent);
	if (!place->key)
		return arena_format(arena, "%s[%zu]", parent, place->index);
	return arena_format(arena, "%s%s%s", parent, *parent ? "." : "", place->key);
}

/* The walk below goes over text that was found to be JSON: it need not look
 * for mistakes, only stay inside. */
struct walk {
	const char *text;
	size_t at;
	size_t length;
	size_t found; /* where the last step that was found begins */
};

static char walk_byte(const struct walk *walk)
{
	return walk->at < walk->length ? walk->text[walk->at] : 0;
}

static void walk_space(struct walk *walk)
{
	while (walk->at < walk->length && strchr(" \t\r\n,:", walk->text[walk->at]))
		walk->at++;
}

static void walk_string(struct walk *walk)
{
	for (walk->at++; walk->at < walk->length; walk->at++) {
		if (walk->text[walk->at] == '\\')
			walk->at++;
		else if (walk->text[walk->at] == '"')
			break;
	}
	walk->at++;
}

static void walk_value(struct walk *walk)
{
	size_t depth = 0;

	do {
		char byte = walk_byte(walk);

		if (byte == '"') {
			walk_string(walk);
			walk_space(walk);
			continue;
		}
		if (byte == '{' || byte == '[')
			depth++;
		if (byte == '}' || byte == ']')
			depth--;
		walk->at++;
		/* The rest of a number or a word. */
		while (walk->at < walk->length &&
		       !strchr("{}[]\", \t\r\n:", walk_byte(walk)))
			walk->at++;
		walk_space(walk);
	} while (depth > 0 && walk->at < walk->length);
}

/* Moves into the object at hand and to the value of the key. */
static bool walk_to_key(struct walk *walk, const char *key)
{
	size_t length = strlen(key);

	if (walk_byte(walk) != '{')
		return false;
	walk->at++;
	for (;;) {
		size_t start;
		bool same;

		walk_space(walk);
		start = walk->at;
		if (walk_byte(walk) != '"')
			return false;
		walk_string(walk);
		same = walk->at - start == length + 2 && walk->at <= walk->length &&
		       memcmp(walk->text + start + 1, key, length) == 0;
		walk_space(walk);
		if (same) {
			walk->found = start;
			return true;
		}
		walk_value(walk);
	}
}

/* Moves into the list at hand and to the element. */
static bool walk_to_element(struct walk *walk, size_t index)
{
	if (walk_byte(walk) != '[')
		return false;
	walk->at++;
	walk_space(walk);
	for (; index > 0 && walk->at < walk->length; index--)
		walk_value(walk);
	if (walk->at >= walk->length || walk_byte(walk) == ']')
		return false;
	walk->found = walk->at;
	return true;
}

static bool walk_to(struct walk *walk, const struct json_place *place)
{
	if (!place) {
		walk_space(walk);
		return true;
	}
	if (!walk_to(walk, place->parent))
		return false;
	return place->key ? walk_to_key(walk, place->key)
			  : walk_to_element(walk, place->index);
}

unsigned int json_place_line(const char *text, size_t length,
			     const struct json_place *place)
{
	struct walk walk = {.text = text, .length = length};
	unsigned int line = 1;

	/* How far it came is what is told. */
	(void)walk_to(&walk, place);
	for (size_t i = 0; i < walk.found; i++)
		line += text[i] == '\n';
	return line;
}
