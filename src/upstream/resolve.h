/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_UPSTREAM_RESOLVE_H
#define ANET_UPSTREAM_RESOLVE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "os/failure.h"

/* Where the service is, in the order in which it is tried. */
struct addresses {
	size_t count; /* 0: it could not be found out, and failure says why */
	union address {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} list[LIMIT_ADDRESSES];
	struct failure failure;
};

/*
 * The name is looked up once, by a child of its own: what the system's name
 * service opens and loads (files, sockets, modules) and what a name server
 * answers never comes into the process that holds the key, and its supervisor
 * can end it meanwhile.
 */
struct resolver {
	pid_t child;
	int fd;
};

/* Begins; before the key is read.  0 or -errno. */
int resolve_begin(const char *host, uint16_t port, struct resolver *ret_resolver);

/* Waits up to LIMIT_RESOLVE_SECONDS for the answer.  REASON_OK also when there
 * is none (count 0); SUPERVISOR_GONE when that happened meanwhile. */
enum reason resolve_finish(struct resolver *resolver, const char *host,
			   struct addresses *ret_addresses)
	__attribute__((warn_unused_result));

/* 127.0.0.0/8, ::1, and the former as an IPv4-mapped address. */
bool address_is_loopback(const union address *address);

/* "192.0.2.1 port 443" */
#define ADDRESS_TEXT (INET6_ADDRSTRLEN + 12)
void address_format(const union address *address, char *ret_text, size_t size);

#endif
