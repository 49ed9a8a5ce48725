/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/table.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"

#define GAP 2

struct table table_new(struct arena *arena, const char *const *headings)
{
	struct table table = {.arena = arena, .headings = headings};

	while (headings[table.n_columns])
		table.n_columns++;
	assert(table.n_columns <= TABLE_COLUMNS);
	return table;
}

void table_add(struct table *table, const char *const *cells)
{
	const size_t n = table->n_columns;

	if (table->n_rows == table->room) {
		size_t room = table->room ? 2 * table->room : 16;
		const char **grown =
			arena_get(table->arena, room * n * sizeof(const char *));

		if (table->n_rows)
			memcpy(grown, table->cells,
			       table->n_rows * n * sizeof(const char *));
		table->cells = grown;
		table->room = room;
	}
	for (size_t i = 0; i < n; i++)
		table->cells[table->n_rows * n + i] = cells[i] ? cells[i] : "";
	table->n_rows++;
}

static bool is_number(const char *heading)
{
	return heading[0] == '#';
}

static const char *heading_text(const char *heading)
{
	return heading + is_number(heading);
}

static size_t width_of(const char *cell)
{
	return text_columns(cell, strlen(cell));
}

static void print_row(const struct table *table, const char *const *cells,
		      const size_t *widths, size_t indent)
{
	size_t last = table->n_columns - 1, at = indent;

	/* No blanks at the end of a line. */
	while (last > 0 && !*cells[last])
		last--;
	printf("%*s", (int)indent, "");
	for (size_t i = 0; i <= last; i++) {
		size_t blanks = widths[i] - width_of(cells[i]);
		bool number = is_number(table->headings[i]);

		if (i == last && !number) {
			print_words(cells[i], at);
			return;
		}
		printf("%*s%s%*s", number ? (int)blanks : 0, "", cells[i],
		       i == last ? 0 : (number ? 0 : (int)blanks) + GAP, "");
		at += widths[i] + GAP;
	}
	putchar('\n');
}

void table_print(const struct table *table, size_t indent)
{
	const char *headings[TABLE_COLUMNS];
	size_t widths[TABLE_COLUMNS] = {0};
	bool headed = false;

	for (size_t i = 0; i < table->n_columns; i++) {
		headings[i] = heading_text(table->headings[i]);
		widths[i] = width_of(headings[i]);
		headed = headed || *headings[i];
		for (size_t row = 0; row < table->n_rows; row++) {
			size_t width =
				width_of(table->cells[row * table->n_columns + i]);

			if (width > widths[i])
				widths[i] = width;
		}
	}
	if (headed) {
		for (size_t i = 0; i < table->n_columns; i++)
			headings[i] = painted(table->arena, COLOR_DIM, headings[i]);
		print_row(table, headings, widths, indent);
	}
	for (size_t row = 0; row < table->n_rows; row++)
		print_row(table, table->cells + row * table->n_columns, widths, indent);
}
