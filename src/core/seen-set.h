/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_SEEN_SET_H
#define ANET_CORE_SEEN_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/limits.h"

/* A power of two, twice the items, so that a place is found at once. */
#define SEEN_SLOTS (2 * LIMIT_SEEN_ITEMS)

struct seen_item {
	uint32_t hash;
	uint32_t offset; /* into `text`, of a string */
	uint16_t kind;	 /* enum seen_kind (core/seen-record.h) */
	uint16_t port;
	uint16_t length;
};

/* The different things that were seen, in their order; begins zeroed.  It is large
 * (about 1.2 MiB), for a static variable or the heap. */
struct seen_set {
	size_t n;
	size_t text_bytes;
	uint64_t lost;		    /* that found no room */
	uint16_t slots[SEEN_SLOTS]; /* number of an item plus one */
	struct seen_item items[LIMIT_SEEN_ITEMS];
	char text[LIMIT_SEEN_BYTES];
};

/* True if it is new and was kept.  `text` has `length` bytes, none a NUL, at most
 * LIMIT_SEEN_TEXT. */
bool seen_set_add(struct seen_set *set, unsigned int kind, unsigned int port,
		  const char *text, size_t length);

#endif
