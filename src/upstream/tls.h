/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_UPSTREAM_TLS_H
#define ANET_UPSTREAM_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <openssl/types.h>
#include "os/failure.h"

/*
 * TLS as this program wants it, by OpenSSL 3: at least version 1.2, the
 * certificate checked against the system's CA directory and the host's name,
 * HTTP/1.1 by ALPN, no compression, renegotiation or resumption.  Neither the
 * environment nor openssl.cnf has a say.
 */

/* What became of reading or writing some bytes on a non-blocking socket. */
enum io {
	IO_BYTES, /* at least one */
	IO_AGAIN, /* later, when poll(2) says what `wants` has */
	IO_END,	  /* read: the service has ended the connection properly */
	IO_BROKEN,
};

/* What may open files, once, before the sandbox.  NULL when OpenSSL fails. */
SSL_CTX *tls_prepare(const char *ca_directory);

/* A client on the connected non-blocking socket.  NULL when OpenSSL fails. */
SSL *tls_begin(SSL_CTX *context, int fd, const char *host);

/* Carries the handshake on: IO_BYTES when it is finished. */
enum io tls_handshake(SSL *ssl, short *ret_wants, struct failure *failure);

enum io tls_read(SSL *ssl, void *buffer, size_t size, size_t *ret_length,
		 short *ret_wants, struct failure *failure);
enum io tls_write(SSL *ssl, const void *bytes, size_t length, size_t *ret_length,
		  short *ret_wants, struct failure *failure);

/* Whether bytes of the service wait inside OpenSSL, which poll(2) cannot see. */
bool tls_pending(const SSL *ssl);

/* `politely`: says goodbye first (RFC 8446 6.1), without waiting. */
void tls_end(SSL *ssl, bool politely);

#endif
