/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_TABLE_H
#define ANET_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/arena.h"

#define TABLE_COLUMNS 14

/*
 * Rows of text under headings, in columns that line up.  What the last column
 * has goes on below itself where the terminal is too narrow.  Cells are shown as
 * they are: who quotes bytes from outside escapes them (SHOW()).
 */
struct table {
	struct arena *arena;
	/* NULL-terminated, TABLE_COLUMNS at most; "#" in front: a column of
	 * numbers, to the right.  All empty: no line for them. */
	const char *const *headings;
	size_t n_columns;
	const char **cells;
	size_t n_rows, room;
};

struct table table_new(struct arena *arena, const char *const *headings);

/* Adds a row: as many strings as there are columns, which live as long as the
 * arena; NULL is an empty cell. */
void table_add(struct table *table, const char *const *cells);
#define TABLE_ADD(table, ...) table_add(table, (const char *const[]){__VA_ARGS__})

/* To standard output, with two blanks between columns, `indent` before the first. */
void table_print(const struct table *table, size_t indent);

#endif
