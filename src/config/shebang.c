/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/shebang.h"

#include <stdint.h>
#include <string.h>

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

/* The words of a line; `limit` words at most, the last one takes the rest. */
static void split_words(struct arena *arena, const char *text, const char *end,
			size_t limit, struct list *words)
{
	while (text < end) {
		const char *start;

		while (text < end && is_blank(*text))
			text++;
		if (text == end)
			return;
		start = text;
		while (text < end && (words->n + 1 >= limit || !is_blank(*text)))
			text++;
		while (text > start && is_blank(text[-1]))
			text--;
		list_add(arena, words,
			 arena_copy_bytes(arena, start, (size_t)(text - start)));
		while (text < end && is_blank(*text))
			text++;
	}
}

bool shebang_parse(struct arena *arena, const char *bytes, size_t length,
		   struct shebang *ret_shebang)
{
	const char *end = memchr(bytes, '\n', length);
	struct list words = {0};

	if (length < 2 || memcmp(bytes, "#!", 2) != 0)
		return false;
	/* A long line without an end was cut, by us and by the kernel alike. */
	if (!end && length >= SHEBANG_BYTES)
		return false;
	if (!end)
		end = bytes + length;
	if (memchr(bytes, 0, (size_t)(end - bytes)))
		return false;
	split_words(arena, bytes + 2, end, 2, &words);
	if (words.n == 0 || words.items[0][0] != '/')
		return false;
	if (strcmp(strrchr(words.items[0], '/'), "/env") == 0 && words.n == 2) {
		const char *rest = words.items[1];

		words = (struct list){0};
		/* env(1): only -S splits, else the rest is one name. */
		if (strncmp(rest, "-S", 2) == 0)
			split_words(arena, rest + 2, rest + strlen(rest), SIZE_MAX,
				    &words);
		else
			list_add(arena, &words, arena_copy(arena, rest));
		/* Options of env and assignments are beyond what we look into. */
		if (words.n == 0 || words.items[0][0] == '-' ||
		    strchr(words.items[0], '='))
			return false;
	}
	*ret_shebang = (struct shebang){words.items[0], words.items + 1};
	return true;
}
