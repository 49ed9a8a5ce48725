/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_API_BASE_H
#define ANET_CONFIG_API_BASE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "config/runtime.h"
#include "core/limits.h"
#include "os/explain.h"

/*
 * Where a model service is, as `api_base` names it (SPEC S5):
 *
 *   https://HOST[:PORT][/PREFIX]
 *   http://LOOPBACK[:PORT][/PREFIX]
 *
 * in the one spelling that is compared byte for byte: a HOST is an exact name
 * (core/hostname.h), public or not, an IPv4 address in four plain numbers or an IPv6
 * address in brackets and the spelling of RFC 5952; a LOOPBACK is `localhost`, one of
 * 127.0.0.0/8, or `[::1]`; a PORT has no leading zero; a PREFIX has no final slash, no
 * empty segment, none that begins with a dot, and needs no escapes.  No user, query or
 * fragment.  Whether a certificate is that of the name or the address is for TLS to
 * say.
 */
struct api_base {
	bool plain_http;
	uint16_t port;
	char host[LIMIT_HOST_NAME + 1];	  /* without brackets */
	char prefix[LIMIT_BASE_PATH + 1]; /* "" or "/prefix" */
};

/* Pure.  What is wrong, for people, static; NULL if nothing. */
const char *api_base_parse(const char *text, struct api_base *ret_base);

/* For the reader of configuration. */
const char *api_base_check(const char *text);

/* What is wrong with a host that is there, without brackets; NULL if nothing. */
const char *api_host_check(const char *host, bool plain_http);

/* What is wrong with a prefix that is there; NULL if nothing. */
const char *api_prefix_check(const char *prefix);

/*
 * Reads the agent's runtime, as this agent uses it: one that leaves it to agents
 * whether they have a model service has `wire` none for an agent without an `api_base`.
 * As runtime_load().
 */
enum reason api_runtime_load(struct arena *arena, const struct places *places,
			     const struct agent *agent, struct runtime *ret_runtime,
			     struct detail *ret_detail);

/*
 * Where the agent's model service is: what its runtime's file says, and then an
 * `api_base` may only repeat that; else its `api_base`.  A runtime without a model
 * service has neither, and *ret_base stays empty.  REASON_OK, NO_API_BASE or
 * CONFIG_INVALID.
 */
enum reason api_base_resolve(const struct runtime *runtime, const struct agent *agent,
			     struct api_base *ret_base, struct detail *ret_detail);

#endif
