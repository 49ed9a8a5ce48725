/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/nearest.h"

#include <stddef.h>
#include <string.h>

/* Longer names are never keys or options of ours. */
#define LONGEST 64

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* `_`, `-` and case do not count: they are what is mistaken most. */
static int fold(char byte)
{
	if (byte == '_')
		return '-';
	return byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte;
}

/* Insertions, deletions, replacements (Levenshtein), and a swap of neighbours as
 * one step: the way people mistype. */
static size_t distance(const char *a, const char *b)
{
	size_t before[LONGEST + 1], last[LONGEST + 1], row[LONGEST + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > LONGEST || m > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= m; j++)
		last[j] = j;
	memcpy(before, last, sizeof(before));
	for (size_t i = 1; i <= n; i++) {
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t change = fold(a[i - 1]) != fold(b[j - 1]);

			row[j] = least(last[j] + 1, row[j - 1] + 1,
				       last[j - 1] + change);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]) &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		memcpy(before, last, sizeof(before));
		memcpy(last, row, sizeof(last));
	}
	return last[m];
}

const char *nearest_name(const char *name, const char *const *names)
{
	const char *best = NULL;
	/* More than a third of it wrong is another word. */
	size_t best_distance = strlen(name) / 3 + 2;

	for (; *names; names++) {
		size_t d = distance(name, *names);

		if (d < best_distance) {
			best = *names;
			best_distance = d;
		}
	}
	return best;
}
