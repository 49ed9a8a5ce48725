/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/api-base.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "core/hostname.h"

#define DIGITS "0123456789"
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

#define HTTPS "https://"
#define HTTP "http://"
#define HTTPS_PORT 443
#define HTTP_PORT 80

const char *api_prefix_check(const char *prefix)
{
	size_t length = strlen(prefix);

	if (length > LIMIT_BASE_PATH)
		return "what follows the host is longer than 255 bytes";
	if (prefix[0] != '/' || prefix[length - 1] == '/' || strstr(prefix, "//") ||
	    strstr(prefix, "/.") ||
	    strspn(prefix, LOWER UPPER DIGITS "-._~/") != length)
		return "it must start with /, not end with one, and need no escapes";
	return NULL;
}

#define MORE "it must have no user, no query and no fragment"

static const char *take_scheme(const char **text, struct api_base *base)
{
	if (strncmp(*text, HTTPS, strlen(HTTPS)) == 0) {
		*text += strlen(HTTPS);
		base->port = HTTPS_PORT;
		return NULL;
	}
	if (strncmp(*text, HTTP, strlen(HTTP)) == 0) {
		*text += strlen(HTTP);
		base->plain_http = true;
		base->port = HTTP_PORT;
		return NULL;
	}
	return "it must begin with https://, or with http:// for a loopback address";
}

/* RFC 4291 2.2 in the spelling of RFC 5952, which is the one that is compared. */
static bool is_ipv6(const char *host)
{
	char usual[INET6_ADDRSTRLEN];
	struct in6_addr address;

	return inet_pton(AF_INET6, host, &address) == 1 &&
	       inet_ntop(AF_INET6, &address, usual, sizeof(usual)) &&
	       strcmp(host, usual) == 0;
}

const char *api_host_check(const char *host, bool plain_http)
{
	struct in_addr ipv4; /* inet_pton(3) takes one spelling only */
	const char *why = NULL;

	if (plain_http && !host_is_loopback(host))
		return "http:// is for loopback addresses only: localhost, 127.x.y.z "
		       "or [::1]";
	if (strchr(host, ':'))
		return is_ipv6(host) ? NULL
				     : "an IPv6 address is written as in RFC 5952: "
				       "2001:db8::1, lower case, without a zone";
	if (inet_pton(AF_INET, host, &ipv4) == 1)
		return NULL;
	return hostname_spelling((const uint8_t *)host, strlen(host), &why) == REASON_OK
		       ? NULL
		       : why;
}

/* The host ends where a port, a prefix or the text does. */
static const char *take_host(const char **text, struct api_base *base)
{
	const char *start = *text;
	bool bracket = *start == '[';
	size_t length = strcspn(start, "/");

	if (strcspn(start, "@?#") < length)
		return MORE;
	if (bracket) {
		start++;
		length = strcspn(start, "]");
		if (!start[length])
			return "the bracket of an IPv6 address is not closed";
		*text = start + length + 1;
	} else {
		length = strcspn(start, ":/");
		*text = start + length;
	}
	if (length > LIMIT_HOST_NAME)
		return "the host's name is longer than 253 bytes";
	memcpy(base->host, start, length);
	base->host[length] = 0;
	if (bracket != (strchr(base->host, ':') != NULL))
		return "an IPv6 address, and nothing else, stands in brackets";
	return api_host_check(base->host, base->plain_http);
}

static const char *take_port(const char **text, struct api_base *base)
{
	static const char wrong[] = "a port is a number from 1 to 65535, without "
				    "leading zeros";
	uint32_t port = 0;
	size_t length;

	if (**text != ':')
		return NULL;
	(*text)++;
	length = strspn(*text, DIGITS);
	if (length == 0 || length > 5 || **text == '0')
		return wrong;
	for (size_t i = 0; i < length; i++)
		port = 10 * port + (uint32_t)((*text)[i] - '0');
	if (port > UINT16_MAX)
		return wrong;
	base->port = (uint16_t)port;
	*text += length;
	return NULL;
}

const char *api_base_parse(const char *text, struct api_base *ret_base)
{
	struct api_base base = {0};
	const char *wrong = take_scheme(&text, &base);

	if (!wrong)
		wrong = take_host(&text, &base);
	if (!wrong)
		wrong = take_port(&text, &base);
	if (!wrong && *text) {
		if (strpbrk(text, "?#"))
			return MORE;
		if (*text != '/')
			return "after the host only a port and a path can follow";
		wrong = api_prefix_check(text);
		if (!wrong)
			snprintf(base.prefix, sizeof(base.prefix), "%s", text);
	}
	if (!wrong)
		*ret_base = base;
	return wrong;
}

const char *api_base_check(const char *text)
{
	struct api_base base;

	return api_base_parse(text, &base);
}

static void of_runtime(const struct runtime *runtime, struct api_base *base)
{
	base->plain_http = runtime->scheme == RUNTIME_HTTP;
	base->port = runtime->port;
	/* The reader of configuration has checked the lengths. */
	snprintf(base->host, sizeof(base->host), "%s", runtime->host);
	snprintf(base->prefix, sizeof(base->prefix), "%s",
		 runtime->base_path ? runtime->base_path : "");
}

static bool is_same(const struct api_base *one, const struct api_base *other)
{
	return one->plain_http == other->plain_http && one->port == other->port &&
	       strcmp(one->host, other->host) == 0 &&
	       strcmp(one->prefix, other->prefix) == 0;
}

enum reason api_base_resolve(const struct runtime *runtime, const struct agent *agent,
			     struct api_base *ret_base, struct detail *ret_detail)
{
	struct api_base base = {0}, asked = {0};
	const char *wrong =
		agent->api_base ? api_base_parse(agent->api_base, &asked) : NULL;

	if (wrong)
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "agent \"%s\": `api_base` is \"%s\": %s", agent->name,
			       SHOW(agent->api_base), wrong);
	if (runtime->wire == WIRE_NONE && agent->api_base)
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "agent \"%s\" has an `api_base`, but its runtime \"%s\" "
			       "uses no model service",
			       agent->name, runtime->name);
	if (runtime->wire != WIRE_NONE && !runtime->host && !agent->api_base)
		return explain(ret_detail, REASON_NO_API_BASE,
			       "agent \"%s\" has no `api_base`, which its runtime "
			       "\"%s\" needs; set it with `anet agent set %s "
			       "--api-base URL`",
			       agent->name, runtime->name, agent->name);
	if (runtime->host)
		of_runtime(runtime, &base);
	else
		base = asked;
	if (agent->api_base && !is_same(&base, &asked))
		return explain(
			ret_detail, REASON_CONFIG_INVALID,
			"agent \"%s\": another `api_base` is refused: its runtime "
			"\"%s\" uses %s://%s only",
			agent->name, runtime->name, base.plain_http ? "http" : "https",
			base.host);
	*ret_base = base;
	return REASON_OK;
}

enum reason api_runtime_load(struct arena *arena, const struct places *places,
			     const struct agent *agent, struct runtime *ret_runtime,
			     struct detail *ret_detail)
{
	enum reason reason =
		runtime_load(arena, places, agent->runtime, ret_runtime, ret_detail);

	if (reason == REASON_OK && ret_runtime->api_base == RUNTIME_API_BASE_OPTIONAL &&
	    !agent->api_base)
		ret_runtime->wire = WIRE_NONE;
	return reason;
}
