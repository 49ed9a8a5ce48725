/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a body: what the scan lets through json-c reads too, has in it
 * all that it had (same tree, same numbers, no key lost), and what json-c writes
 * the scan lets through again.  A second seed must not matter.
 */
#include <json-c/json.h>

#include "core/json-scan.h"
#include "fuzz.h"

static enum reason scan(const uint8_t *data, size_t size, uint64_t seed)
{
	const struct json_scan_seed seeds = {.k = {seed, seed * 3}};
	size_t n_slots = json_scan_slots(data, size);
	struct json_scan_slot *slots = malloc(n_slots * sizeof(*slots));
	uint8_t *copy = copy_of(data, size);
	size_t offset = SIZE_MAX;
	enum reason reason;

	demand(slots != NULL);
	reason = json_scan(copy, size, &seeds, slots, n_slots, &offset);
	demand(reason ? offset <= size : offset == SIZE_MAX);
	free(copy);
	free(slots);
	return reason;
}

static struct json_object *parse(const void *text, size_t length)
{
	struct json_tokener *tokener = json_tokener_new_ex(LIMIT_JSON_DEPTH + 1);
	struct json_object *object;

	demand(tokener != NULL);
	object = json_tokener_parse_ex(tokener, text, (int)length);
	json_tokener_free(tokener);
	return object;
}

/* Keys as json-c has them: one that it merged or cut is missing here. */
static size_t count_keys(struct json_object *value)
{
	size_t n = 0;

	if (json_object_is_type(value, json_type_array))
		for (size_t i = 0; i < json_object_array_length(value); i++)
			n += count_keys(json_object_array_get_idx(value, i));
	if (!json_object_is_type(value, json_type_object))
		return n;
	json_object_object_foreach(value, key, inner)
	{
		(void)key;
		n += 1 + count_keys(inner);
	}
	return n;
}

/* Keys as they stand in valid text: strings with a colon behind them. */
static size_t count_colons(const uint8_t *data, size_t size)
{
	bool inside = false;
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		if (inside && data[i] == '\\')
			i++;
		else if (data[i] == '"')
			inside = !inside;
		else if (!inside && data[i] == ':')
			n++;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum reason reason = scan(data, size, 1);
	struct json_object *object;
	struct json_object *again;
	const char *text;
	size_t length;

	demand(reason == scan(data, size, UINT64_C(0x123456789abcdef)));
	if (reason)
		return 0;
	object = parse(data, size);
	demand(json_object_is_type(object, json_type_object));
	demand(count_keys(object) == count_colons(data, size));
	text = json_object_to_json_string_length(
		object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE,
		&length);
	demand(text && scan((const uint8_t *)text, length, 1) == REASON_OK);
	again = parse(text, length);
	demand(json_object_equal(object, again));
	json_object_put(again);
	json_object_put(object);
	return 0;
}
