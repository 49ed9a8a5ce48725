/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "config/api-base.h"

#define LABEL "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
/* With a slash in front, LIMIT_BASE_PATH bytes. */
#define LONG_PATH                                                                      \
	LABEL "/" LABEL "/" LABEL "/"                                                  \
	      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct {
	const char *in;
	const char *part; /* of what is wrong; NULL: nothing */
	const char *host, *prefix;
	uint16_t port;
	bool plain_http;
} bases[] = {
	{"https://api.example.com", NULL, "api.example.com", "", 443, false},
	{"https://api.example.com:8443", NULL, "api.example.com", "", 8443, false},
	{"https://api.example.com/v1", NULL, "api.example.com", "/v1", 443, false},
	{"https://a.b:1/x/y_~.-Z", NULL, "a.b", "/x/y_~.-Z", 1, false},
	{"https://xn--4ca.example", NULL, "xn--4ca.example", "", 443, false},
	{"https://a.example:65535", NULL, "a.example", "", 65535, false},
	{"https://localhost", NULL, "localhost", "", 443, false},
	{"https://[::1]:8443/x", NULL, "::1", "/x", 8443, false},
	{"http://localhost", NULL, "localhost", "", 80, true},
	{"http://localhost:11434", NULL, "localhost", "", 11434, true},
	{"http://127.0.0.1:8000/v1", NULL, "127.0.0.1", "/v1", 8000, true},
	{"http://127.200.3.4", NULL, "127.200.3.4", "", 80, true},
	{"http://[::1]", NULL, "::1", "", 80, true},
	{"https://models", NULL, "models", "", 443, false},
	{"https://models.corp.internal/v1", NULL, "models.corp.internal", "/v1", 443,
	 false},
	{"https://gpu-3.lan:8443", NULL, "gpu-3.lan", "", 8443, false},
	{"https://printer.local", NULL, "printer.local", "", 443, false},
	{"https://nas.home.arpa", NULL, "nas.home.arpa", "", 443, false},
	{"https://a.localhost", NULL, "a.localhost", "", 443, false},
	{"https://1.2.3.4", NULL, "1.2.3.4", "", 443, false},
	{"https://10.0.0.1:8443/v1", NULL, "10.0.0.1", "/v1", 8443, false},
	{"https://[2001:db8::1]:8443/v1", NULL, "2001:db8::1", "/v1", 8443, false},
	{"https://[2001:db8::1]", NULL, "2001:db8::1", "", 443, false},
	{"https://[2001:db8:1:2:3:4:5:6]/a/b", NULL, "2001:db8:1:2:3:4:5:6", "/a/b",
	 443, false},
	{"https://[::ffff:192.0.2.1]", NULL, "::ffff:192.0.2.1", "", 443, false},
	{"https://" LABEL ".example/" LONG_PATH, NULL, LABEL ".example", "/" LONG_PATH,
	 443, false},

	{"", "begin with https://"},
	{"api.example.com", "begin with https://"},
	{"HTTPS://api.example.com", "begin with https://"},
	{"https:/api.example.com", "begin with https://"},
	{"ftp://api.example.com", "begin with https://"},
	{" https://api.example.com", "begin with https://"},
	{"https://", "it is empty"},
	{"https:///v1", "it is empty"},
	{"https://:443", "it is empty"},
	{"https://API.example.com", "lower case"},
	{"https://api.example.com.", "end with a dot"},
	{"https://api..example", "empty label"},
	{"https://-a.example", "hyphen"},
	{"https://*.example.com", "wildcards"},
	{"https://b\303\274cher.example", "xn--"},
	{"https://a b.example", "no letter"},
	{"https://a\tb.example", "no letter"},
	{"https://a\\b.example", "no letter"},
	{"https://a%2eb.example", "no letter"},
	{"https://user@api.example.com", "no user"},
	{"https://user:key@api.example.com", "no user"},
	{"https://api.example.com?x=1", "no query"},
	{"https://api.example.com#x", "no fragment"},
	{"https://api.example.com/v1?x=1", "no query"},
	{"https://api.example.com/v1#x", "no fragment"},
	{"https://api.example.com/v1/", "not end with one"},
	{"https://api.example.com/", "not end with one"},
	{"https://api.example.com//v1", "must start with /"},
	{"https://api.example.com/../v1", "must start with /"},
	{"https://api.example.com/v1/./x", "must start with /"},
	{"https://api.example.com/%76", "must start with /"},
	{"https://api.example.com/a b", "must start with /"},
	{"https://api.example.com/a\nb", "must start with /"},
	{"https://api.example.com/a@b", "must start with /"},
	{"https://a.example/" LONG_PATH "/a", "longer than 255"},
	{"https://api.example.com:", "a port is"},
	{"https://api.example.com:/v1", "a port is"},
	{"https://api.example.com:0", "a port is"},
	{"https://api.example.com:0443", "a port is"},
	{"https://api.example.com:65536", "a port is"},
	{"https://api.example.com:443000", "a port is"},
	{"https://api.example.com:-1", "a port is"},
	{"https://api.example.com:+1", "a port is"},
	{"https://api.example.com:443x", "only a port and a path"},
	{"https://api.example.com:443:1", "only a port and a path"},
	{"https://127.1", "no IP address"},
	{"https://2130706433", "no IP address"},
	{"https://0x7f.1", "no IP address"},
	{"https://[2001:DB8::1]", "RFC 5952"},
	{"https://[2001:0db8::1]", "RFC 5952"},
	{"https://[2001:db8:0:0::1]", "RFC 5952"},
	{"https://[2001:db8:0:0:0:0:0:1]", "RFC 5952"},
	{"https://[fe80::1%eth0]", "RFC 5952"},
	{"https://[2001:db8::g]", "RFC 5952"},
	{"https://[:]", "RFC 5952"},
	{"https://[::ffff:7f00:1]", "RFC 5952"},
	{"https://[v1.x:y]", "RFC 5952"},
	{"https://[2001:db8::1]8443", "only a port and a path"},
	{"https://[2001:db8::1]:", "a port is"},
	{"https://2001:db8::1", "no IP address"},
	{"https://1.2.3", "no IP address"},
	{"https://1.2.3.4.5", "no IP address"},
	{"https://01.2.3.4", "no IP address"},
	{"https://256.2.3.4", "no IP address"},
	{"https://a_b.lan", "no letter"},
	{"https://[0:0:0:0:0:0:0:1]", "RFC 5952"},
	{"https://[::1%25lo]", "RFC 5952"},
	{"https://[::1", "not closed"},
	{"https://[::1]x", "only a port and a path"},
	{"https://[localhost]", "stands in brackets"},
	{"https://[127.0.0.1]", "stands in brackets"},
	{"https://[]", "stands in brackets"},
	{"https://::1", "it is empty"},
	{"http://api.example.com", "loopback addresses only"},
	{"http://[2001:db8::1]", "loopback addresses only"},
	{"http://[::ffff:127.0.0.1]", "loopback addresses only"},
	{"http://0.0.0.0:11434", "loopback addresses only"},
	{"http://[::]", "loopback addresses only"},
	{"http://models.lan", "loopback addresses only"},
	{"http://10.0.0.1", "loopback addresses only"},
	{"http://127.0.0.1.example.com", "loopback addresses only"},
	{"http://127.1", "loopback addresses only"},
	{"http://127.0.0.01", "loopback addresses only"},
	{"http://localhost.example.com", "loopback addresses only"},
	{"http://localhost@example.com", "no user"},
	{"http://128.0.0.1", "loopback addresses only"},
	{"http://", "loopback addresses only"},
};

static void test_parse(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		struct api_base base = {.port = 7};
		const char *wrong = api_base_parse(bases[i].in, &base);

		if (!wrong != !bases[i].part ||
		    (wrong && !strstr(wrong, bases[i].part)))
			fail_msg("%s: %s", bases[i].in, wrong ? wrong : "accepted");
		if (wrong) {
			assert_int_equal(base.port, 7);
			continue;
		}
		assert_string_equal(base.host, bases[i].host);
		assert_string_equal(base.prefix, bases[i].prefix);
		assert_int_equal(base.port, bases[i].port);
		assert_int_equal(base.plain_http, bases[i].plain_http);
	}
}

static void test_long_host(void **state)
{
	char text[512] = "https://";
	struct api_base base;

	(void)state;
	memset(text + 8, 'a', 300);
	assert_string_equal(api_base_parse(text, &base),
			    "the host's name is longer than 253 bytes");
}

static struct runtime fixed = {.name = (char *)"claude",
			       .wire = WIRE_ANTHROPIC,
			       .host = (char *)"api.example.com",
			       .port = 443};
static struct runtime loopback = {.name = (char *)"stub",
				  .wire = WIRE_ANTHROPIC,
				  .host = (char *)"127.0.0.1",
				  .port = 8000,
				  .scheme = RUNTIME_HTTP,
				  .base_path = (char *)"/v1"};
static struct runtime open_one = {.name = (char *)"open", .wire = WIRE_ANTHROPIC};
static struct runtime maybe = {.name = (char *)"maybe",
			       .wire = WIRE_OPENAI,
			       .api_base = RUNTIME_API_BASE_OPTIONAL};
static struct runtime none = {.name = (char *)"command", .wire = WIRE_NONE};

/* SPEC S5. */
static const struct {
	const struct runtime *runtime;
	const char *api_base;
	enum reason reason;
	const char *text; /* the refusal, or the host */
	uint16_t port;
} agents[] = {
	{&fixed, NULL, REASON_OK, "api.example.com", 443},
	{&fixed, "https://api.example.com", REASON_OK, "api.example.com", 443},
	{&fixed, "https://api.example.com:443", REASON_OK, "api.example.com", 443},
	{&fixed, "https://api.example.com:444", REASON_CONFIG_INVALID,
	 "another `api_base` is refused: its runtime \"claude\" uses "
	 "https://api.example.com only"},
	{&fixed, "https://api.example.com/v1", REASON_CONFIG_INVALID,
	 "another `api_base` is refused"},
	{&fixed, "https://other.example.com", REASON_CONFIG_INVALID,
	 "another `api_base` is refused"},
	{&fixed, "http://127.0.0.1", REASON_CONFIG_INVALID,
	 "another `api_base` is refused"},
	{&fixed, "nonsense", REASON_CONFIG_INVALID, "`api_base` is \"nonsense\": it"},
	{&loopback, NULL, REASON_OK, "127.0.0.1", 8000},
	{&loopback, "http://127.0.0.1:8000/v1", REASON_OK, "127.0.0.1", 8000},
	{&loopback, "https://127.0.0.1:8000/v1", REASON_CONFIG_INVALID,
	 "uses http://127.0.0.1 only"},
	{&open_one, "https://other.example.com:1", REASON_OK, "other.example.com", 1},
	{&open_one, NULL, REASON_NO_API_BASE,
	 "agent \"demo\" has no `api_base`, which its runtime \"open\" needs"},
	{&maybe, "https://10.0.0.1/v1", REASON_OK, "10.0.0.1", 443},
	{&none, NULL, REASON_OK, "", 0},
	{&none, "https://other.example.com", REASON_CONFIG_INVALID,
	 "runtime \"command\" uses no model service"},
};

static void test_resolve(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(agents) / sizeof(agents[0]); i++) {
		const struct agent agent = {.name = "demo",
					    .api_base = (char *)agents[i].api_base};
		struct api_base base = {.port = 7};
		struct detail detail = {0};
		enum reason reason =
			api_base_resolve(agents[i].runtime, &agent, &base, &detail);

		if (reason != agents[i].reason)
			fail_msg("%zu: %s", i, detail.text);
		if (reason != REASON_OK) {
			if (!strstr(detail.text, agents[i].text))
				fail_msg("%zu: %s", i, detail.text);
			assert_int_equal(base.port, 7);
			continue;
		}
		assert_string_equal(base.host, agents[i].text);
		assert_int_equal(base.port, agents[i].port);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_long_host),
		cmocka_unit_test(test_resolve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
