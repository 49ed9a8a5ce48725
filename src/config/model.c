/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/model.h"

#include <stddef.h>
#include <string.h>

#include "config/config-table.h"
#include "core/limits.h"

/* The configured word that leaves the choice to the agent. */
#define LEFT_TO_AGENT "agent"

struct service {
	char *cheapest;
	char **aliases; /* "ALIAS=ID" */
};

static const struct config_key service_keys[] = {
	{"cheapest", CONFIG_TEXT, offsetof(struct service, cheapest),
	 .check = model_check},
	{"aliases", CONFIG_MAP, offsetof(struct service, aliases)},
	{0},
};

const char *model_check(const char *name)
{
	size_t length = strlen(name);

	if (length > LIMIT_MODEL_NAME)
		return "it is longer than 127 characters";
	if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			 "0123456789._:/@-") != length)
		return "a model has letters, digits and . _ : / @ - only";
	return NULL;
}

/* What a table says of one host.  `notes` may be NULL. */
static enum reason read_part(struct arena *arena, const struct json_file *file,
			     const char *host, struct json_object *value,
			     struct service *ret_service, struct config_notes *notes,
			     struct detail *ret_detail)
{
	const struct json_place place = {.key = host};
	struct json_file part = *file;

	part.place = &place;
	part.root = value;
	if (json_object_is_type(value, json_type_object))
		return config_table_read(arena, &part, service_keys, ret_service, notes,
					 ret_detail);
	explain(ret_detail, REASON_CONFIG_INVALID,
		"%s, line %u: \"%s\" must be an object", SHOW(file->path),
		json_file_line(file, &place), SHOW(host));
	if (notes)
		notes_add_problem(arena, notes, REASON_CONFIG_INVALID,
				  ret_detail->text);
	return REASON_CONFIG_INVALID;
}

/* The part of a table that is about this host, if it has one; *ret_there says
 * whether there is a table. */
static enum reason read_service(struct arena *arena, const char *path, const char *host,
				struct service *ret_service, bool *ret_there,
				struct detail *ret_detail)
{
	struct json_file file;
	struct json_object *value;
	enum reason reason = json_file_read(arena, path, &file, ret_detail);

	*ret_there = file.root != NULL;
	if (reason != REASON_OK || !file.root)
		return reason;
	if (json_object_object_get_ex(file.root, host, &value))
		reason = read_part(arena, &file, host, value, ret_service, NULL,
				   ret_detail);
	json_file_free(&file);
	return reason;
}

static void check_aliases(struct arena *arena, const struct json_file *file,
			  const char *host, const struct service *service,
			  struct config_notes *notes)
{
	for (char **alias = service->aliases; alias && *alias; alias++) {
		const char *model = strchr(*alias, '=') + 1;
		const struct json_place part = {.key = host};
		const struct json_place place = {&part, "aliases", 0};
		const char *wrong = *model ? model_check(model) : "it is empty";

		if (wrong)
			notes_add_problem(
				arena, notes, REASON_CONFIG_INVALID,
				arena_format(arena,
					     "%s, line %u: `aliases` of %s has \"%s\": "
					     "%s",
					     SHOW(file->path),
					     json_file_line(file, &place), SHOW(host),
					     SHOW(model), wrong));
	}
}

void models_check(struct arena *arena, const struct places *places,
		  struct config_notes *notes)
{
	const char *const directories[] = {places->system, places->data};
	struct json_file file = {0};
	struct detail detail;

	for (size_t i = 0; i < 2 && !file.root; i++) {
		enum reason reason = json_file_read(
			arena, arena_format(arena, "%s/models.json", directories[i]),
			&file, &detail);

		if (reason != REASON_OK) {
			notes_add_problem(arena, notes, reason, detail.text);
			return;
		}
	}
	if (!file.root)
		return;
	json_object_object_foreach(file.root, host, value)
	{
		struct service service = {0};

		if (read_part(arena, &file, host, value, &service, notes, &detail) ==
		    REASON_OK)
			check_aliases(arena, &file, host, &service, notes);
	}
	json_file_free(&file);
}

static const char *resolve_alias(const struct service *service, const char *name)
{
	size_t length = strlen(name);

	for (char **entry = service->aliases; entry && *entry; entry++)
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
			return *entry + length + 1;
	return name;
}

enum reason model_resolve(struct arena *arena, const struct places *places,
			  const char *host, const char *configured,
			  const char **ret_model, struct detail *ret_detail)
{
	const char *const directories[] = {places->system, places->data};
	struct service service = {0};
	bool there = false;
	const char *model;

	if (configured && strcmp(configured, LEFT_TO_AGENT) == 0) {
		*ret_model = "";
		return REASON_OK;
	}
	for (size_t i = 0; i < 2 && !there; i++) {
		enum reason reason = read_service(
			arena, arena_format(arena, "%s/models.json", directories[i]),
			host, &service, &there, ret_detail);

		if (reason != REASON_OK)
			return reason;
	}
	if (!configured && !service.cheapest)
		return explain(
			ret_detail, REASON_NO_MODEL,
			"no model is configured, and models.json has none for %s",
			SHOW(host));
	model = configured ? resolve_alias(&service, configured) : service.cheapest;
	if (!*model || model_check(model))
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "models.json: for %s, `aliases` has \"%s\": %s",
			       SHOW(host), SHOW(model),
			       *model ? model_check(model) : "it is empty");
	*ret_model = model;
	return REASON_OK;
}
