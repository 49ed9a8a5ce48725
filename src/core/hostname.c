/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/hostname.h"

#include <stdbool.h>
#include <string.h>

#include "core/limits.h"

/* RFC 1035 2.3.4. */
#define LABEL_BYTES 63

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

static bool is_letter(uint8_t byte)
{
	return byte >= 'a' && byte <= 'z';
}

/* Why `byte` cannot stand in a name; NULL if it can. */
static const char *byte_fault(uint8_t byte)
{
	if (is_letter(byte) || is_digit(byte) || byte == '-' || byte == '.')
		return NULL;
	if (byte >= 'A' && byte <= 'Z')
		return "it must be written in lower case";
	if (byte == '*')
		return "wildcards are not accepted";
	if (byte == ':')
		return "it must be a name without port, no IPv6 address";
	if (byte == '[' || byte == ']')
		return "it must be a name, no IP address";
	if (byte >= 0x80)
		return "other alphabets must be written as xn-- labels";
	return "it has a byte that is no letter, digit, hyphen or dot";
}

static const char *label_fault(const uint8_t *label, size_t length)
{
	if (length == 0)
		return "it has an empty label";
	if (length > LABEL_BYTES)
		return "a label is longer than 63 bytes";
	if (label[0] == '-' || label[length - 1] == '-')
		return "a label begins or ends with a hyphen";
	return NULL;
}

/* A name whose last label is a number is an IPv4 address for inet_aton(3) and
 * for the WHATWG's URLs; no top-level domain is one (RFC 3696 2). */
static bool is_number(const uint8_t *label, size_t length)
{
	bool hex = length >= 2 && label[0] == '0' && label[1] == 'x';

	for (size_t i = hex ? 2 : 0; i < length; i++)
		if (!is_digit(label[i]) && !(hex && label[i] >= 'a' && label[i] <= 'f'))
			return false;
	return true;
}

static bool is_in_zone(const uint8_t *name, size_t length, const char *zone)
{
	size_t n = strlen(zone);

	if (length < n || memcmp(name + length - n, zone, n) != 0)
		return false;
	return length == n || name[length - n - 1] == '.';
}

static const char *zone_fault(const uint8_t *name, size_t length)
{
	static const char *const local[] = {"local", "internal", "lan", "home.arpa"};

	if (is_in_zone(name, length, "localhost"))
		return "localhost is not a public host";
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if (is_in_zone(name, length, local[i]))
			return "names in .local, .internal, .lan and .home.arpa are "
			       "those of a local network";
	return NULL;
}

static const char *spelling_fault(const uint8_t *name, size_t length)
{
	const char *fault;
	size_t start = 0;

	if (length == 0)
		return "it is empty";
	if (length > LIMIT_HOST_NAME)
		return "it is longer than 253 bytes";
	for (size_t i = 0; i < length; i++) {
		fault = byte_fault(name[i]);
		if (fault)
			return fault;
	}
	if (name[length - 1] == '.')
		return "it must not end with a dot";
	for (size_t i = 0; i <= length; i++) {
		if (i < length && name[i] != '.')
			continue;
		fault = label_fault(name + start, i - start);
		if (fault)
			return fault;
		if (i == length && is_number(name + start, i - start))
			return "it must be a name, no IP address";
		start = i + 1;
	}
	return NULL;
}

static enum reason tell(const char *fault, const char **ret_detail)
{
	if (!fault)
		return REASON_OK;
	*ret_detail = fault;
	return REASON_HOST_INVALID;
}

enum reason hostname_spelling(const uint8_t *name, size_t length,
			      const char **ret_detail)
{
	return tell(spelling_fault(name, length), ret_detail);
}

enum reason hostname_check(const uint8_t *name, size_t length, const char **ret_detail)
{
	const char *fault = spelling_fault(name, length);

	return tell(fault ? fault : zone_fault(name, length), ret_detail);
}

bool hostname_quoted(const char *text, char ret_host[LIMIT_HOST_NAME + 1])
{
	size_t length = text[0] == '\'' ? strcspn(text + 1, "'") : 0;
	const char *ignored;

	if (hostname_check((const uint8_t *)text + 1, length, &ignored) != REASON_OK ||
	    text[1 + length] != '\'')
		return false;
	memcpy(ret_host, text + 1, length);
	ret_host[length] = 0;
	return true;
}
