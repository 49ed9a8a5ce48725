/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/request.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/endpoint.h"
#include "core/rules-anthropic.h"
#include "upstream/request-head.h"

#define FLAGS (UPSTREAM_STREAM | UPSTREAM_LAST)
#define ANTHROPIC_FLAGS (FLAGS | UPSTREAM_QUERY_BETA)

/* Only one API has them. */
static bool known_betas(enum wire wire, uint32_t bits)
{
	if (wire != WIRE_ANTHROPIC)
		return bits == 0;
	for (unsigned int bit = 0; bit < 32; bit++)
		if ((bits >> bit & 1) && !anthropic_beta_name(bit))
			return false;
	return true;
}

enum reason request_check(const struct upstream_request *record,
			  const struct policy *policy, int body,
			  struct failure *failure)
{
	const enum wire wire = (enum wire)policy->wire;
	const uint32_t flags = wire == WIRE_ANTHROPIC ? ANTHROPIC_FLAGS : FLAGS;
	const int needed = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;
	struct stat status;
	const char *wrong = NULL;
	int seals = fcntl(body, F_GET_SEALS);

	if (record->magic != UPSTREAM_MAGIC || record->version != UPSTREAM_VERSION ||
	    record->size != sizeof(*record) || record->reserved != 0)
		wrong = "its magic, version or size";
	else if (endpoint_wire((enum endpoint)record->endpoint) != wire)
		wrong = "its endpoint";
	else if (record->flags & ~flags)
		wrong = "its flags";
	else if (!known_betas(wire, record->beta))
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
	request_head_append(request);
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
