/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/needle.h"

#include <assert.h>

/* How many bytes match after `byte` when `matched` did before. */
static size_t advance(const struct needle *needle, size_t matched, uint8_t byte)
{
	while (matched > 0 && needle->bytes[matched] != byte)
		matched = needle->border[matched - 1];
	return needle->bytes[matched] == byte ? matched + 1 : 0;
}

void needle_init(struct needle *needle, const uint8_t *bytes, size_t length)
{
	assert(length >= 1 && length <= LIMIT_API_KEY);
	needle->bytes = bytes;
	needle->length = length;
	needle->matched = 0;
	needle->border[0] = 0;
	for (size_t i = 1; i < length; i++)
		needle->border[i] =
			(uint16_t)advance(needle, needle->border[i - 1], bytes[i]);
}

void needle_reset(struct needle *needle)
{
	needle->matched = 0;
}

/* Moves *matched over the bytes; false as soon as all of the secret matched. */
static bool scan(const struct needle *needle, const uint8_t *bytes, size_t length,
		 size_t *matched)
{
	size_t now = *matched;

	for (size_t i = 0; i < length; i++) {
		now = advance(needle, now, bytes[i]);
		if (now == needle->length)
			return false;
	}
	*matched = now;
	return true;
}

bool needle_feed(struct needle *needle, const uint8_t *piece, size_t length,
		 struct needle_release *ret)
{
	size_t held = needle->matched;
	size_t matched = held;
	size_t free;

	if (!scan(needle, piece, length, &matched))
		return false;
	needle->matched = matched;
	free = held + length - matched;
	ret->held = free < held ? free : held;
	ret->piece = free - ret->held;
	return true;
}

bool needle_in(const struct needle *needle, const uint8_t *bytes, size_t length)
{
	size_t matched = 0;

	return !scan(needle, bytes, length, &matched);
}
