/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/service.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/cleanup.h"

void service_init(struct service *service, const struct policy *policy,
		  const struct addresses *addresses, SSL_CTX *tls)
{
	*service = (struct service){
		.policy = policy,
		.addresses = addresses,
		.tls = tls,
		.fd = -1,
	};
}

/* The TCP connection to one address: REASON_OK, UPSTREAM_UNREACHABLE, or what
 * watch_wait() returns. */
static enum reason connect_one(const union address *address, const struct watch *watch,
			       int *ret_fd, struct failure *failure)
{
	bool ipv4 = address->any.sa_family == AF_INET;
	struct wait wait = {
		.service_events = POLLOUT,
		.deadline = watch_now() + LIMIT_CONNECT_SECONDS * 1000,
	};
	char name[ADDRESS_TEXT];
	auto_fd int fd = -1;
	int error = 0, on = 1;
	socklen_t size = sizeof(error);
	enum reason reason;

	address_format(address, name, sizeof(name));
	fd = socket(ipv4 ? AF_INET : AF_INET6,
		    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return failure_set(failure, REASON_UPSTREAM_UNREACHABLE,
				   "%s: socket: %s", name, strerror(errno));
	if (connect(fd, &address->any,
		    ipv4 ? sizeof(address->in) : sizeof(address->in6)) < 0 &&
	    errno != EINPROGRESS)
		return failure_set(failure, REASON_UPSTREAM_UNREACHABLE, "%s: %s", name,
				   strerror(errno));
	wait.service = fd;
	reason = watch_wait(watch, &wait);
	if (reason == REASON_UPSTREAM_TIMEOUT)
		return failure_set(failure, REASON_UPSTREAM_UNREACHABLE,
				   "%s: no answer within %d s", name,
				   LIMIT_CONNECT_SECONDS);
	if (reason != REASON_OK)
		return reason;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error != 0)
		return failure_set(failure, REASON_UPSTREAM_UNREACHABLE, "%s: %s", name,
				   strerror(error ? error : errno));
	/* Requests leave in few large writes; the last must not wait. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*ret_fd = take_fd(&fd);
	return REASON_OK;
}

static enum reason handshake(struct service *service, const struct watch *watch,
			     struct failure *failure)
{
	struct wait wait = {
		.service = service->fd,
		.deadline = watch_now() + LIMIT_TLS_SECONDS * 1000,
	};
	struct failure why = {""};

	service->ssl = tls_begin(service->tls, service->fd, service->policy->host);
	if (!service->ssl)
		return failure_set(failure, REASON_UPSTREAM_TLS,
				   "OpenSSL cannot begin");
	for (;;) {
		enum reason reason;

		switch (tls_handshake(service->ssl, &wait.service_events, &why)) {
		case IO_BYTES:
			return REASON_OK;
		case IO_AGAIN:
			break;
		case IO_END:
		case IO_BROKEN:
			return failure_set(failure, REASON_UPSTREAM_TLS, "'%s': %s",
					   service->policy->host, why.detail);
		}
		reason = watch_wait(watch, &wait);
		if (reason == REASON_UPSTREAM_TIMEOUT)
			return failure_set(
				failure, REASON_UPSTREAM_TIMEOUT,
				"'%s' did not finish the TLS handshake within %d s",
				service->policy->host, LIMIT_TLS_SECONDS);
		if (reason != REASON_OK)
			return reason;
	}
}

enum reason service_connect(struct service *service, const struct watch *watch,
			    struct failure *failure)
{
	const struct addresses *addresses = service->addresses;
	enum reason reason = REASON_UPSTREAM_UNREACHABLE;

	*failure = addresses->failure; /* the one to tell if there is no address */
	for (size_t i = 0; i < addresses->count; i++) {
		reason = connect_one(&addresses->list[i], watch, &service->fd, failure);
		if (reason != REASON_UPSTREAM_UNREACHABLE)
			break;
	}
	if (reason != REASON_OK)
		return reason;
	service->used = false;
	service->read_wants = POLLIN;
	service->write_wants = POLLOUT;
	if (service->tls)
		reason = handshake(service, watch, failure);
	if (reason != REASON_OK)
		service_close(service, false);
	return reason;
}

bool service_reusable(struct service *service)
{
	struct failure ignored;
	uint8_t byte;
	size_t length;
	ssize_t got;

	if (service->fd < 0)
		return false;
	if (!service->ssl) {
		got = recv(service->fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT);
		return got < 0 && errno == EAGAIN;
	}
	/* What TLS itself had to say (session tickets) is no sign of an end. */
	return tls_read(service->ssl, &byte, sizeof(byte), &length,
			&service->read_wants, &ignored) == IO_AGAIN;
}

static enum io plain_result(ssize_t result, size_t *ret_length, struct failure *failure)
{
	if (result > 0) {
		*ret_length = (size_t)result;
		return IO_BYTES;
	}
	if (result == 0)
		return IO_END;
	if (errno == EAGAIN || errno == EINTR)
		return IO_AGAIN;
	failure_set(failure, REASON_UPSTREAM_PROTOCOL, "%s", strerror(errno));
	return IO_BROKEN;
}

enum io service_read(struct service *service, void *buffer, size_t size,
		     size_t *ret_length, struct failure *failure)
{
	service->read_wants = POLLIN;
	if (service->ssl)
		return tls_read(service->ssl, buffer, size, ret_length,
				&service->read_wants, failure);
	return plain_result(recv(service->fd, buffer, size, 0), ret_length, failure);
}

enum io service_write(struct service *service, const void *bytes, size_t length,
		      size_t *ret_length, struct failure *failure)
{
	service->write_wants = POLLOUT;
	if (service->ssl)
		return tls_write(service->ssl, bytes, length, ret_length,
				 &service->write_wants, failure);
	return plain_result(send(service->fd, bytes, length, MSG_NOSIGNAL), ret_length,
			    failure);
}

bool service_pending(const struct service *service)
{
	return service->ssl && tls_pending(service->ssl);
}

void service_close(struct service *service, bool politely)
{
	if (service->ssl)
		tls_end(service->ssl, politely);
	service->ssl = NULL;
	close_fd(&service->fd);
}
