/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_TLS_HELLO_H
#define ANET_CORE_TLS_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/limits.h"
#include "core/reason.h"

/* What add() takes at most before the hello is complete or refused: records of one
 * byte have headers of five. */
#define TLS_HELLO_BYTES_MAX (LIMIT_CLIENT_HELLO * (5 + 1))

/*
 * The first message of a TLS client (RFC 8446 4.1.2, 5.1), put together from records
 * however it is split over them and over segments, and what it says of the host: one
 * server_name extension with one name of type host_name (RFC 6066 3), and no encrypted
 * client hello (RFC 9849).
 */
struct tls_hello {
	bool done;	    /* the hello is complete and names the host */
	const char *detail; /* static; why add() refused */

	/* Of the reader: */
	size_t header_bytes, record_left, length;
	uint8_t header[5];
	uint8_t message[LIMIT_CLIENT_HELLO];
};

void tls_hello_init(struct tls_hello *hello);

/*
 * Takes the next bytes of the client.  The result depends on the bytes only, not on how
 * they were split; bytes behind the hello are not looked at.  `host` is the name that
 * it must have, byte for byte.  REASON_OK, TUNNEL_NOT_TLS (also one that is longer than
 * LIMIT_CLIENT_HELLO), TUNNEL_SNI or TUNNEL_ECH; nothing more may be added then.
 */
enum reason tls_hello_add(struct tls_hello *hello, const uint8_t *bytes, size_t length,
			  const char *host);

#endif
