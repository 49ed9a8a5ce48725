/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_ARENA_H
#define ANET_CONFIG_ARENA_H

#include <stddef.h>

/*
 * Memory of the command: it lives until the command ends or execs, so that
 * configuration need not say who owns which string.  Nothing here fails: a
 * command that gets no memory for a few strings ends with EX_OSERR.
 */
struct arena_block;

struct arena {
	struct arena_block *blocks;
};

void *arena_get(struct arena *arena, size_t size); /* zeroed */
char *arena_copy(struct arena *arena, const char *text);
char *arena_copy_bytes(struct arena *arena, const char *bytes, size_t length);
char *arena_format(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void arena_free(struct arena *arena);

/* A growing list of strings, always NULL-terminated once something was added;
 * start with { 0 }.  The strings are not copied. */
struct list {
	char **items;
	size_t n;
	size_t room;
};

void list_add(struct arena *arena, struct list *list, char *item);
void list_add_all(struct arena *arena, struct list *list, char *const *items);
/* Never NULL: an empty list is a list of no strings. */
char **list_items(struct arena *arena, struct list *list);
/* With `between` between each two. */
char *list_join(struct arena *arena, char *const *items, const char *between);

#endif
