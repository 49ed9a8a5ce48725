/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any address: four bytes of IPv4, sixteen of IPv6.  What the C library and plain
 * arithmetic call special is not public, and no IPv4 address inside of IPv6 is.
 */
#include <netinet/in.h>

#include "core/address.h"
#include "fuzz.h"

static bool is_between(uint32_t number, uint32_t first, uint32_t last)
{
	return number >= first && number <= last;
}

static bool is_special_ipv4(uint32_t number)
{
	return IN_MULTICAST(number) || IN_BADCLASS(number) ||
	       number >> 24 == IN_LOOPBACKNET || number < 1u << 24 ||
	       number >> 24 == 10 || is_between(number, 0x64400000, 0x647fffff) ||
	       is_between(number, 0xa9fe0000, 0xa9feffff) ||
	       is_between(number, 0xac100000, 0xac1fffff) ||
	       is_between(number, 0xc0a80000, 0xc0a8ffff) ||
	       is_between(number, 0xc6120000, 0xc613ffff);
}

static void check_ipv4(const uint8_t *data)
{
	static const uint8_t prefixes[][12] = {
		{0},
		{[10] = 0xff, 0xff},
		{[8] = 0xff, 0xff},
		{0x00, 0x64, 0xff, 0x9b},
		{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01},
		{0xfe, 0x80},
		{0x2a, [10] = 0x5e, 0xfe},
		{0x2a, [8] = 0x02, [10] = 0x5e, 0xfe},
	};
	uint32_t number = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 |
			  (uint32_t)data[2] << 8 | data[3];
	struct address address = {.ipv6 = false};

	memcpy(address.bytes, data, 4);
	demand(!is_special_ipv4(number) || address_not_public(&address));
	address.ipv6 = true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		memcpy(address.bytes, prefixes[i], 12);
		memcpy(address.bytes + 12, data, 4);
		demand(address_not_public(&address) != NULL);
	}
	/* 6to4. */
	address = (struct address){.bytes = {0x20, 0x02}, .ipv6 = true};
	memcpy(address.bytes + 2, data, 4);
	demand(address_not_public(&address) != NULL);
}

static void check_ipv6(const uint8_t *data)
{
	struct address address = {.ipv6 = true};
	struct in6_addr other;
	bool special;

	memcpy(address.bytes, data, 16);
	memcpy(&other, data, 16);
	special = IN6_IS_ADDR_UNSPECIFIED(&other) || IN6_IS_ADDR_LOOPBACK(&other) ||
		  IN6_IS_ADDR_MULTICAST(&other) || IN6_IS_ADDR_LINKLOCAL(&other) ||
		  IN6_IS_ADDR_SITELOCAL(&other) || IN6_IS_ADDR_V4MAPPED(&other) ||
		  IN6_IS_ADDR_V4COMPAT(&other) || (data[0] & 0xe0) != 0x20;
	demand(!special || address_not_public(&address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= 4)
		check_ipv4(data);
	if (size >= 16)
		check_ipv6(data);
	return 0;
}
