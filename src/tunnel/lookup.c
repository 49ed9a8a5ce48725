/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tunnel/lookup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <resolv.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/address.h"
#include "os/cleanup.h"

#define PORT 443

void socket_address_format(const union socket_address *address, char *ret_text)
{
	const void *bytes = address->any.sa_family == AF_INET
				    ? (const void *)&address->in.sin_addr
				    : (const void *)&address->in6.sin6_addr;

	if (!inet_ntop(address->any.sa_family, bytes, ret_text, INET6_ADDRSTRLEN))
		memcpy(ret_text, "?", 2);
}

static size_t size_of(const union socket_address *address)
{
	return address->any.sa_family == AF_INET ? sizeof(address->in)
						 : sizeof(address->in6);
}

/* Family and address only: neither port nor scope. */
static bool is_same(const union socket_address *one, const struct sockaddr *other)
{
	if (one->any.sa_family != other->sa_family)
		return false;
	if (other->sa_family == AF_INET)
		return one->in.sin_addr.s_addr ==
		       ((const struct sockaddr_in *)other)->sin_addr.s_addr;
	return IN6_ARE_ADDR_EQUAL(&one->in6.sin6_addr,
				  &((const struct sockaddr_in6 *)other)->sin6_addr);
}

/* What the kernel would send to itself: a local route needs no interface that has the
 * address.  Nothing is sent: a datagram socket only learns its own address. */
static bool is_routed_here(const union socket_address *address)
{
	union socket_address own = {.any.sa_family = AF_UNSPEC};
	auto_fd int fd = socket(address->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(own);

	return fd >= 0 &&
	       connect(fd, &address->any, (socklen_t)size_of(address)) == 0 &&
	       getsockname(fd, &own.any, &size) == 0 && is_same(address, &own.any);
}

/* Why it must not be connected to; NULL if it may. */
static const char *fault_of(const union socket_address *address,
			    const struct ifaddrs *interfaces)
{
	struct address bytes = {.ipv6 = address->any.sa_family == AF_INET6};
	const char *fault;

	if (bytes.ipv6)
		memcpy(bytes.bytes, &address->in6.sin6_addr, 16);
	else
		memcpy(bytes.bytes, &address->in.sin_addr, 4);
	fault = address_not_public(&bytes);
	if (fault)
		return fault;
	for (const struct ifaddrs *i = interfaces; i; i = i->ifa_next)
		if (i->ifa_addr && is_same(address, i->ifa_addr))
			return "an address of this machine";
	return is_routed_here(address) ? "an address of this machine" : NULL;
}

/* The families in turn, beginning with the first one's. */
static void take_in_turn(const struct addrinfo *list, struct addresses *addresses)
{
	const struct addrinfo *next[2] = {list, list};
	int family = list->ai_family;

	while (addresses->count < LIMIT_ADDRESSES && (next[0] || next[1])) {
		const struct addrinfo **of = &next[family != list->ai_family];

		while (*of && (*of)->ai_family != family)
			*of = (*of)->ai_next;
		if (*of) {
			union socket_address *to = &addresses->list[addresses->count++];

			memcpy(to, (*of)->ai_addr, (*of)->ai_addrlen);
			if (family == AF_INET)
				to->in.sin_port = htons(PORT);
			else
				to->in6.sin6_port = htons(PORT);
			*of = (*of)->ai_next;
		}
		family = family == AF_INET ? AF_INET6 : AF_INET;
	}
}

static enum reason check_one(const char *host, const struct addrinfo *info,
			     const struct ifaddrs *interfaces, struct failure *failure)
{
	const char *fault = "an address of another kind";
	union socket_address address;
	char text[INET6_ADDRSTRLEN];

	memset(&address, 0, sizeof(address));
	if ((info->ai_family == AF_INET && info->ai_addrlen == sizeof(address.in)) ||
	    (info->ai_family == AF_INET6 && info->ai_addrlen == sizeof(address.in6))) {
		memcpy(&address, info->ai_addr, info->ai_addrlen);
		fault = fault_of(&address, interfaces);
	}
	if (!fault)
		return REASON_OK;
	socket_address_format(&address, text);
	return failure_set(failure, REASON_TUNNEL_ADDRESS, "'%s' is %s, %s", host, text,
			   fault);
}

/* All of them, also those that are too many to be tried. */
static enum reason check_all(const char *host, const struct addrinfo *list,
			     struct failure *failure)
{
	struct ifaddrs *interfaces = NULL;
	enum reason reason = REASON_OK;

	if (getifaddrs(&interfaces) < 0)
		return failure_set(
			failure, REASON_TUNNEL_ADDRESS,
			"'%s': the addresses of this machine cannot be listed: %s",
			host, strerror(errno));
	for (const struct addrinfo *i = list; i && reason == REASON_OK; i = i->ai_next)
		reason = check_one(host, i, interfaces, failure);
	freeifaddrs(interfaces);
	return reason;
}

static int look_up(const char *host, int family, struct addrinfo **ret_list)
{
	const struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM};

	return getaddrinfo(host, NULL, &hints, ret_list);
}

void lookup_prepare(void)
{
	struct addrinfo *list = NULL;
	struct ifaddrs *interfaces = NULL;

	/* The name is a whole one: nothing of resolv.conf(5)'s `search` is added. */
	if (res_init() == 0)
		_res.options &= ~(unsigned long)(RES_DNSRCH | RES_DEFNAMES);
	/* What the C library reads and loads for the first look-up is there before
	 * somebody waits for it.  This address is in every /etc/hosts: no name server
	 * is asked. */
	if (look_up("localhost", AF_INET, &list) == 0)
		freeaddrinfo(list);
	if (getifaddrs(&interfaces) == 0)
		freeifaddrs(interfaces);
}

enum reason lookup_host(const char *host, struct addresses *ret_addresses,
			struct failure *failure)
{
	struct addresses addresses = {0};
	struct addrinfo *list = NULL;
	enum reason reason;
	int error = look_up(host, AF_UNSPEC, &list);

	if (error != 0)
		return failure_set(failure, REASON_TUNNEL_LOOKUP, "'%s': %s", host,
				   error == EAI_SYSTEM ? strerror(errno)
						       : gai_strerror(error));
	reason = check_all(host, list, failure);
	if (reason == REASON_OK) {
		take_in_turn(list, &addresses);
		*ret_addresses = addresses;
	}
	freeaddrinfo(list);
	return reason;
}
