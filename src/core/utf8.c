/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/utf8.h"

size_t utf8_sequence(const uint8_t *at, const uint8_t *end)
{
	size_t left = (size_t)(end - at);
	uint8_t low = 0x80;
	uint8_t high = 0xbf;
	size_t length;

	if (at[0] >= 0xc2 && at[0] <= 0xdf) {
		length = 2;
	} else if (at[0] >= 0xe0 && at[0] <= 0xef) {
		length = 3;
		low = at[0] == 0xe0 ? 0xa0 : low;
		high = at[0] == 0xed ? 0x9f : high;
	} else if (at[0] >= 0xf0 && at[0] <= 0xf4) {
		length = 4;
		low = at[0] == 0xf0 ? 0x90 : low;
		high = at[0] == 0xf4 ? 0x8f : high;
	} else {
		return 0;
	}
	if (left < length || at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (at[i] < 0x80 || at[i] > 0xbf)
			return 0;
	return length;
}

bool utf8_is_valid(const uint8_t *bytes, size_t length)
{
	const uint8_t *end = bytes + length;

	while (bytes < end) {
		size_t step = *bytes < 0x80 ? 1 : utf8_sequence(bytes, end);

		if (step == 0)
			return false;
		bytes += step;
	}
	return true;
}
