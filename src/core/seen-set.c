/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/seen-set.h"

#include <string.h>

/* FNV-1a.  A run that makes its paths collide only makes itself slow. */
static uint32_t hash_of(unsigned int kind, unsigned int port, const char *text,
			size_t length)
{
	uint32_t hash = 0x811c9dc5u ^ kind ^ port << 8;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)text[i]) * 0x01000193u;
	return hash;
}

bool seen_set_add(struct seen_set *set, unsigned int kind, unsigned int port,
		  const char *text, size_t length)
{
	uint32_t hash = hash_of(kind, port, text, length);
	size_t slot = hash % SEEN_SLOTS;
	struct seen_item *item;

	/* Ends: half of the slots are always empty. */
	for (; set->slots[slot]; slot = (slot + 1) % SEEN_SLOTS) {
		item = &set->items[set->slots[slot] - 1];
		if (item->hash == hash && item->kind == kind && item->port == port &&
		    item->length == length &&
		    memcmp(set->text + item->offset, text, length) == 0)
			return false;
	}
	if (set->n == LIMIT_SEEN_ITEMS || length > LIMIT_SEEN_TEXT ||
	    length >= LIMIT_SEEN_BYTES - set->text_bytes) {
		set->lost++;
		return false;
	}
	item = &set->items[set->n++];
	*item = (struct seen_item){
		.hash = hash,
		.offset = (uint32_t)set->text_bytes,
		.kind = (uint16_t)kind,
		.port = (uint16_t)port,
		.length = (uint16_t)length,
	};
	memcpy(set->text + set->text_bytes, text, length);
	set->text[set->text_bytes + length] = 0;
	set->text_bytes += length + 1;
	set->slots[slot] = (uint16_t)set->n;
	return true;
}
