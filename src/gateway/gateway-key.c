/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who may use an endpoint that every process of the machine can connect to.
 */
#include <string.h>

#include "gateway/gateway.h"

/* In a time that does not tell how much of it was right. */
static bool is_key(const struct gateway *g, struct http1_slice value)
{
	unsigned char different = 0;

	if (value.length != ENDPOINT_KEY_BYTES)
		return false;
	for (size_t i = 0; i < ENDPOINT_KEY_BYTES; i++)
		different |= g->buffer[value.offset + i] ^ (unsigned char)g->key[i];
	return different == 0;
}

/* RFC 6750 2.1; the scheme in any case (RFC 9110 11.1). */
static struct http1_slice after_bearer(const uint8_t *buffer, struct http1_slice value)
{
	static const char scheme[] = "bearer ";
	const uint16_t length = sizeof(scheme) - 1;

	if (value.length < length)
		return (struct http1_slice){0};
	for (size_t i = 0; i < length; i++)
		if ((buffer[value.offset + i] | 0x20) != scheme[i])
			return (struct http1_slice){0};
	value.offset += length;
	value.length -= length;
	return value;
}

enum reason gateway_check_key(const struct gateway *g, const struct http1_head *head)
{
	size_t key, bearer;

	if (!g->key[0])
		return REASON_OK;
	key = http1_head_find(head, g->buffer, "x-api-key", 0);
	if (key < head->n_fields && is_key(g, head->fields[key].value))
		return REASON_OK;
	bearer = http1_head_find(head, g->buffer, "authorization", 0);
	if (bearer < head->n_fields &&
	    is_key(g, after_bearer(g->buffer, head->fields[bearer].value)))
		return REASON_OK;
	return REASON_ENDPOINT_KEY;
}
