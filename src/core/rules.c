/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/rules.h"

#include <string.h>

const struct rule_variant *rule_variant_find(const struct rule_variants *variants,
					     const char *type)
{
	for (size_t i = 0; type && i < variants->n_rows; i++)
		if (!strcmp(variants->rows[i].type, type))
			return &variants->rows[i];
	return NULL;
}
