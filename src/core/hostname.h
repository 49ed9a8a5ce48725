/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_HOSTNAME_H
#define ANET_CORE_HOSTNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/limits.h"
#include "core/reason.h"

/*
 * Whether `name` is a host's exact name in the one spelling that is compared byte for
 * byte later: lower-case letters, digits and hyphens in labels of 1 to 63 bytes (RFC
 * 1123 2.1), at most LIMIT_HOST_NAME bytes in all, no final dot.  Labels that begin
 * with `xn--` are taken as they are; other alphabets must be written so.
 *
 * Refused as well: wildcards, ports, IP addresses in every spelling that some
 * resolver takes for one (whatever ends in a number, as 127.1, 2130706433 or
 * 0x7f.1, see inet_aton(3); brackets).
 *
 * Returns REASON_OK, or REASON_HOST_INVALID and why (*ret_detail, static).
 */
enum reason hostname_spelling(const uint8_t *name, size_t length,
			      const char **ret_detail);

/*
 * Whether it is that of a public host (SPEC S8.1): neither `localhost` nor a name below
 * it (RFC 6761 6.3), nor one in the zones that only a local network has.
 *
 * That the name is no model service's, and what addresses it has, is for the
 * caller to check.  Returns as above.
 */
enum reason hostname_check(const uint8_t *name, size_t length, const char **ret_detail);

/* The host in quotation marks that a text begins with, as helpers name one to people
 * ("'a.example.org': why"), if hostname_check() takes it. */
bool hostname_quoted(const char *text, char ret_host[LIMIT_HOST_NAME + 1]);

#endif
