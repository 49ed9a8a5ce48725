/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rules-walk.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct walk {
	struct rules_found *found;
	size_t n, size;
};

static struct rules_found *lookup(const struct walk *walk,
				  const struct rule_table *table,
				  const struct rule_variants *kinds)
{
	for (size_t i = 0; i < walk->n; i++)
		if (walk->found[i].table == table && walk->found[i].kinds == kinds)
			return &walk->found[i];
	return NULL;
}

/* The entry, a new one where there is none yet. */
static struct rules_found *add(struct walk *walk, const struct rule_table *table,
			       const struct rule_variants *kinds, const char *path)
{
	struct rules_found *found = lookup(walk, table, kinds);

	if (found)
		return found;
	assert(walk->n < walk->size);
	found = &walk->found[walk->n++];
	*found = (struct rules_found){.table = table, .kinds = kinds};
	snprintf(found->path, sizeof(found->path), "%s", path);
	return found;
}

static void add_use(struct rules_found *kinds, const char *path, unsigned int places)
{
	for (size_t i = 0; i < kinds->n_uses; i++)
		if (!strcmp(kinds->uses[i].path, path))
			return;
	assert(kinds->n_uses < RULES_WALK_USES);
	snprintf(kinds->uses[kinds->n_uses].path, RULES_WALK_PATH, "%s", path);
	kinds->uses[kinds->n_uses++].places = places;
}

static void walk_fields(struct walk *walk, const struct rule_table *table,
			const char *path)
{
	for (size_t i = 0; i < table->n_fields; i++) {
		const struct rule_field *field = &table->fields[i];
		char inside[RULES_WALK_PATH];

		snprintf(inside, sizeof(inside), "%s%s%s%s", path,
			 *path && path[strlen(path) - 1] != ' ' ? "." : "", field->name,
			 field->types & RULE_ARRAY ? "[]" : "");
		if (field->object)
			add(walk, field->object, NULL, inside);
		if (field->kinds)
			add_use(add(walk, NULL, field->kinds, inside), inside,
				field->places);
	}
}

static void walk_kinds(struct walk *walk, const struct rule_variants *kinds)
{
	for (size_t i = 0; i < kinds->n_rows; i++) {
		char path[RULES_WALK_PATH];

		if (!kinds->rows[i].fields)
			continue;
		snprintf(path, sizeof(path), "%s %s", kinds->noun, kinds->rows[i].type);
		add(walk, kinds->rows[i].fields, NULL, path);
	}
}

size_t rules_walk(const struct rule_table *body, struct rules_found *found, size_t n,
		  size_t size)
{
	struct walk walk = {.found = found, .n = n, .size = size};

	add(&walk, body, NULL, "");
	for (size_t i = n; i < walk.n; i++) {
		if (found[i].kinds)
			walk_kinds(&walk, found[i].kinds);
		else
			walk_fields(&walk, found[i].table, found[i].path);
	}
	return walk.n;
}

const struct rules_found *rules_walk_find(const struct rules_found *found, size_t n,
					  const struct rule_table *table,
					  const struct rule_variants *kinds)
{
	const struct walk walk = {.found = (struct rules_found *)found, .n = n};
	const struct rules_found *one = lookup(&walk, table, kinds);

	assert(one);
	return one;
}
