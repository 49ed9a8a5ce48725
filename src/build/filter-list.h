/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_BUILD_FILTER_LIST_H
#define ANET_BUILD_FILTER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A list of system calls as a program; the syntax stands in mkfilter.c. */

#define FILTER_ARGUMENTS 6
#define FILTER_NAME 31
#define FILTER_REASON 127

enum filter_action { FILTER_KILL, FILTER_ALLOW, FILTER_DENY, FILTER_NOTIFY };

enum filter_compare {
	FILTER_EQ,
	FILTER_NE,
	FILTER_LT,
	FILTER_LE,
	FILTER_GT,
	FILTER_GE
};

struct filter_condition {
	unsigned int argument;
	enum filter_compare compare; /* with a mask: always FILTER_EQ */
	uint64_t mask;		     /* UINT64_MAX: the whole register */
	uint64_t value;
};

struct filter_rule {
	char name[FILTER_NAME + 1];
	int number; /* negative: this architecture has no such call */
	enum filter_action action;
	int error; /* with FILTER_DENY */
	struct filter_condition conditions[FILTER_ARGUMENTS];
	size_t n_conditions;
	char reason[FILTER_REASON + 1]; /* cut to fit */
};

struct filter_list {
	enum filter_action default_action; /* FILTER_KILL or FILTER_ALLOW */
	uint32_t newest;		   /* with newest_error != 0 */
	int newest_error;
	struct filter_rule *rules; /* `in` and `not-in` written out */
	size_t n_rules;
};

/* Reads a list; the caller frees it.  What is wrong with which line is said on
 * standard error, and false returned. */
bool filter_list_read(const char *path, struct filter_list *ret_list);

void filter_list_free(struct filter_list *list);

/* One rule a line, sorted by name, numbers instead of constants: equal for two
 * lists exactly if they mean the same to the kernel. */
void filter_list_print(const struct filter_list *list, FILE *file);

#endif
