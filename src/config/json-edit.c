/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/json-edit.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <string.h>

#include "config/json-file.h"

#define SPACE " \t\r\n"

/* The text, and the same with blanks for comments, which is what is looked at:
 * offsets are the same. */
struct edit {
	struct arena *arena;
	const char *text;
	const char *plain;
};

/* A member of an object, as offsets. */
struct member {
	size_t key;	 /* of its key's first quote */
	size_t value;	 /* of its value's first byte */
	size_t end;	 /* behind its value */
	size_t comma;	 /* of the one behind it; 0: none */
	size_t previous; /* the one in front of it; 0: none */
};

/* An object, as offsets. */
struct object {
	size_t open, close;  /* of its brackets */
	struct member found; /* its end is 0 if there is none of this name */
	struct member last;  /* the same if the object is empty */
	size_t first;	     /* of the first key; 0: empty */
};

static size_t skip(const char *plain, size_t at)
{
	return at + strspn(plain + at, SPACE);
}

/* Behind the string that begins at `at`. */
static size_t skip_string(const char *plain, size_t at)
{
	for (at++; plain[at] && plain[at] != '"'; at++)
		if (plain[at] == '\\' && plain[at + 1])
			at++;
	return plain[at] ? at + 1 : at;
}

/* Behind the value that begins at `at`: the text is JSON. */
static size_t skip_value(const char *plain, size_t at)
{
	size_t depth = 0;

	if (plain[at] == '"')
		return skip_string(plain, at);
	if (plain[at] != '{' && plain[at] != '[')
		return at + strcspn(plain + at, ",}]" SPACE);
	while (plain[at]) {
		if (plain[at] == '"') {
			at = skip_string(plain, at);
			continue;
		}
		depth += plain[at] == '{' || plain[at] == '[';
		depth -= plain[at] == '}' || plain[at] == ']';
		at++;
		if (depth == 0)
			break;
	}
	return at;
}

/* Keys may be written with escapes. */
static bool is_key(const struct edit *edit, size_t at, size_t end, const char *key)
{
	char *copy = arena_copy_bytes(edit->arena, edit->plain + at, end - at);
	struct json_object *string = json_tokener_parse(copy);
	bool same = json_object_is_type(string, json_type_string) &&
		    strcmp(json_object_get_string(string), key) == 0;

	json_object_put(string);
	return same;
}

/* Walks over the object that begins at `at`; false if none does. */
static bool find(const struct edit *edit, size_t at, const char *key,
		 struct object *ret_object)
{
	const char *plain = edit->plain;
	struct object object = {.open = at};
	size_t comma = 0;

	if (plain[at] != '{')
		return false;
	at = skip(plain, at + 1);
	while (plain[at] == '"') {
		struct member member = {.key = at, .previous = comma};
		size_t key_end = skip_string(plain, at);

		member.value = skip(plain, skip(plain, key_end) + 1);
		member.end = skip_value(plain, member.value);
		at = skip(plain, member.end);
		comma = member.comma = plain[at] == ',' ? at : 0;
		if (!object.first)
			object.first = member.key;
		if (is_key(edit, member.key, key_end, key))
			object.found = member;
		object.last = member;
		if (comma)
			at = skip(plain, at + 1);
	}
	object.close = at;
	*ret_object = object;
	return plain[at] == '}';
}

static char *replaced(const struct edit *edit, size_t from, size_t to, const char *by)
{
	return arena_format(edit->arena, "%.*s%s%s", (int)from, edit->text, by,
			    edit->text + to);
}

/* Where the line begins that `at` stands in. */
static size_t line_start(const char *text, size_t at)
{
	while (at > 0 && text[at - 1] != '\n')
		at--;
	return at;
}

/* What stands in front of a new member: a line and the indentation of the first
 * one, or a blank in an object of one line. */
static const char *separator(const struct edit *edit, const struct object *object)
{
	const char *text = edit->text;
	size_t start, width;

	if (object->first == 0) {
		start = line_start(text, object->open);
		width = strspn(text + start, " \t");
		return arena_format(edit->arena, "\n%.*s\t", (int)width, text + start);
	}
	start = line_start(text, object->first);
	width = strspn(text + start, " \t");
	if (start + width == object->first)
		return arena_format(edit->arena, "\n%.*s", (int)width, text + start);
	/* A comment to the end of a line may be the last in the object. */
	return memchr(text + object->open, '\n', object->close - object->open) ? "\n"
									       : " ";
}

static char *add(const struct edit *edit, const struct object *object, const char *key,
		 const char *value)
{
	const char *text = edit->text;
	const char *before = separator(edit, object);
	size_t comma_at = object->last.end, at = object->close;
	bool ends_line;
	char *member = arena_format(edit->arena, "%s%s: %s", before,
				    json_quote(edit->arena, key), value);

	/* Behind whatever comments there are. */
	while (strchr(SPACE, text[at - 1]))
		at--;
	ends_line = memchr(text + at, '\n', object->close - at) != NULL;
	/* What was empty and on one line. */
	if (!object->first && !ends_line) {
		size_t start = line_start(text, object->open);
		int width = (int)strspn(text + start, " \t");

		member = arena_format(edit->arena, "%s\n%.*s", member, width,
				      text + start);
		return replaced(edit, at, object->close, member);
	}
	if (!object->first)
		return replaced(edit, at, at, member);
	return arena_format(edit->arena, "%.*s,%.*s%s%s", (int)comma_at, text,
			    (int)(at - comma_at), text + comma_at, member, text + at);
}

/* Takes [from, to) away, and the lines that nothing is left of. */
static char *cut(const struct edit *edit, size_t from, size_t to)
{
	const char *text = edit->text;
	size_t start = line_start(text, from);
	size_t end = to + strspn(text + to, " \t\r");

	if (start + strspn(text + start, " \t") == from && text[end] == '\n')
		return replaced(edit, start, end + 1, "");
	/* In the middle of a line, the blanks behind it go too. */
	return replaced(edit, from, end, "");
}

static char *take_away(const struct edit *edit, const struct object *object)
{
	const struct member *found = &object->found;
	struct edit rest = *edit;

	if (!found->comma && !found->previous)
		return cut(edit, found->key, found->end);
	/* The last one takes the comma in front of it along. */
	if (!found->comma) {
		size_t behind = found->previous + 1;

		if (behind + strspn(edit->text + behind, " \t") == found->key)
			return replaced(edit, found->previous, found->end, "");
		rest.text = cut(edit, found->key, found->end);
		return replaced(&rest, found->previous, behind, "");
	}
	if (skip(edit->text, found->end) == found->comma)
		return cut(edit, found->key, found->comma + 1);
	/* A comment stands in between. */
	rest.text = replaced(edit, found->comma, found->comma + 1, "");
	return cut(&rest, found->key, found->end);
}

static char *edit_object(const struct edit *edit, size_t at, const char *key,
			 const char *value)
{
	struct object object;

	if (!find(edit, at, key, &object))
		return NULL;
	if (value && object.found.end)
		return replaced(edit, object.found.value, object.found.end, value);
	if (value)
		return add(edit, &object, key, value);
	return object.found.end ? take_away(edit, &object) : (char *)edit->text;
}

static struct edit begin(struct arena *arena, const char *text)
{
	char *plain = arena_copy(arena, text);

	(void)json_blank_comments(plain, strlen(plain));
	return (struct edit){arena, text, plain};
}

/* Whether nothing at all is in the object, comments neither. */
static bool is_bare(const struct edit *edit, const struct object *object)
{
	return skip(edit->text, object->open + 1) == object->close;
}

/* What a section that is not there becomes. */
static const char *nested(struct arena *arena, const char *section, const char *key,
			  const char *value)
{
	size_t length = section ? strcspn(section, ".") : 0;

	if (!section)
		return arena_format(arena, "{%s: %s}", json_quote(arena, key), value);
	return nested(arena, NULL, arena_copy_bytes(arena, section, length),
		      nested(arena, section[length] ? section + length + 1 : NULL, key,
			     value));
}

/* In the section of the object that begins at `at`; NULL: in the object itself. */
static char *edit_section(const struct edit *edit, size_t at, const char *section,
			  const char *key, const char *value)
{
	struct object object, inner;
	const char *name, *rest;
	struct edit after;
	size_t length;
	char *text;

	if (!section)
		return edit_object(edit, at, key, value);
	length = strcspn(section, ".");
	name = arena_copy_bytes(edit->arena, section, length);
	rest = section[length] ? section + length + 1 : NULL;
	if (!find(edit, at, name, &object))
		return NULL;
	if (!object.found.end)
		return value ? edit_object(edit, at, name,
					   nested(edit->arena, rest, key, value))
			     : (char *)edit->text;
	text = edit_section(edit, object.found.value, rest, key, value);
	if (!text || value)
		return text;
	after = begin(edit->arena, text);
	if (find(&after, object.found.value, key, &inner) && is_bare(&after, &inner))
		return edit_object(&after, at, name, NULL);
	return text;
}

char *json_edit(struct arena *arena, const char *text, const char *section,
		const char *key, const char *value)
{
	struct edit edit = begin(arena, text);
	size_t at = skip(edit.plain, 0);

	return edit_section(&edit, at, section, key, value);
}

char *json_quote(struct arena *arena, const char *text)
{
	struct json_object *string = json_object_new_string(text);
	char *quoted = arena_copy(
		arena,
		json_object_to_json_string_ext(string, JSON_C_TO_STRING_NOSLASHESCAPE));

	json_object_put(string);
	return quoted;
}
