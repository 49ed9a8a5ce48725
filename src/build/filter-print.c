/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "build/filter-list.h"
#include "os/cleanup.h"

/* By name, then action, then what the conditions say: any fixed order. */
static int compare_rules(const void *one, const void *other)
{
	const struct filter_rule *a = one, *b = other;
	int order = strcmp(a->name, b->name);

	if (!order)
		order = (int)a->action - (int)b->action;
	if (!order)
		order = (a->n_conditions > b->n_conditions) -
			(a->n_conditions < b->n_conditions);
	for (size_t i = 0; !order && i < a->n_conditions; i++) {
		const struct filter_condition *x = &a->conditions[i],
					      *y = &b->conditions[i];

		order = (x->argument > y->argument) - (x->argument < y->argument);
		if (!order)
			order = (x->mask > y->mask) - (x->mask < y->mask);
		if (!order)
			order = (int)x->compare - (int)y->compare;
		if (!order)
			order = (x->value > y->value) - (x->value < y->value);
	}
	return order;
}

static void print_condition(const struct filter_condition *condition, FILE *file)
{
	static const char *const names[] = {
		[FILTER_EQ] = "==", [FILTER_NE] = "!=", [FILTER_LT] = "<",
		[FILTER_LE] = "<=", [FILTER_GT] = ">",	[FILTER_GE] = ">=",
	};

	fprintf(file, " a%u", condition->argument);
	if (condition->mask != UINT64_MAX)
		fprintf(file, " & 0x%" PRIx64, condition->mask);
	fprintf(file, " %s 0x%" PRIx64, names[condition->compare], condition->value);
}

void filter_list_print(const struct filter_list *list, FILE *file)
{
	fprintf(file, "default %s\n",
		list->default_action == FILTER_ALLOW ? "allow" : "kill");
	fprintf(file, "other-abi kill\n");
	if (list->newest_error)
		fprintf(file, "above %u errno %d\n", list->newest, list->newest_error);
	if (list->n_rules > 0)
		qsort(list->rules, list->n_rules, sizeof(list->rules[0]),
		      compare_rules);
	for (size_t i = 0; i < list->n_rules; i++) {
		const struct filter_rule *rule = &list->rules[i];

		if (rule->number < 0)
			continue;
		if (rule->action == FILTER_DENY)
			fprintf(file, "errno %d %s", rule->error, rule->name);
		else
			fprintf(file, "%s %s",
				rule->action == FILTER_ALLOW	 ? "allow"
				: rule->action == FILTER_NOTIFY ? "notify"
								: "kill",
				rule->name);
		for (size_t n = 0; n < rule->n_conditions; n++)
			print_condition(&rule->conditions[n], file);
		fputc('\n', file);
	}
}
