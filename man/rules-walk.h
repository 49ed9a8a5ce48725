/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_MAN_RULES_WALK_H
#define ANET_MAN_RULES_WALK_H

#include <stddef.h>
#include "core/rules.h"

/*
 * All tables that a body leads to, found by the references of their rows, so
 * that none can be forgotten: for anet-gateway-rules(7) and for tests.
 */

#define RULES_WALK_PATH 160
#define RULES_WALK_USES 24

/* Where kinds may stand. */
struct rules_use {
	char path[RULES_WALK_PATH]; /* of the field, as `messages[].content[]` */
	unsigned int places;	    /* bits of rule_variant.places */
};

/* One table, or the kinds of one list. */
struct rules_found {
	char path[RULES_WALK_PATH]; /* of the first way to it; "" is the body */
	const struct rule_table *table;
	const struct rule_variants *kinds; /* NULL in a table */
	struct rules_use uses[RULES_WALK_USES];
	size_t n_uses;
};

/* Adds to `found`, which has `n` entries of other bodies, what `body` leads to and
 * they did not, itself first; aborts when it has no room.  Returns how many it has. */
size_t rules_walk(const struct rule_table *body, struct rules_found *found, size_t n,
		  size_t size);

/* The entry of a table or of kinds; aborts when there is none. */
const struct rules_found *rules_walk_find(const struct rules_found *found, size_t n,
					  const struct rule_table *table,
					  const struct rule_variants *kinds);

#endif
