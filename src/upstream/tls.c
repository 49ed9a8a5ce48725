/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <string.h>

static const unsigned char protocols[] = "\x08http/1.1";

SSL_CTX *tls_prepare(const char *ca_directory)
{
	SSL_CTX *context;
	unsigned char seed;

	/* Without openssl.cnf, which the environment could name, and without
	 * the tables of error texts, which are loaded when there is an error. */
	if (OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT,
			     NULL) != 1)
		return NULL;
	context = SSL_CTX_new(TLS_client_method());
	if (!context)
		return NULL;
	SSL_CTX_set_security_level(context, 2); /* a distribution may have 1 */
	SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
					     SSL_OP_NO_TICKET);
	SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
					  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
					  SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	/* The directory and nothing else: the bundle would cost 25 to 44 ms.
	 * The random generator opens its source now if it needs a file. */
	if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
	    SSL_CTX_set_alpn_protos(context, protocols, sizeof(protocols) - 1) != 0 ||
	    SSL_CTX_load_verify_dir(context, ca_directory) != 1 ||
	    RAND_bytes(&seed, sizeof(seed)) != 1) {
		SSL_CTX_free(context);
		return NULL;
	}
	return context;
}

static bool is_address(const char *host)
{
	unsigned char address[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, host, address) == 1 ||
	       inet_pton(AF_INET6, host, address) == 1;
}

SSL *tls_begin(SSL_CTX *context, int fd, const char *host)
{
	SSL *ssl = SSL_new(context);
	bool ok;

	if (!ssl)
		return NULL;
	SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
				       X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
	ok = SSL_set1_host(ssl, host) == 1 && SSL_set_fd(ssl, fd) == 1;
	/* SSL_set1_host() takes an address for what it is; SNI has no place for
	 * one (RFC 6066 3). */
	if (ok && !is_address(host))
		ok = SSL_set_tlsext_host_name(ssl, host) == 1;
	if (!ok) {
		SSL_free(ssl);
		return NULL;
	}
	SSL_set_connect_state(ssl);
	return ssl;
}

/* Why the last call failed, from the most to the least telling source. */
static void explain(SSL *ssl, int error, int system_error, struct failure *failure)
{
	long verdict = SSL_get_verify_result(ssl);
	unsigned long code = ERR_peek_last_error();
	const char *text = NULL;

	if (verdict != X509_V_OK) {
		bool unknown = verdict == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY;

		failure_set(failure, REASON_UPSTREAM_TLS, "its certificate: %s%s",
			    X509_verify_cert_error_string(verdict),
			    unknown ? " (looked for in " ANET_CA_DIR ")" : "");
		return;
	}
	if (error == SSL_ERROR_SSL && code != 0) {
		(void)OPENSSL_init_ssl(OPENSSL_INIT_LOAD_SSL_STRINGS |
					       OPENSSL_INIT_LOAD_CRYPTO_STRINGS,
				       NULL);
		text = ERR_reason_error_string(code);
	}
	if (!text && system_error != 0)
		text = strerror(system_error);
	failure_set(failure, REASON_UPSTREAM_TLS, "%s",
		    text ? text : "the connection ended within TLS");
}

static enum io result(SSL *ssl, int returned, int system_error, short *ret_wants,
		      struct failure *failure)
{
	int error = SSL_get_error(ssl, returned);

	switch (error) {
	case SSL_ERROR_WANT_READ:
		*ret_wants = POLLIN;
		return IO_AGAIN;
	case SSL_ERROR_WANT_WRITE:
		*ret_wants = POLLOUT;
		return IO_AGAIN;
	case SSL_ERROR_ZERO_RETURN:
		return IO_END;
	default:
		explain(ssl, error, system_error, failure);
		return IO_BROKEN;
	}
}

enum io tls_handshake(SSL *ssl, short *ret_wants, struct failure *failure)
{
	const unsigned char *protocol = NULL;
	unsigned int length = 0;
	int r;

	ERR_clear_error();
	errno = 0;
	r = SSL_do_handshake(ssl);
	if (r != 1) {
		enum io io = result(ssl, r, errno, ret_wants, failure);

		if (io != IO_END)
			return io;
		failure_set(failure, REASON_UPSTREAM_TLS, "it ended the handshake");
		return IO_BROKEN;
	}
	SSL_get0_alpn_selected(ssl, &protocol, &length);
	if (length != 0 && (length != sizeof(protocols) - 2 ||
			    memcmp(protocol, protocols + 1, length) != 0)) {
		failure_set(failure, REASON_UPSTREAM_TLS, "it speaks another protocol");
		return IO_BROKEN;
	}
	return IO_BYTES;
}

enum io tls_read(SSL *ssl, void *buffer, size_t size, size_t *ret_length,
		 short *ret_wants, struct failure *failure)
{
	int r;

	ERR_clear_error();
	errno = 0;
	r = SSL_read_ex(ssl, buffer, size, ret_length);
	return r == 1 ? IO_BYTES : result(ssl, r, errno, ret_wants, failure);
}

enum io tls_write(SSL *ssl, const void *bytes, size_t length, size_t *ret_length,
		  short *ret_wants, struct failure *failure)
{
	int r;

	ERR_clear_error();
	errno = 0;
	r = SSL_write_ex(ssl, bytes, length, ret_length);
	return r == 1 ? IO_BYTES : result(ssl, r, errno, ret_wants, failure);
}

bool tls_pending(const SSL *ssl)
{
	return SSL_has_pending(ssl) == 1;
}

void tls_end(SSL *ssl, bool politely)
{
	ERR_clear_error();
	if (politely)
		(void)SSL_shutdown(ssl); /* whether it gets there does not matter */
	SSL_free(ssl);
}
