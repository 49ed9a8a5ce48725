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

/* The part of a table that is about this host, if it has one; *ret_there says
 * whether there is a table. */
static enum reason read_service(struct arena *arena, const char *path, const char *host,
				struct service *ret_service, bool *ret_there,
				struct detail *ret_detail)
{
	const struct json_place place = {.key = host};
	struct json_file file, part;
	enum reason reason = json_file_read(arena, path, &file, ret_detail);

	*ret_there = file.root != NULL;
	if (reason != REASON_OK || !file.root)
		return reason;
	part = file;
	part.place = &place;
	if (json_object_object_get_ex(file.root, host, &part.root)) {
		if (json_object_is_type(part.root, json_type_object))
			reason = config_table_read(arena, &part, service_keys,
						   ret_service, NULL, ret_detail);
		else
			reason = explain(ret_detail, REASON_CONFIG_INVALID,
					 "%s, line %u: \"%s\" must be an object",
					 SHOW(path), json_file_line(&file, &place),
					 SHOW(host));
	}
	json_file_free(&file);
	return reason;
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
