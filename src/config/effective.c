/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/effective.h"

#include <string.h>

#include "config/config-keys.h"

/* One walk over a table: the reader's way, backwards. */
struct showing {
	struct arena *arena;
	const struct config_notes *notes[2]; /* the first that knows; NULL: none */
	config_visit *visit;
	void *context;
};

static const struct config_origin *origin_of(const struct showing *showing,
					     const char *name)
{
	const struct config_origin *origin = NULL;

	for (size_t i = 0; i < 2 && !origin && showing->notes[i]; i++)
		origin = notes_find_origin(showing->notes[i], name);
	return origin;
}

static void show_value(const struct showing *showing, const char *name,
		       const char *unset, struct json_object *json)
{
	const struct config_value value = {name, json, unset, origin_of(showing, name)};

	showing->visit(showing->context, &value);
}

static struct json_object *text_json(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

static struct json_object *list_json(char *const *list)
{
	struct json_object *json = json_object_new_array();

	for (; list && *list; list++)
		json_object_array_add(json, json_object_new_string(*list));
	return json;
}

static struct json_object *map_json(struct arena *arena, char *const *list)
{
	struct json_object *json = json_object_new_object();

	for (; list && *list; list++) {
		size_t length = strcspn(*list, "=");

		json_object_object_add(json, arena_copy_bytes(arena, *list, length),
				       json_object_new_string(*list + length + 1));
	}
	return json;
}

static struct json_object *number_json(const struct config_key *key, const void *at)
{
	uint64_t number = key->type == CONFIG_UINT16   ? *(const uint16_t *)at
			  : key->type == CONFIG_UINT32 ? *(const uint32_t *)at
						       : *(const uint64_t *)at;

	return json_object_new_uint64(number / (key->unit ? key->unit : 1));
}

static struct json_object *word_json(const struct config_key *key, unsigned int word)
{
	return word < key->min ? NULL : text_json(key->words[word - key->min]);
}

static struct json_object *choice_json(const struct config_key *key,
				       const struct config_choice *choice)
{
	return choice->list ? list_json(choice->list) : word_json(key, choice->word);
}

static struct json_object *words_json(const struct config_key *key, uint32_t bits)
{
	struct json_object *json = json_object_new_array();

	for (size_t i = 0; key->words[i]; i++)
		if (bits & 1u << i)
			json_object_array_add(json,
					      json_object_new_string(key->words[i]));
	return json;
}

/* Of a key that is no object of keys. */
static struct json_object *value_json(struct arena *arena, const struct config_key *key,
				      const char *target)
{
	const void *at = target + key->offset;

	switch (key->type) {
	case CONFIG_BOOL:
	case CONFIG_BOOL_ONCE:
	case CONFIG_OFFER:
		return json_object_new_boolean(*(const bool *)at);
	case CONFIG_UINT16:
	case CONFIG_UINT32:
	case CONFIG_UINT64:
		return number_json(key, at);
	case CONFIG_TEXT:
		return text_json(*(char *const *)at);
	case CONFIG_LIST:
		return list_json(*(char *const *const *)at);
	case CONFIG_WORD:
		return word_json(key, *(const unsigned int *)at);
	case CONFIG_CHOICE:
		return choice_json(key, at);
	case CONFIG_WORDS:
		return words_json(key, *(const uint32_t *)at);
	case CONFIG_MAP:
		return map_json(arena, *(char *const *const *)at);
	case CONFIG_SECTION:
	case CONFIG_OBJECTS:
	case CONFIG_BOOL_GIVEN:
	case CONFIG_TEXTS:
	case CONFIG_OF_MACHINE:
	case CONFIG_REFUSED:
	case CONFIG_DECIMAL:
		break; /* shown otherwise, or retired, or of no setting */
	}
	return NULL;
}

static struct json_object *
object_json(struct arena *arena, const struct config_key *keys, const char *target)
{
	struct json_object *json = json_object_new_object();

	for (; keys->name; keys++) {
		struct json_object *value = value_json(arena, keys, target);

		if (value)
			json_object_object_add(json, keys->name, value);
	}
	return json;
}

static void show_objects(const struct showing *showing, const struct config_key *key,
			 const char *name, const char *target)
{
	struct config_objects objects;

	memcpy(&objects, target + key->offset, sizeof(objects));
	if (!objects.n)
		show_value(showing, name, key->unset, json_object_new_array());
	for (size_t i = 0; i < objects.n; i++)
		show_value(showing, arena_format(showing->arena, "%s[%zu]", name, i),
			   NULL,
			   object_json(showing->arena, key->section,
				       (const char *)objects.list + i * key->size));
}

static void show_keys(const struct showing *showing, const struct config_key *keys,
		      const char *prefix, const char *target)
{
	for (; keys->name; keys++) {
		const char *name = arena_format(showing->arena, "%s%s%s", prefix,
						*prefix ? "." : "", keys->name);

		if (keys->retired || keys->type == CONFIG_REFUSED)
			continue;
		if (keys->type == CONFIG_OBJECTS)
			show_objects(showing, keys, name, target);
		else if (keys->type != CONFIG_SECTION)
			show_value(showing, name, keys->unset,
				   value_json(showing->arena, keys, target));
		if (keys->type == CONFIG_SECTION)
			show_keys(showing, keys->section, name, target + keys->offset);
		else if (keys->type == CONFIG_OFFER)
			show_keys(showing, keys->section, name, target);
	}
}

void config_values(struct arena *arena, const struct config *config,
		   const struct config_notes *notes, config_visit *visit, void *context)
{
	const struct showing showing = {arena, {notes, NULL}, visit, context};
	const struct config_file file = {.config = *config};

	show_keys(&showing, config_keys, "", (const char *)&file);
}

void agent_values(struct arena *arena, const struct agent *agent,
		  const struct config *config, const struct config_notes *agent_notes,
		  const struct config_notes *config_notes, config_visit *visit,
		  void *context)
{
	const struct showing showing = {
		arena, {agent_notes, config_notes}, visit, context};
	const struct agent_file file = {.agent = *agent, .limits = config->limits};

	show_keys(&showing, agent_keys, "", (const char *)&file);
}
