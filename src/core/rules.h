/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_RULES_H
#define ANET_CORE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/reason.h"

/*
 * Tables of what a JSON object may hold on its way to a model service.  What a
 * table does not name does not go out.  Names compare byte for byte.
 */

/* What a value may be. */
enum rule_types {
	RULE_NULL = 1 << 0,
	RULE_BOOL = 1 << 1,
	RULE_INTEGER = 1 << 2,
	RULE_REAL = 1 << 3, /* a number with a fraction or an exponent */
	RULE_STRING = 1 << 4,
	RULE_ARRAY = 1 << 5,
	RULE_OBJECT = 1 << 6,
	RULE_ANY = (1 << 7) - 1,
};

enum rule_action {
	/* Goes out, if what is inside may (`object`, `kinds`). */
	RULE_PASS,
	/* The same, if what `check` names finds nothing wrong with it. */
	RULE_CHECK,
	/* Goes out, where it is too large as what `check` allows. */
	RULE_CLAMP,
	/* Goes out as `set`, whatever the agent sent, also nothing; without `set` as
	 * the policy wants it. */
	RULE_SET,
	/* Is left out, whatever it is. */
	RULE_DROP,
	/* Refused with `reason`, unless `server_tools`.  Left out where it says
	 * nothing: null or []. */
	RULE_REFUSE,
};

struct rule_table;
struct rule_variants;

struct rule_field {
	const char *name;
	uint8_t types;	/* of PASS, CHECK, CLAMP and SET without `set`; another one is
			 * rule_type */
	uint8_t action; /* enum rule_action */
	uint8_t check;	/* of CHECK and CLAMP: an enumeration of the API's own */
	uint8_t reason; /* of REFUSE, `words` and `required`: enum reason */
	/* Of REFUSE: it goes out where the policy allows one of these tools at the
	 * service (enum policy_server_tools). */
	uint8_t server_tools;
	bool required; /* an object without it is refused with `reason` */
	/* Left out unless this bit of the beta flags goes out; 0: none. */
	uint32_t beta;
	/* Of PASS and CHECK: what an object, or each element of an array, may hold;
	 * one of the two or none.  A value that is neither has nothing inside. */
	const struct rule_table *object;
	const struct rule_variants *kinds;
	uint8_t places;	 /* with `kinds`: where it stands, a bit of rule_variant.places
			  */
	/* Of PASS and CHECK: what a value that is no object, or each element of an
	 * array, must be one of, as its JSON text without quotes: "auto|default"; ""
	 * for none.  Else refused with `reason`.  NULL: anything. */
	const char *words;
	const char *set; /* of SET: JSON text */
	const char
		*why; /* a sentence for anet-gateway-rules(7); NULL: its name says it */
};

struct rule_table {
	const struct rule_field *fields;
	size_t n_fields;
	/* What becomes of a field without a row: RULE_DROP, or RULE_REFUSE as
	 * rule_field. */
	uint8_t unknown;
};

/* One kind of the objects that a list may hold: content blocks, items, tools. */
struct rule_variant {
	const char *type;
	uint8_t places; /* bits of the API's own: where it may stand; 0: in no place */
	uint8_t reason; /* enum reason; not OK: refused for it ... */
	/* ... unless the policy allows one of these (enum policy_server_tools). */
	uint8_t server_tools;
	uint32_t beta; /* refused unless this bit of the beta flags goes out; 0: none */
	const struct rule_table *fields; /* NULL where it is always refused */
	const char *why;		 /* as above */
};

/* Exact types: a prefix would let next month's kind through. */
struct rule_variants {
	const char *noun; /* what such an object is called: "content block" */
	const struct rule_variant *rows;
	size_t n_rows;
	uint8_t unknown; /* enum reason for a type without a row */
	/* The type of an object that has none or null; NULL: refused. */
	const char *absent;
};

/* A flag that an agent may set in a header. */
struct rule_flag {
	const char *name;
	/* Fields that are left out with the flag and have no row with its bit; NULL:
	 * none. */
	const char *fields;
	const char *why;
};

/* NULL: the type has no row, or is NULL. */
const struct rule_variant *rule_variant_find(const struct rule_variants *variants,
					     const char *type);

#endif
