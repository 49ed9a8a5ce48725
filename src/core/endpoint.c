/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/endpoint.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define V1 "/v1"

static const struct {
	enum wire wire;
	const char *path; /* begins with V1 */
} endpoints[] = {
	[ENDPOINT_MESSAGES] = {WIRE_ANTHROPIC, V1 "/messages"},
	[ENDPOINT_COUNT_TOKENS] = {WIRE_ANTHROPIC, V1 "/messages/count_tokens"},
	[ENDPOINT_RESPONSES] = {WIRE_OPENAI, V1 "/responses"},
	[ENDPOINT_CHAT] = {WIRE_OPENAI, V1 "/chat/completions"},
};

#define N_ENDPOINTS (sizeof(endpoints) / sizeof(endpoints[0]))

enum wire endpoint_wire(enum endpoint endpoint)
{
	return (size_t)endpoint < N_ENDPOINTS ? endpoints[endpoint].wire : WIRE_NONE;
}

const char *endpoint_path(enum endpoint endpoint)
{
	return (size_t)endpoint < N_ENDPOINTS ? endpoints[endpoint].path : NULL;
}

static bool has_version(const char *base_path)
{
	size_t length = strlen(base_path), wanted = strlen(V1);

	return length >= wanted && strcmp(base_path + length - wanted, V1) == 0;
}

void endpoint_service_path(enum endpoint endpoint, const char *base_path,
			   char ret_path[LIMIT_BASE_PATH + ENDPOINT_PATH + 1])
{
	const char *path = endpoint_path(endpoint);
	size_t length = strlen(base_path), own;

	assert(path && length <= LIMIT_BASE_PATH);
	if (has_version(base_path) ||
	    (endpoint_wire(endpoint) == WIRE_OPENAI && length > 0))
		path += strlen(V1);
	own = strlen(path);
	assert(own <= ENDPOINT_PATH);
	memcpy(ret_path, base_path, length);
	memcpy(ret_path + length, path, own + 1);
}
