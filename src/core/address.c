/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/address.h"

#include <string.h>

/* The first `bits` of an address. */
struct range {
	uint8_t prefix[16];
	unsigned int bits;
	const char *what;
};

/* IANA, "IPv4 Special-Purpose Address Registry" and "IPv4 Multicast Address Space
 * Registry"; what the former calls globally reachable is no host's either. */
static const struct range ipv4[] = {
	{{255, 255, 255, 255}, 32, "the broadcast address (RFC 919)"},
	{{0}, 8, "an address of \"this network\" (RFC 791)"},
	{{10}, 8, "a private address (RFC 1918)"},
	{{100, 64}, 10, "an address of a carrier's NAT (RFC 6598)"},
	{{127}, 8, "a loopback address (RFC 1122)"},
	{{169, 254}, 16, "a link-local address (RFC 3927)"},
	{{172, 16}, 12, "a private address (RFC 1918)"},
	{{192, 0, 0}, 24, "an address for protocols (RFC 6890)"},
	{{192, 0, 2}, 24, "an address for documentation (RFC 5737)"},
	{{192, 31, 196}, 24, "an address of AS112 (RFC 7535)"},
	{{192, 52, 193}, 24, "an address for multicast tunnels (RFC 7450)"},
	{{192, 88, 99}, 24, "an address of 6to4 relays (RFC 7526)"},
	{{192, 168}, 16, "a private address (RFC 1918)"},
	{{192, 175, 48}, 24, "an address of AS112 (RFC 7534)"},
	{{198, 18}, 15, "an address for benchmarks (RFC 2544)"},
	{{198, 51, 100}, 24, "an address for documentation (RFC 5737)"},
	{{203, 0, 113}, 24, "an address for documentation (RFC 5737)"},
	{{224}, 4, "a multicast address (RFC 5771)"},
	{{240}, 4, "a reserved address (RFC 1112)"},
};

/* IANA, "IPv6 Special-Purpose Address Registry" and "IPv6 Address Space". */
static const struct range ipv6[] = {
	{{0}, 128, "the unspecified address (RFC 4291)"},
	{{[15] = 1}, 128, "the loopback address (RFC 4291)"},
	{{0}, 96, "an IPv4-compatible address (RFC 4291)"},
	{{[10] = 0xff, 0xff}, 96, "an IPv4-mapped address (RFC 4291)"},
	{{[8] = 0xff, 0xff}, 96, "an IPv4-translated address (RFC 2765)"},
	{{0x00, 0x64, 0xff, 0x9b}, 96, "a translated IPv4 address (RFC 6052)"},
	{{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01},
	 48,
	 "a locally translated IPv4 address (RFC 8215)"},
	{{0x01}, 64, "an address that discards (RFC 6666)"},
	{{0x20, 0x01}, 32, "a Teredo address (RFC 4380)"},
	{{0x20, 0x01, 0x00, 0x02}, 48, "an address for benchmarks (RFC 5180)"},
	{{0x20, 0x01}, 23, "an address for protocols (RFC 2928)"},
	{{0x20, 0x01, 0x0d, 0xb8}, 32, "an address for documentation (RFC 3849)"},
	{{0x20, 0x02}, 16, "a 6to4 address (RFC 3056)"},
	{{0x26, 0x20, 0x00, 0x4f, 0x80}, 48, "an address of AS112 (RFC 7534)"},
	{{0x3f, 0xff}, 20, "an address for documentation (RFC 9637)"},
	{{0xfc}, 7, "a private address (RFC 4193)"},
	{{0xfe, 0x80}, 10, "a link-local address (RFC 4291)"},
	{{0xfe, 0xc0}, 10, "a site-local address (RFC 3879)"},
	{{0xff}, 8, "a multicast address (RFC 4291)"},
};

/* RFC 4291 2.4: what has been assigned for unicast addresses of the Internet. */
static const struct range ipv6_global = {{0x20}, 3, ""};

static bool is_in(const uint8_t *bytes, const struct range *range)
{
	size_t whole = range->bits / 8;
	unsigned int mask = 0xff00u >> range->bits % 8;

	if (memcmp(bytes, range->prefix, whole) != 0)
		return false;
	return range->bits % 8 == 0 ||
	       ((bytes[whole] ^ range->prefix[whole]) & mask & 0xff) == 0;
}

static const char *find(const uint8_t *bytes, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_in(bytes, &ranges[i]))
			return ranges[i].what;
	return NULL;
}

/* RFC 5214 6.1: an interface identifier that is an IPv4 address, below any prefix. */
static bool is_isatap(const uint8_t *bytes)
{
	return (bytes[8] & ~0x02) == 0 && bytes[9] == 0 && bytes[10] == 0x5e &&
	       bytes[11] == 0xfe;
}

const char *address_not_public(const struct address *address)
{
	const uint8_t *bytes = address->bytes;
	const char *what;

	if (!address->ipv6)
		return find(bytes, ipv4, sizeof(ipv4) / sizeof(ipv4[0]));
	what = find(bytes, ipv6, sizeof(ipv6) / sizeof(ipv6[0]));
	if (what)
		return what;
	if (!is_in(bytes, &ipv6_global))
		return "an address outside of the Internet's (RFC 4291)";
	if (is_isatap(bytes))
		return "an IPv4 address inside of one of IPv6 (RFC 5214)";
	return NULL;
}
