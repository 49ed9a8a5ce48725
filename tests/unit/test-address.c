/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The edges of every range: the first and last address in it, and the next ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <arpa/inet.h>
#include <cmocka.h>

#include "core/address.h"

static const struct row {
	const char *address;
	const char *want; /* NULL: public */
} rows[] = {
	{"0.0.0.0", "an address of \"this network\" (RFC 791)"},
	{"0.255.255.255", "an address of \"this network\" (RFC 791)"},
	{"1.0.0.0", NULL},
	{"9.255.255.255", NULL},
	{"10.0.0.0", "a private address (RFC 1918)"},
	{"10.255.255.255", "a private address (RFC 1918)"},
	{"11.0.0.0", NULL},
	{"100.63.255.255", NULL},
	{"100.64.0.0", "an address of a carrier's NAT (RFC 6598)"},
	{"100.127.255.255", "an address of a carrier's NAT (RFC 6598)"},
	{"100.128.0.0", NULL},
	{"126.255.255.255", NULL},
	{"127.0.0.0", "a loopback address (RFC 1122)"},
	{"127.255.255.255", "a loopback address (RFC 1122)"},
	{"128.0.0.0", NULL},
	{"169.253.255.255", NULL},
	{"169.254.0.0", "a link-local address (RFC 3927)"},
	{"169.254.169.254", "a link-local address (RFC 3927)"},
	{"169.254.255.255", "a link-local address (RFC 3927)"},
	{"169.255.0.0", NULL},
	{"172.15.255.255", NULL},
	{"172.16.0.0", "a private address (RFC 1918)"},
	{"172.31.255.255", "a private address (RFC 1918)"},
	{"172.32.0.0", NULL},
	{"191.255.255.255", NULL},
	{"192.0.0.0", "an address for protocols (RFC 6890)"},
	{"192.0.0.255", "an address for protocols (RFC 6890)"},
	{"192.0.1.0", NULL},
	{"192.0.2.0", "an address for documentation (RFC 5737)"},
	{"192.0.2.255", "an address for documentation (RFC 5737)"},
	{"192.0.3.0", NULL},
	{"192.31.195.255", NULL},
	{"192.31.196.0", "an address of AS112 (RFC 7535)"},
	{"192.31.196.255", "an address of AS112 (RFC 7535)"},
	{"192.31.197.0", NULL},
	{"192.52.192.255", NULL},
	{"192.52.193.0", "an address for multicast tunnels (RFC 7450)"},
	{"192.52.193.255", "an address for multicast tunnels (RFC 7450)"},
	{"192.52.194.0", NULL},
	{"192.88.98.255", NULL},
	{"192.88.99.0", "an address of 6to4 relays (RFC 7526)"},
	{"192.88.99.255", "an address of 6to4 relays (RFC 7526)"},
	{"192.88.100.0", NULL},
	{"192.167.255.255", NULL},
	{"192.168.0.0", "a private address (RFC 1918)"},
	{"192.168.255.255", "a private address (RFC 1918)"},
	{"192.169.0.0", NULL},
	{"192.175.47.255", NULL},
	{"192.175.48.0", "an address of AS112 (RFC 7534)"},
	{"192.175.48.255", "an address of AS112 (RFC 7534)"},
	{"192.175.49.0", NULL},
	{"198.17.255.255", NULL},
	{"198.18.0.0", "an address for benchmarks (RFC 2544)"},
	{"198.19.255.255", "an address for benchmarks (RFC 2544)"},
	{"198.20.0.0", NULL},
	{"198.51.99.255", NULL},
	{"198.51.100.0", "an address for documentation (RFC 5737)"},
	{"198.51.100.255", "an address for documentation (RFC 5737)"},
	{"198.51.101.0", NULL},
	{"203.0.112.255", NULL},
	{"203.0.113.0", "an address for documentation (RFC 5737)"},
	{"203.0.113.255", "an address for documentation (RFC 5737)"},
	{"203.0.114.0", NULL},
	{"223.255.255.255", NULL},
	{"224.0.0.0", "a multicast address (RFC 5771)"},
	{"239.255.255.255", "a multicast address (RFC 5771)"},
	{"240.0.0.0", "a reserved address (RFC 1112)"},
	{"255.255.255.254", "a reserved address (RFC 1112)"},
	{"255.255.255.255", "the broadcast address (RFC 919)"},

	{"::", "the unspecified address (RFC 4291)"},
	{"::1", "the loopback address (RFC 4291)"},
	{"::2", "an IPv4-compatible address (RFC 4291)"},
	{"::8.8.8.8", "an IPv4-compatible address (RFC 4291)"},
	{"::ffff:0.0.0.0", "an IPv4-mapped address (RFC 4291)"},
	{"::ffff:8.8.8.8", "an IPv4-mapped address (RFC 4291)"},
	{"::ffff:255.255.255.255", "an IPv4-mapped address (RFC 4291)"},
	{"::fffe:8.8.8.8", "an address outside of the Internet's (RFC 4291)"},
	{"::ffff:0:8.8.8.8", "an IPv4-translated address (RFC 2765)"},
	{"64:ff9b::8.8.8.8", "a translated IPv4 address (RFC 6052)"},
	{"64:ff9b::ffff:ffff", "a translated IPv4 address (RFC 6052)"},
	{"64:ff9b:1::a00:1", "a locally translated IPv4 address (RFC 8215)"},
	{"64:ff9b:2::1", "an address outside of the Internet's (RFC 4291)"},
	{"100::1", "an address that discards (RFC 6666)"},
	{"100:0:0:1::", "an address outside of the Internet's (RFC 4291)"},
	{"200::1", "an address outside of the Internet's (RFC 4291)"},
	{"1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	 "an address outside of the Internet's (RFC 4291)"},
	{"2000::", NULL},
	{"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
	{"2001::", "a Teredo address (RFC 4380)"},
	{"2001:0:ffff::1", "a Teredo address (RFC 4380)"},
	{"2001:1::1", "an address for protocols (RFC 2928)"},
	{"2001:2::1", "an address for benchmarks (RFC 5180)"},
	{"2001:10::1", "an address for protocols (RFC 2928)"},
	{"2001:20::1", "an address for protocols (RFC 2928)"},
	{"2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
	 "an address for protocols (RFC 2928)"},
	{"2001:200::", NULL},
	{"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
	{"2001:db8::", "an address for documentation (RFC 3849)"},
	{"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
	 "an address for documentation (RFC 3849)"},
	{"2001:db9::", NULL},
	{"2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
	{"2002::", "a 6to4 address (RFC 3056)"},
	{"2002:a00:1::1", "a 6to4 address (RFC 3056)"},
	{"2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a 6to4 address (RFC 3056)"},
	{"2003::", NULL},
	{"2620:4f:7fff:ffff:ffff:ffff:ffff:ffff", NULL},
	{"2620:4f:8000::", "an address of AS112 (RFC 7534)"},
	{"2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "an address of AS112 (RFC 7534)"},
	{"2620:4f:8001::", NULL},
	{"2a00:1450:4001:81b::200e", NULL},
	{"2a00::5efe:10.0.0.1", "an IPv4 address inside of one of IPv6 (RFC 5214)"},
	{"2a00::200:5efe:8.8.8.8", "an IPv4 address inside of one of IPv6 (RFC 5214)"},
	{"2a00::100:5efe:8.8.8.8", NULL},
	{"2a00::5eff:8.8.8.8", NULL},
	{"3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
	{"3fff::", "an address for documentation (RFC 9637)"},
	{"3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
	 "an address for documentation (RFC 9637)"},
	{"3fff:1000::", NULL},
	{"3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
	{"4000::", "an address outside of the Internet's (RFC 4291)"},
	{"5f00::1", "an address outside of the Internet's (RFC 4291)"},
	{"fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	 "an address outside of the Internet's (RFC 4291)"},
	{"fc00::", "a private address (RFC 4193)"},
	{"fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a private address (RFC 4193)"},
	{"fe00::", "an address outside of the Internet's (RFC 4291)"},
	{"fe80::", "a link-local address (RFC 4291)"},
	{"febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a link-local address (RFC 4291)"},
	{"fec0::", "a site-local address (RFC 3879)"},
	{"feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a site-local address (RFC 3879)"},
	{"ff00::", "a multicast address (RFC 4291)"},
	{"ff02::1", "a multicast address (RFC 4291)"},
	{"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a multicast address (RFC 4291)"},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* What lies behind an IPv4 address is not looked at. */
		struct address address = {
			.bytes = {[4] = 0xfe, 0x80},
			.ipv6 = strchr(rows[i].address, ':') != NULL,
		};
		const char *got;

		assert_int_equal(inet_pton(address.ipv6 ? AF_INET6 : AF_INET,
					   rows[i].address, address.bytes),
				 1);
		got = address_not_public(&address);
		if ((got == NULL) != (rows[i].want == NULL) ||
		    (got && strcmp(got, rows[i].want) != 0))
			fail_msg("%s: got \"%s\", want \"%s\"", rows[i].address,
				 got ? got : "public",
				 rows[i].want ? rows[i].want : "public");
	}
}

/* No spelling of a private IPv4 address inside of IPv6 is public. */
static void test_embedded(void **state)
{
	static const char *const forms[] = {
		"::%s",
		"::ffff:%s",
		"::ffff:0:%s",
		"64:ff9b::%s",
		"64:ff9b:1::%s",
		"64:ff9b:1:ffff:ffff:ffff:%s",
		"2a00::5efe:%s",
		"fe80::5efe:%s",
		"2001:0:0:0:0:0:%s",
		"2a00::200:5efe:%s",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
			struct address address = {.ipv6 = true};
			char text[128], *mark;

			if (strchr(rows[j].address, ':'))
				continue;
			strncpy(text, forms[i], sizeof(text) - 1);
			text[sizeof(text) - 1] = 0;
			mark = strchr(text, '%');
			assert_non_null(mark);
			strncpy(mark, rows[j].address,
				sizeof(text) - 1 - (size_t)(mark - text));
			assert_int_equal(inet_pton(AF_INET6, text, address.bytes), 1);
			if (!address_not_public(&address))
				fail_msg("%s is public", text);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_embedded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
