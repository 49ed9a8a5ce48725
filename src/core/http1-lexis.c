/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/http1-lexis.h"

#include <string.h>

bool http1_is_alphanumeric(uint8_t byte)
{
	uint8_t letter = http1_lower(byte);

	return (byte >= '0' && byte <= '9') || (letter >= 'a' && letter <= 'z');
}

bool http1_is_token(uint8_t byte)
{
	/* memchr, not strchr, which finds the NUL. */
	static const char others[] = "!#$%&'*+-.^_`|~";

	return http1_is_alphanumeric(byte) ||
	       memchr(others, byte, sizeof(others) - 1) != NULL;
}

bool http1_is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\t';
}

uint8_t http1_lower(uint8_t byte)
{
	return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + ('a' - 'A')) : byte;
}

bool http1_same(const uint8_t *bytes, size_t length, const char *word)
{
	if (length != strlen(word))
		return false;
	for (size_t i = 0; i < length; i++)
		if (http1_lower(bytes[i]) != (uint8_t)word[i])
			return false;
	return true;
}

bool http1_list_has(const uint8_t *value, size_t length, const char *word)
{
	size_t at = 0;

	while (at < length) {
		size_t begin = at, end;

		while (at < length && value[at] != ',')
			at++;
		end = at++;
		while (begin < end && http1_is_blank(value[begin]))
			begin++;
		while (end > begin && http1_is_blank(value[end - 1]))
			end--;
		if (http1_same(value + begin, end - begin, word))
			return true;
	}
	return false;
}
