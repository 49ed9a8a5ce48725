/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/request-head.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/endpoint.h"
#include "core/rules-anthropic.h"
#include "core/rules-headers.h"

/* A head cannot outgrow the buffer: all its parts are bounded. */
#define HEAD_BOUND                                                                     \
	(LIMIT_BASE_PATH + LIMIT_HOST_NAME + LIMIT_API_KEY + BETA_COUNT * 64 + 1024)
_Static_assert(HEAD_BOUND < SECRET_BUFFER, "leaves room for the body");

/* Not by printf(3), whose own buffers are not wiped. */
static void append_bytes(struct request *request, const void *bytes, size_t length)
{
	assert(length <= HEAD_BOUND - request->end);
	memcpy(request->secret->buffer + request->end, bytes, length);
	request->end += length;
}

static void append(struct request *request, const char *text)
{
	append_bytes(request, text, strlen(text));
}

static void append_number(struct request *request, unsigned int number)
{
	char text[16];

	append_bytes(request, text, (size_t)snprintf(text, sizeof(text), "%u", number));
}

static void append_path(struct request *request)
{
	char path[LIMIT_BASE_PATH + ENDPOINT_PATH + 1];

	endpoint_service_path((enum endpoint)request->record.endpoint,
			      request->policy->base_path, path);
	append(request, path);
	if (request->record.flags & UPSTREAM_QUERY_BETA)
		append(request, "?beta=true");
}

static void append_host(struct request *request)
{
	const struct policy *policy = request->policy;
	bool plain = policy->flags & POLICY_PLAIN_HTTP;
	bool ipv6 = strchr(policy->host, ':') != NULL; /* RFC 3986 3.2.2 */

	append(request, ipv6 ? "[" : "");
	append(request, policy->host);
	append(request, ipv6 ? "]" : "");
	if (policy->port != (plain ? 80 : 443)) {
		append(request, ":");
		append_number(request, policy->port);
	}
}

static void append_betas(struct request *request)
{
	const char *before = "";

	for (unsigned int bit = 0; anthropic_beta_name(bit); bit++) {
		if (!(request->record.beta >> bit & 1))
			continue;
		append(request, before);
		append(request, anthropic_beta_name(bit));
		before = ",";
	}
}

static void append_value(struct request *request, const struct rule_header_out *row)
{
	append(request, row->text ? row->text : "");
	switch (row->source) {
	case HEADER_TEXT:
		break;
	case HEADER_HOST:
		append_host(request);
		break;
	case HEADER_ACCEPT:
		append(request, request->record.flags & UPSTREAM_STREAM
					? "text/event-stream"
					: "application/json");
		break;
	case HEADER_BETA:
		append_betas(request);
		break;
	case HEADER_KEY:
		append_bytes(request, request->secret->key,
			     request->secret->key_length);
		break;
	case HEADER_LENGTH:
		append_number(request, request->record.body_bytes);
		break;
	}
}

void request_head_append(struct request *request)
{
	append(request, "POST ");
	append_path(request);
	append(request, " HTTP/1.1\r\n");
	for (size_t i = 0; i < rule_n_headers_out; i++) {
		const struct rule_header_out *row = &rule_headers_out[i];

		if ((row->wire != WIRE_NONE && row->wire != request->policy->wire) ||
		    (row->source == HEADER_BETA && !request->record.beta))
			continue;
		append(request, row->name);
		append(request, ": ");
		append_value(request, row);
		append(request, "\r\n");
	}
	append(request, "\r\n");
}
