/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

struct arena_block {
	struct arena_block *next;
	_Alignas(max_align_t) char bytes[];
};

void *arena_get(struct arena *arena, size_t size)
{
	struct arena_block *block = calloc(1, sizeof(*block) + size);

	if (!block) {
		static const char message[] = "anet: out of memory\n";

		if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
			_exit(EX_OSERR);
		_exit(EX_OSERR);
	}
	block->next = arena->blocks;
	arena->blocks = block;
	return block->bytes;
}

char *arena_copy_bytes(struct arena *arena, const char *bytes, size_t length)
{
	char *copy = arena_get(arena, length + 1);

	memcpy(copy, bytes, length);
	return copy;
}

char *arena_copy(struct arena *arena, const char *text)
{
	return arena_copy_bytes(arena, text, strlen(text));
}

char *arena_format(struct arena *arena, const char *format, ...)
{
	va_list arguments, again;
	char *text;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	/* Only a format that is wrong in itself has no length. */
	text = arena_get(arena, length < 0 ? 1 : (size_t)length + 1);
	if (length >= 0)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void arena_free(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	while (block) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
	arena->blocks = NULL;
}

void list_add(struct arena *arena, struct list *list, char *item)
{
	if (list->n + 1 >= list->room) {
		size_t room = list->room ? list->room * 2 : 16;
		char **items = arena_get(arena, room * sizeof(char *));

		if (list->n)
			memcpy(items, list->items, list->n * sizeof(char *));
		list->items = items;
		list->room = room;
	}
	list->items[list->n++] = item;
	list->items[list->n] = NULL;
}

void list_add_all(struct arena *arena, struct list *list, char *const *items)
{
	for (; items && *items; items++)
		list_add(arena, list, *items);
}

char **list_items(struct arena *arena, struct list *list)
{
	if (!list->items)
		list->items = arena_get(arena, sizeof(char *));
	return list->items;
}

char *list_join(struct arena *arena, char *const *items, const char *between)
{
	size_t length = 0, gap = strlen(between);
	char *text, *at;

	for (size_t i = 0; items[i]; i++)
		length += strlen(items[i]) + gap;
	text = at = arena_get(arena, length + 1);
	for (size_t i = 0; items[i]; i++) {
		if (i > 0)
			at = mempcpy(at, between, gap);
		at = mempcpy(at, items[i], strlen(items[i]));
	}
	return text;
}
