/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as the first of a TLS client: the reader says the same however they are
 * split, and never that they name the host when a server of OpenSSL, given the same
 * bytes, is told of another name or of none.
 */
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "core/tls-hello.h"
#include "fuzz.h"

#define HOST "a.example"

static struct tls_hello whole, parts;
static SSL_CTX *context;

static enum reason add(struct tls_hello *hello, const uint8_t *data, size_t size)
{
	uint8_t *copy = copy_of(data, size);
	enum reason reason = tls_hello_add(hello, copy, size, HOST);

	free(copy);
	return reason;
}

/* What the server sees of a hello that the reader took. */
static int on_hello(SSL *ssl, int *alert, void *unused)
{
	static const uint8_t want[] = "\x00\x0c\x00\x00\x09" HOST;
	const unsigned char *name;
	size_t length;

	(void)unused;
	demand(SSL_client_hello_get0_ext(ssl, 0, &name, &length) == 1);
	demand(length == sizeof(want) - 1 && memcmp(name, want, length) == 0);
	*alert = SSL_AD_INTERNAL_ERROR;
	return SSL_CLIENT_HELLO_ERROR;
}

static void ask_server(const uint8_t *data, size_t size)
{
	SSL *ssl;
	BIO *in, *out;

	if (!context) {
		context = SSL_CTX_new(TLS_server_method());
		demand(context != NULL);
		SSL_CTX_set_client_hello_cb(context, on_hello, NULL);
	}
	ssl = SSL_new(context);
	in = BIO_new_mem_buf(data, (int)size);
	out = BIO_new(BIO_s_mem());
	demand(ssl && in && out);
	SSL_set_bio(ssl, in, out);
	/* It always fails: by the callback, or before. */
	demand(SSL_accept(ssl) != 1);
	SSL_free(ssl);
	ERR_clear_error();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t seed = seed_of(data, size);
	enum reason reason, other = REASON_OK;

	tls_hello_init(&whole);
	reason = add(&whole, data, size);
	tls_hello_init(&parts);
	for (size_t at = 0, part; at < size && other == REASON_OK; at += part) {
		part = next_part(&seed, size - at);
		other = add(&parts, data + at, part);
	}
	demand(reason == other && whole.done == parts.done);
	demand(whole.detail == parts.detail);
	demand(reason != REASON_OK || whole.length == parts.length);
	demand(reason == REASON_OK || (whole.detail && !whole.done));
	demand(whole.length <= LIMIT_CLIENT_HELLO);
	demand(whole.done || reason != REASON_OK || size < TLS_HELLO_BYTES_MAX);
	if (whole.done)
		ask_server(data, size);
	return 0;
}
