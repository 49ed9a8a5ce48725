/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/request.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/rules-anthropic.h"

/* The only version of the API (docs.anthropic.com, Versions). */
#define ANTHROPIC_VERSION "2023-06-01"

#define ALL_FLAGS (UPSTREAM_STREAM | UPSTREAM_LAST | UPSTREAM_QUERY_BETA)

static bool known_betas(uint32_t bits)
{
	for (unsigned int bit = 0; bit < 32; bit++)
		if ((bits >> bit & 1) && !anthropic_beta_name(bit))
			return false;
	return true;
}

enum reason request_check(const struct upstream_request *record, int body,
			  struct failure *failure)
{
	const int needed = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;
	struct stat status;
	const char *wrong = NULL;
	int seals = fcntl(body, F_GET_SEALS);

	if (record->magic != UPSTREAM_MAGIC || record->version != UPSTREAM_VERSION ||
	    record->size != sizeof(*record) || record->reserved != 0)
		wrong = "its magic, version or size";
	else if (record->endpoint != ENDPOINT_MESSAGES &&
		 record->endpoint != ENDPOINT_COUNT_TOKENS)
		wrong = "its endpoint";
	else if (record->flags & ~(uint32_t)ALL_FLAGS)
		wrong = "its flags";
	else if (!known_betas(record->beta))
		wrong = "its beta flags";
	else if (record->body_bytes > LIMIT_BODY_BYTES)
		wrong = "the size of its body";
	else if (seals < 0 || (seals & needed) != needed)
		wrong = "the seals of its body";
	else if (fstat(body, &status) < 0 || !S_ISREG(status.st_mode) ||
		 status.st_size != (off_t)record->body_bytes)
		wrong = "the file of its body";
	if (!wrong)
		return REASON_OK;
	return failure_set(failure, REASON_HANDOVER_INVALID,
			   "the gateway's record is not valid: %s", wrong);
}

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
	const char *before = "\r\nanthropic-beta: ";

	for (unsigned int bit = 0; anthropic_beta_name(bit); bit++) {
		if (!(request->record.beta >> bit & 1))
			continue;
		append(request, before);
		append(request, anthropic_beta_name(bit));
		before = ",";
	}
}

static void append_head(struct request *request)
{
	const struct upstream_request *record = &request->record;

	append(request, "POST ");
	append(request, request->policy->base_path);
	append(request, record->endpoint == ENDPOINT_MESSAGES
				? "/v1/messages"
				: "/v1/messages/count_tokens");
	append(request, record->flags & UPSTREAM_QUERY_BETA ? "?beta=true" : "");
	append(request, " HTTP/1.1\r\nhost: ");
	append_host(request);
	append(request, "\r\nuser-agent: anet/" PACKAGE_VERSION
			"\r\naccept-encoding: identity\r\naccept: ");
	append(request, record->flags & UPSTREAM_STREAM ? "text/event-stream"
							: "application/json");
	append(request, "\r\nanthropic-version: " ANTHROPIC_VERSION);
	append_betas(request);
	append(request, "\r\nx-api-key: ");
	append_bytes(request, request->secret->key, request->secret->key_length);
	append(request, "\r\ncontent-type: application/json\r\ncontent-length: ");
	append_number(request, record->body_bytes);
	append(request, "\r\n\r\n");
}

/* Fills the rest of the buffer from the body. */
static enum reason fill(struct request *request, struct failure *failure)
{
	size_t left = request->record.body_bytes - request->offset;
	size_t room = SECRET_BUFFER - request->end;
	ssize_t got;

	if (left > room)
		left = room;
	while (left > 0) {
		got = pread(request->body, request->secret->buffer + request->end, left,
			    request->offset);
		if (got <= 0) {
			request_give_up(request);
			return failure_set(failure, REASON_HANDOVER_INVALID,
					   "the body of a request cannot be read: %s",
					   got < 0 ? strerror(errno)
						   : "it is too short");
		}
		request->end += (size_t)got;
		request->offset += (uint32_t)got;
		left -= (size_t)got;
	}
	return REASON_OK;
}

void request_begin(struct request *request)
{
	request->offset = 0;
	request->begin = request->end = 0;
	request->done = request->whole = false;
	append_head(request);
}

void request_give_up(struct request *request)
{
	request->done = true;
	request->begin = request->end = 0;
	explicit_bzero(request->secret->buffer, sizeof(request->secret->buffer));
}

enum reason request_send(struct request *request, struct service *service,
			 bool *ret_progress, struct failure *failure)
{
	struct failure ignored;

	*ret_progress = false;
	while (!request->done) {
		enum reason reason = fill(request, failure);
		size_t sent = 0;

		if (reason != REASON_OK)
			return reason;
		switch (service_write(service, request->secret->buffer + request->begin,
				      request->end - request->begin, &sent, &ignored)) {
		case IO_BYTES:
			*ret_progress = true;
			request->begin += sent;
			break;
		case IO_AGAIN:
			return REASON_OK;
		case IO_END:
		case IO_BROKEN:
			request_give_up(request);
			break;
		}
		if (request->begin < request->end)
			continue;
		request->begin = request->end = 0;
		if (request->offset == request->record.body_bytes) {
			request_give_up(request);
			request->whole = true;
		}
	}
	return REASON_OK;
}
