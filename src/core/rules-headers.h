/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_RULES_HEADERS_H
#define ANET_CORE_RULES_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include "core/policy.h"

/*
 * The header fields of a model request and of its answer, as tables (SPEC S6.6,
 * S6.9).  Names are lower case.
 */

/* Where the value of a field that goes out comes from.  Never from the agent. */
enum header_source {
	HEADER_TEXT,   /* `text` */
	HEADER_HOST,   /* the policy's address of the service */
	HEADER_ACCEPT, /* what the body asks for */
	HEADER_BETA,   /* the beta flags that go out; without one no field */
	HEADER_KEY,    /* `text`, behind it the operator's key */
	HEADER_LENGTH, /* the bytes of the body */
};

struct rule_header_out {
	const char *name;
	enum wire wire; /* WIRE_NONE: of every API */
	enum header_source source;
	const char *text; /* NULL: nothing */
	const char *why;  /* as rule_field.why */
};

/* What a request to the service has, in this order, and no other field. */
extern const struct rule_header_out rule_headers_out[];
extern const size_t rule_n_headers_out;

/*
 * What agents are known to send and never goes out.  A request is made anew, so no
 * code needs these rows: they tell people, and tests send each of them.
 */
struct rule_header_dropped {
	const char *name;
	bool prefix; /* all names that begin so */
	const char *why;
};

extern const struct rule_header_dropped rule_headers_dropped[];
extern const size_t rule_n_headers_dropped;

/* What an answer of the service may bring to the agent. */
struct rule_header_back {
	const char *name;
	enum wire wire; /* WIRE_NONE: of every API */
	bool prefix;	/* all names that begin so, and are longer */
	bool own_only;	/* not to a peer (SPEC S6.10) */
	const char *why;
};

extern const struct rule_header_back rule_headers_back[];
extern const size_t rule_n_headers_back;

/* Whether a field of an answer goes to the agent; `name` in lower case. */
bool rule_header_goes_back(const char *name, size_t length, enum wire wire,
			   enum profile profile);

#endif
