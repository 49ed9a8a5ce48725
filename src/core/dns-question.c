/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dns-question.h"

#define HEADER_BYTES 12
/* The root's name, type, class, time to live, length; options follow. */
#define OPT_BYTES 11
#define TYPE_OPT 41
#define CLASS_IN 1

/* RFC 1035 3.2.2, RFC 3596 and RFC 9460: what programs ask of a host's name. */
static bool is_of_host(unsigned int type)
{
	return type == 1 || type == 28 || type == 5 || type == 64 || type == 65 ||
	       type == 255;
}

static unsigned int number(const uint8_t *bytes)
{
	return (unsigned int)bytes[0] << 8 | bytes[1];
}

static bool is_of_label(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
}

/* Copies the name, in lower case.  Returns the bytes that it takes, 0 for none. */
static size_t read_name(const uint8_t *bytes, size_t length,
			char ret_name[LIMIT_HOST_NAME + 1])
{
	size_t at = 0, used = 0;

	while (at < length && bytes[at]) {
		size_t label = bytes[at++];

		/* Also what would be a pointer, which no question needs. */
		if (label > 63 || label > length - at ||
		    used + (used > 0) + label > LIMIT_HOST_NAME)
			return 0;
		if (used)
			ret_name[used++] = '.';
		for (size_t i = 0; i < label; i++, at++) {
			uint8_t byte = bytes[at];

			if (!is_of_label(byte))
				return 0;
			if (byte >= 'A' && byte <= 'Z')
				byte = (uint8_t)(byte | 0x20);
			ret_name[used++] = (char)byte;
		}
	}
	if (at >= length || used == 0)
		return 0;
	ret_name[used] = 0;
	return at + 1;
}

bool dns_question(const uint8_t *bytes, size_t length,
		  char ret_name[LIMIT_HOST_NAME + 1])
{
	char name[LIMIT_HOST_NAME + 1];
	size_t at, i = 0;

	if (length < DNS_QUESTION_MIN || length > DNS_QUESTION_MAX)
		return false;
	/* A query of opcode 0, not cut: QR, opcode and TC; one question, no answer, no
	 * authority. */
	if (bytes[2] & 0xfa || number(bytes + 4) != 1 || number(bytes + 6) ||
	    number(bytes + 8) || number(bytes + 10) > 1)
		return false;
	at = read_name(bytes + HEADER_BYTES, length - HEADER_BYTES, name);
	if (at == 0 || length - HEADER_BYTES - at < 4)
		return false;
	at += HEADER_BYTES;
	if (!is_of_host(number(bytes + at)) || number(bytes + at + 2) != CLASS_IN)
		return false;
	at += 4;
	if (number(bytes + 10) == 0
		    ? at != length
		    : length - at < OPT_BYTES || bytes[at] != 0 ||
			      number(bytes + at + 1) != TYPE_OPT ||
			      number(bytes + at + 9) != length - at - OPT_BYTES)
		return false;
	do
		ret_name[i] = name[i];
	while (name[i++]);
	return true;
}
