/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_UPSTREAM_SERVICE_H
#define ANET_UPSTREAM_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include "core/policy.h"
#include "upstream/resolve.h"
#include "upstream/tls.h"
#include "upstream/watch.h"

/* The connection to the model service, by TLS, or plain to a loopback address
 * (POLICY_PLAIN_HTTP).  Kept from one request to the next. */
struct service {
	const struct policy *policy;
	const struct addresses *addresses;
	SSL_CTX *tls; /* NULL: plain */
	int fd;	      /* -1: not connected */
	SSL *ssl;
	/* It has carried a request before: that it is closed now may be because
	 * the service did not want to wait for another one. */
	bool used;
	/* What to poll(2) for before the next read or write. */
	short read_wants, write_wants;
};

/* Everything is the caller's and outlives it. */
void service_init(struct service *service, const struct policy *policy,
		  const struct addresses *addresses, SSL_CTX *tls);

/* Connects to the first address that answers.  REASON_OK, UPSTREAM_UNREACHABLE,
 * UPSTREAM_TLS, UPSTREAM_TIMEOUT, or what watch_wait() returns. */
enum reason service_connect(struct service *service, const struct watch *watch,
			    struct failure *failure)
	__attribute__((warn_unused_result));

/* Whether it is connected and has been silent since the last answer. */
bool service_reusable(struct service *service);

enum io service_read(struct service *service, void *buffer, size_t size,
		     size_t *ret_length, struct failure *failure);
enum io service_write(struct service *service, const void *bytes, size_t length,
		      size_t *ret_length, struct failure *failure);

/* Bytes wait that poll(2) cannot see. */
bool service_pending(const struct service *service);

/* `politely` as in tls_end(). */
void service_close(struct service *service, bool politely);

#endif
