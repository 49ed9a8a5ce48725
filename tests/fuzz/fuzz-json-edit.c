/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any text of a configuration file, and one change of it: what is JSON stays JSON,
 * means what the change says and else what it meant, and keeps its comments.  The
 * first byte chooses the change.
 */
#include <json-c/json.h>

#include "config/json-edit.h"
#include "config/json-file.h"
#include "core/json-scan.h"
#include "fuzz.h"

/* As json_file_parse() has it: comments blanked, scanned, then parsed; NULL if the
 * text is refused. */
static struct json_object *parse(struct arena *arena, const char *text)
{
	static const struct json_scan_seed seed = {{0, 0}};
	size_t length = strlen(text), n_slots, offset = 0;
	char *plain = arena_copy(arena, text);
	struct json_tokener *tokener;
	struct json_object *object;

	if (json_blank_comments(plain, length) < length)
		return NULL;
	n_slots = json_scan_slots((const uint8_t *)plain, length);
	if (json_scan((const uint8_t *)plain, length, &seed,
		      arena_get(arena, n_slots * sizeof(struct json_scan_slot)),
		      n_slots, &offset) != REASON_OK)
		return NULL;
	tokener = json_tokener_new_ex(LIMIT_JSON_DEPTH + 1);
	demand(tokener != NULL);
	object = json_tokener_parse_ex(tokener, plain, (int)length);
	json_tokener_free(tokener);
	return object;
}

/* What the change means; false where it cannot be made. */
static bool change(struct json_object *root, const char *section, const char *key,
		   const char *value)
{
	struct json_object *object = root;

	if (section && !json_object_object_get_ex(root, section, &object)) {
		if (!value)
			return true;
		object = json_object_new_object();
		json_object_object_add(root, section, object);
	}
	if (!json_object_is_type(object, json_type_object))
		return false;
	if (value)
		json_object_object_add(object, key, json_tokener_parse(value));
	else
		json_object_object_del(object, key);
	return true;
}

/* A section that is empty after something was taken away may go as well. */
static void drop_empty(struct json_object *want, struct json_object *have,
		       const char *section)
{
	struct json_object *inner = NULL;

	if (json_object_object_get_ex(want, section, &inner) &&
	    json_object_is_type(inner, json_type_object) &&
	    json_object_object_length(inner) == 0 &&
	    !json_object_object_get_ex(have, section, NULL))
		json_object_object_del(want, section);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const sections[] = {NULL, "s"};
	static const char *const keys[] = {"a", "b", "s", "\"//\n"};
	static const char *const values[] = {NULL, "1", "\"/* x */\"", "{\"a\": []}"};
	const char *section, *key, *value;
	struct json_object *want, *have;
	struct arena arena = {0};
	char *text, *got;

	if (size < 1 || size > 4096)
		return 0;
	section = sections[data[0] & 1];
	key = keys[data[0] >> 1 & 3];
	value = values[data[0] >> 3 & 3];
	text = arena_copy_bytes(&arena, (const char *)data + 1, size - 1);
	want = parse(&arena, text);
	if (want) {
		got = json_edit(&arena, text, section, key, value);
		demand(change(want, section, key, value) == (got != NULL));
		have = got ? parse(&arena, got) : NULL;
		demand(!got || have);
		if (have && section && !value)
			drop_empty(want, have, section);
		demand(!have || json_object_equal(want, have));
		json_object_put(have);
	}
	json_object_put(want);
	arena_free(&arena);
	return 0;
}
