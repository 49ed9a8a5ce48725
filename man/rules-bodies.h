/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_MAN_RULES_BODIES_H
#define ANET_MAN_RULES_BODIES_H

#include <stddef.h>
#include <stdint.h>
#include "core/rules.h"
#include "core/upstream-record.h"

/* The body of each endpoint, from which all its tables are reached. */
struct rules_body {
	enum endpoint endpoint;
	const char *title; /* of its section in anet-gateway-rules(7) */
	const struct rule_table *table;
	uint8_t n_checks; /* of its enumeration of checks, the first is 1 */
	uint32_t betas;	  /* bits of its beta flags */
};

extern const struct rules_body rules_bodies[];
extern const size_t rules_n_bodies;

#endif
