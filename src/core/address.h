/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_ADDRESS_H
#define ANET_CORE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What kind of address one is, by the registries of special-purpose addresses (IANA;
 * RFC 6890).  What is no public unicast address of a host is not reached (SPEC S8.3),
 * and neither is what is translated to one or can be: IPv4 inside of IPv6 in all its
 * forms.
 */
struct address {
	uint8_t bytes[16]; /* network order; of IPv4 the first four */
	bool ipv6;
};

/* NULL for a public unicast address; else what it is, for people: "a private address
 * (RFC 1918)".  Static. */
const char *address_not_public(const struct address *address);

#endif
