/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as the head of a CONNECT: what is taken is what one line says that is
 * written here anew, and the same however the bytes are split.  A host is never one
 * that hostname_check() refuses.
 */
#include <stdio.h>

#include "core/connect.h"
#include "core/hostname.h"
#include "fuzz.h"

static struct connect_request whole, parts;

static enum reason parse(struct connect_request *request, const uint8_t *data,
			 size_t size)
{
	uint8_t *copy = copy_of(data, size);
	enum reason reason = connect_request_parse(request, copy, size);

	free(copy);
	return reason;
}

static void check_done(const uint8_t *data)
{
	char line[LIMIT_HOST_NAME + 32];
	size_t start = data[0] == '\r' ? 2 : 0;
	int length = snprintf(line, sizeof(line), "CONNECT %s:443 HTTP/1.", whole.host);

	demand(whole.length <= LIMIT_CONNECT_HEAD);
	demand(memcmp(data + whole.length - 4, "\r\n\r\n", 4) == 0);
	demand(start + (size_t)length + 1 < whole.length);
	demand(memcmp(data + start, line, (size_t)length) == 0);
	demand(memcmp(data + start + length, "0\r\n", 3) == 0 ||
	       memcmp(data + start + length, "1\r\n", 3) == 0);
	demand(whole.host[0] != 0);
	/* The first empty line ends it. */
	demand(memmem(data + start, whole.length - start, "\r\n\r\n", 4) ==
	       data + whole.length - 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t seed = seed_of(data, size);
	enum reason reason, other = REASON_OK;
	const char *detail;

	connect_request_init(&whole);
	reason = parse(&whole, data, size);
	connect_request_init(&parts);
	for (size_t at = 0; at < size && other == REASON_OK && !parts.done;) {
		at += next_part(&seed, size - at);
		other = parse(&parts, data, at);
	}
	demand(reason == other && whole.done == parts.done);
	demand(whole.detail == parts.detail && strcmp(whole.host, parts.host) == 0);
	demand(reason == REASON_OK || (whole.detail && !whole.done));
	demand(reason == REASON_TUNNEL_NAME ? whole.host[0] == 0 : true);
	if (whole.host[0])
		demand(hostname_check((const uint8_t *)whole.host, strlen(whole.host),
				      &detail) == REASON_OK);
	if (whole.done) {
		demand(whole.length == parts.length);
		check_done(data);
	}
	return 0;
}
