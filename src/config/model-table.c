/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/model-table.h"

#include <stddef.h>
#include <string.h>

#include "config/runtime.h"
#include "core/hostname.h"
#include "core/limits.h"
#include "core/model-abilities.h"

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

const char *const model_words[] = {
	"thinking_budget", "thinking_adaptive", "thinking_off", "sampling",
	"effort",	   "verbosity",		NULL,
};
/* The first word is the bit behind MODEL_KNOWN. */
#define ABILITY_SHIFT 1
_Static_assert(MODEL_KNOWN == 1 && MODEL_THINKING_BUDGET == 1 << ABILITY_SHIFT &&
		       MODEL_VERBOSITY == 1 << (ABILITY_SHIFT + 5),
	       "model_words has them in this order");

/* Far above every price, and no mistake of cents for dollars is that large. */
#define MAX_DOLLARS 10000

#define AT(field) offsetof(struct model, field)

static const struct config_key model_keys[] = {
	{"id", CONFIG_TEXT, AT(id), .check = model_check},
	{"in", CONFIG_DECIMAL, AT(in), .max = MAX_DOLLARS},
	{"out", CONFIG_DECIMAL, AT(out), .max = MAX_DOLLARS},
	{"takes", CONFIG_WORDS, AT(takes), .words = model_words},
	{"deprecated", CONFIG_BOOL, AT(deprecated)},
	{0},
};

static const struct config_key service_keys[] = {
	{"cheapest", CONFIG_TEXT, offsetof(struct model_service, cheapest),
	 .check = model_check},
	{"aliases", CONFIG_MAP, offsetof(struct model_service, aliases),
	 .check = model_check},
	{"models", CONFIG_OBJECTS, offsetof(struct model_service, models),
	 .section = model_keys, .size = sizeof(struct model), .required = "id"},
	{0},
};

const char *model_check(const char *name)
{
	size_t length = strlen(name);

	if (!length)
		return "it is empty";
	if (length > LIMIT_MODEL_NAME)
		return "it is longer than 127 characters";
	if (strspn(name, LETTERS DIGITS "._:/@-") != length)
		return "a model has letters, digits and . _ : / @ - only";
	return NULL;
}

struct reader {
	struct arena *arena;
	struct json_file file;
	struct config_notes *notes;
	struct detail *detail;
};

static enum reason wrong(struct reader *reader, const struct json_place *place,
			 const char *text)
{
	enum reason reason =
		explain(reader->detail, REASON_CONFIG_INVALID, "%s, line %u: `%s` %s",
			SHOW(reader->file.path), json_file_line(&reader->file, place),
			SHOW(json_place_name(reader->arena, place)), text);

	if (reader->notes)
		notes_add_problem(reader->arena, reader->notes, reason,
				  reader->detail->text);
	return reason;
}

/* What no single key of a service shows to be wrong. */
static enum reason check_service(struct reader *reader, const struct json_place *place,
				 const struct model_service *service)
{
	const struct json_place aliases = {place, "aliases", 0};
	const struct json_place models = {place, "models", 0};

	for (char **alias = service->aliases; alias && *alias; alias++) {
		const char *id = strchr(*alias, '=') + 1;
		const char *why = model_check(id);
		const struct json_place at = {
			&aliases,
			arena_copy_bytes(reader->arena, *alias,
					 (size_t)(id - 1 - *alias)),
			0};

		if (why)
			return wrong(reader, &at,
				     arena_format(reader->arena, "is \"%s\": %s",
						  SHOW(id), why));
	}
	for (size_t i = 0; i < service->models.n; i++)
		for (size_t j = 0; j < i; j++) {
			const struct json_place at = {&models, .index = i};

			if (strcmp(service->models.list[i].id,
				   service->models.list[j].id) == 0)
				return wrong(reader, &at,
					     "has the `id` of another one");
		}
	return REASON_OK;
}

static enum reason read_service(struct reader *reader, const char *host,
				struct json_object *value,
				struct model_service *ret_service)
{
	const struct json_place place = {.key = host};
	struct json_file part = reader->file;
	const char *why;
	enum reason reason;

	ret_service->host = arena_copy(reader->arena, host);
	if (!host_is_loopback(host) &&
	    hostname_check((const uint8_t *)host, strlen(host), &why) != REASON_OK)
		return wrong(reader, &place,
			     arena_format(reader->arena,
					  "is not the name of a host: %s", why));
	if (!json_object_is_type(value, json_type_object))
		return wrong(reader, &place, "must be an object");
	part.place = &place;
	part.root = value;
	reason = config_table_read(reader->arena, &part, service_keys, ret_service,
				   reader->notes, reader->detail);
	return reason == REASON_OK ? check_service(reader, &place, ret_service)
				   : reason;
}

static enum reason read_file(struct reader *reader, const char *path,
			     struct model_file *ret_file)
{
	enum reason first = REASON_OK;
	enum reason reason;

	ret_file->path = path;
	reason = json_file_read(reader->arena, path, &reader->file, reader->detail);
	if (reason != REASON_OK && reader->notes)
		notes_add_problem(reader->arena, reader->notes, reason,
				  reader->detail->text);
	ret_file->there = reader->file.root != NULL;
	if (reason != REASON_OK || !reader->file.root)
		return reason;
	ret_file->services = arena_get(
		reader->arena,
		sizeof(struct model_service) *
			((size_t)json_object_object_length(reader->file.root) + 1));
	json_object_object_foreach(reader->file.root, host, value)
	{
		reason = read_service(reader, host, value,
				      &ret_file->services[ret_file->n++]);
		if (first == REASON_OK)
			first = reason;
		if (first != REASON_OK && !reader->notes)
			break;
	}
	json_file_free(&reader->file);
	return first;
}

enum reason model_table_read(struct arena *arena, const struct places *places,
			     struct model_table *ret_table, struct config_notes *notes,
			     struct detail *ret_detail)
{
	const char *const directories[MODEL_FILES] = {places->system, places->data};
	enum reason first = REASON_OK;

	*ret_table = (struct model_table){0};
	for (size_t i = 0; i < MODEL_FILES; i++) {
		struct reader reader = {arena, {0}, notes, ret_detail};
		enum reason reason = read_file(
			&reader, arena_format(arena, "%s/models.json", directories[i]),
			&ret_table->files[i]);

		if (reason != REASON_OK && !notes)
			return reason;
		if (first == REASON_OK)
			first = reason;
	}
	return first;
}

const struct model_service *model_service_find(const struct model_file *file,
					       const char *host)
{
	for (size_t i = 0; i < file->n; i++)
		if (strcmp(file->services[i].host, host) == 0)
			return &file->services[i];
	return NULL;
}

const char *model_cheapest(const struct model_table *table, const char *host,
			   const struct model_file **ret_file)
{
	for (size_t i = 0; i < MODEL_FILES; i++) {
		const struct model_service *service =
			model_service_find(&table->files[i], host);

		if (!service || !service->cheapest)
			continue;
		if (ret_file)
			*ret_file = &table->files[i];
		return service->cheapest;
	}
	return NULL;
}

const char *model_alias(const struct model_table *table, const char *host,
			const char *name, const struct model_file **ret_file)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < MODEL_FILES; i++) {
		const struct model_service *service =
			model_service_find(&table->files[i], host);
		char **alias = service ? service->aliases : NULL;

		for (; alias && *alias; alias++) {
			if (strncmp(*alias, name, length) != 0 ||
			    (*alias)[length] != '=')
				continue;
			if (ret_file)
				*ret_file = &table->files[i];
			return *alias + length + 1;
		}
	}
	return NULL;
}

/* `-latest`, `-20251001` or `-2025-10-01`. */
static bool is_version(const char *text)
{
	static const char *const forms[] = {"-dddddddd", "-dddd-dd-dd"};

	if (strcmp(text, "-latest") == 0)
		return true;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		size_t at = 0;

		while (forms[i][at] && text[at] &&
		       (forms[i][at] == 'd' ? strchr(DIGITS, text[at]) != NULL
					    : forms[i][at] == text[at]))
			at++;
		if (!forms[i][at] && !text[at])
			return true;
	}
	return false;
}

static const struct model *find_in(const struct model_service *service, const char *id,
				   bool with_version)
{
	for (size_t i = 0; service && i < service->models.n; i++) {
		const struct model *model = &service->models.list[i];
		size_t length = strlen(model->id);

		if (strncmp(model->id, id, length) == 0 &&
		    (with_version ? is_version(id + length) : !id[length]))
			return model;
	}
	return NULL;
}

/* In the services of this host, or, for NULL, in all. */
static const struct model *find_row(const struct model_table *table, const char *host,
				    const char *id, bool with_version,
				    const char **ret_host,
				    const struct model_file **ret_file)
{
	for (size_t i = 0; i < MODEL_FILES; i++)
		for (size_t j = 0; j < table->files[i].n; j++) {
			const struct model_service *service =
				&table->files[i].services[j];
			const struct model *model;

			if (host && strcmp(service->host, host) != 0)
				continue;
			model = find_in(service, id, with_version);
			if (!model)
				continue;
			if (ret_host)
				*ret_host = service->host;
			if (ret_file)
				*ret_file = &table->files[i];
			return model;
		}
	return NULL;
}

const struct model *model_find(const struct model_table *table, const char *host,
			       const char *id, const char **ret_host,
			       const struct model_file **ret_file)
{
	const char *const hosts[] = {host, NULL};
	bool listed = false;

	for (size_t i = 0; i < MODEL_FILES; i++)
		listed = listed || model_service_find(&table->files[i], host);
	for (size_t i = 0; i < (listed ? 1 : 2); i++)
		for (int with_version = 0; with_version < 2; with_version++) {
			const struct model *model = find_row(
				table, hosts[i], id, with_version, ret_host, ret_file);

			if (model)
				return model;
		}
	return NULL;
}

uint32_t model_abilities(const struct model *model)
{
	return model && model->takes ? model->takes << ABILITY_SHIFT | MODEL_KNOWN : 0;
}
