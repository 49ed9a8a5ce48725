/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_MODEL_TABLE_H
#define ANET_CONFIG_MODEL_TABLE_H

#include <stdint.h>

#include "config/arena.h"
#include "config/config-table.h"
#include "config/notes.h"
#include "config/places.h"
#include "os/explain.h"

/*
 * models.json: the models of each service.  There are two such files, the operator's
 * (in the system's configuration) and the one that came with anet; what the first one
 * says of a service, an alias or a model counts, and the rest is the second one's.
 */
struct model {
	char *id;
	/* Dollars for a million tokens. */
	struct config_decimal in, out;
	uint32_t takes; /* as written; see model_abilities() */
	bool deprecated;
};

struct model_service {
	const char *host;
	char *cheapest; /* NULL: the file names none */
	char **aliases; /* "ALIAS=ID"; may be NULL */
	struct {
		struct model *list;
		size_t n;
	} models;
};

struct model_file {
	const char *path;
	bool there;
	struct model_service *services;
	size_t n;
};

/* The operator's first. */
#define MODEL_FILES 2
struct model_table {
	struct model_file files[MODEL_FILES];
};

/* Reads both files, strictly.  Everything lives in the arena.  `notes` may be NULL.
 * REASON_OK, CONFIG_UNREADABLE or CONFIG_INVALID. */
enum reason model_table_read(struct arena *arena, const struct places *places,
			     struct model_table *ret_table, struct config_notes *notes,
			     struct detail *ret_detail);

/* What a file says of a host; NULL if nothing. */
const struct model_service *model_service_find(const struct model_file *file,
					       const char *host);

/* The models of a service by their ids.  *ret_file may be NULL. */
const char *model_cheapest(const struct model_table *table, const char *host,
			   const struct model_file **ret_file);
/* The id that an alias stands for; NULL if it is none. */
const char *model_alias(const struct model_table *table, const char *host,
			const char *name, const struct model_file **ret_file);
/* The row of an id, which may have `-latest` or a date behind it.  A service that no
 * file has may offer the models of others: then it is looked for in all, and
 * *ret_host is not `host`.  NULL: there is none. */
const struct model *model_find(const struct model_table *table, const char *host,
			       const char *id, const char **ret_host,
			       const struct model_file **ret_file);

/* enum model_abilities; 0 for NULL and for a row that does not say what the model
 * takes. */
uint32_t model_abilities(const struct model *model);
/* The words of the file for the bits, which begin with MODEL_THINKING_BUDGET;
 * NULL-terminated. */
extern const char *const model_words[];

/* What is wrong with the name of a model; NULL if nothing. */
const char *model_check(const char *name);

#endif
