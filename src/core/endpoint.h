/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_ENDPOINT_H
#define ANET_CORE_ENDPOINT_H

#include <stddef.h>
#include "core/limits.h"
#include "core/policy.h"
#include "core/upstream-record.h"

/* An endpoint's own path is at most this long. */
#define ENDPOINT_PATH 32

/* Of which API the endpoint is; WIRE_NONE: `endpoint` is none. */
enum wire endpoint_wire(enum endpoint endpoint);

/* Where an agent finds it: "/v1/messages"; NULL: `endpoint` is none.  Static. */
const char *endpoint_path(enum endpoint endpoint);

/*
 * Where the service has it, behind the `base_path` of its policy.  What people give
 * as the address of a service differs by API:
 *
 *   Anthropic  the prefix of "/v1/messages", and one that ends in "/v1" is taken
 *              for what OpenAI's SDKs want;
 *   OpenAI     what its SDKs are given as base_url, the prefix of "/responses" and
 *              "/chat/completions"; without any it is their default, "/v1".
 *
 * Writes a string.  `endpoint` must be one.
 */
void endpoint_service_path(enum endpoint endpoint, const char *base_path,
			   char ret_path[LIMIT_BASE_PATH + ENDPOINT_PATH + 1]);

#endif
