/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/connect.h"

#include <string.h>

#include "core/hostname.h"

#define PORT "443"

static enum reason fail(struct connect_request *request, enum reason reason,
			const char *detail)
{
	request->detail = detail;
	return reason;
}

/* What the colon in front of the port is; brackets are left to hostname_check(), which
 * knows what to say of them.  NULL if there is none. */
static const uint8_t *find_port(const uint8_t *target, size_t length)
{
	const uint8_t *from = target;

	if (length > 0 && target[0] == '[') {
		from = memchr(target, ']', length);
		if (!from)
			return NULL;
	}
	return memchr(from, ':', length - (size_t)(from - target));
}

static enum reason judge_target(struct connect_request *request, const uint8_t *target,
				size_t length)
{
	const uint8_t *colon = find_port(target, length);
	size_t name_length = colon ? (size_t)(colon - target) : length;
	size_t port_length = colon ? length - name_length - 1 : 0;

	if (hostname_check(target, name_length, &request->detail) != REASON_OK)
		return REASON_TUNNEL_NAME;
	memcpy(request->host, target, name_length);
	request->host[name_length] = 0;
	if (!colon)
		return fail(request, REASON_TUNNEL_PORT, "there is no port");
	if (port_length != strlen(PORT) || memcmp(colon + 1, PORT, port_length) != 0)
		return fail(request, REASON_TUNNEL_PORT,
			    "the port is not exactly `443`");
	return REASON_OK;
}

/* With or without the port: both are in use. */
static enum reason judge_host_field(struct connect_request *request,
				    const uint8_t *buffer)
{
	const struct http1_head *head = &request->head;
	size_t at = http1_head_find(head, buffer, "host", 0);

	if (at < head->n_fields &&
	    !http1_slice_is(buffer, head->fields[at].value, request->host) &&
	    (head->fields[at].value.length != head->path.length ||
	     memcmp(buffer + head->fields[at].value.offset, buffer + head->path.offset,
		    head->path.length) != 0))
		return fail(request, REASON_HTTP_MALFORMED,
			    "Host is not the host of the request line");
	return REASON_OK;
}

static enum reason judge(struct connect_request *request, const uint8_t *buffer)
{
	const struct http1_head *head = &request->head;
	enum reason reason;

	if (!http1_slice_is(buffer, head->method_name, "CONNECT"))
		return fail(request, REASON_TUNNEL_REQUEST,
			    "the method is not CONNECT");
	reason = judge_target(request, buffer + head->path.offset, head->path.length);
	if (reason == REASON_OK)
		reason = judge_host_field(request, buffer);
	if (reason != REASON_OK)
		return reason;
	/* RFC 9110 9.3.6: it has no content. */
	if (head->chunked || head->content_length > 0)
		return fail(request, REASON_HTTP_FRAMING, "CONNECT has no body");
	if (head->refusal != REASON_OK)
		return fail(request, head->refusal, head->detail);
	request->length = head->scanned;
	request->done = true;
	return REASON_OK;
}

void connect_request_init(struct connect_request *request)
{
	*request = (struct connect_request){.done = false};
	http1_head_init_proxy(&request->head);
}

enum reason connect_request_parse(struct connect_request *request,
				  const uint8_t *buffer, size_t length)
{
	struct http1_head *head = &request->head;
	enum reason reason;

	if (length > LIMIT_CONNECT_HEAD)
		length = LIMIT_CONNECT_HEAD;
	reason = http1_head_parse(head, buffer, length);
	if (reason != REASON_OK)
		return fail(request, reason, head->detail);
	if (head->done)
		return judge(request, buffer);
	if (length == LIMIT_CONNECT_HEAD)
		return fail(request, REASON_HTTP_HEAD_TOO_LARGE,
			    "the head is longer than 8 KiB");
	return REASON_OK;
}
