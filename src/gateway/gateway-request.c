/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/endpoint.h"
#include "gateway/gateway.h"
#include "os/cleanup.h"

/* From the first byte of a head to its last. */
#define HEAD_USEC UINT64_C(30000000)

/* SPEC S6.8. */
static const struct route routes[] = {
	{.endpoint = ENDPOINT_MESSAGES},
	{.endpoint = ENDPOINT_COUNT_TOKENS},
	{.endpoint = ENDPOINT_RESPONSES},
	{.endpoint = ENDPOINT_CHAT},
	{.path = "/v1/models", .models = true},
	/* What agents ask to see whether somebody is there. */
	{.path = "/"},
	{.path = "/api/hello"},
};

const char *route_methods(const struct route *route)
{
	return route->endpoint ? "POST" : "GET, HEAD";
}

static bool route_has_method(const struct route *route, enum http1_method method)
{
	return route->endpoint ? method == HTTP1_POST
			       : method == HTTP1_GET || method == HTTP1_HEAD;
}

/* The route of a path on the session's wire; NULL: none.  Paths are compared byte for
 * byte: what is written otherwise, by percent signs or double slashes, is another. */
static const struct route *route_find(const struct gateway *g, struct http1_slice path)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		const struct route *route = &routes[i];

		if (route->endpoint &&
		    endpoint_wire(route->endpoint) != g->policy->wire)
			continue;
		if (http1_slice_is(g->buffer, path,
				   route->endpoint ? endpoint_path(route->endpoint)
						   : route->path))
			return route;
	}
	return NULL;
}

/* Moves what was received of the next request to the buffer's start and reads
 * until its head is complete. */
static enum reason read_head(struct gateway *g, struct http1_head *head)
{
	uint64_t deadline;

	memmove(g->buffer, g->buffer + g->start, g->end - g->start);
	g->end -= g->start;
	g->start = 0;
	http1_head_init(head);
	if (g->end == 0) {
		enum reason reason = gateway_wait_for_request(g);

		if (reason != REASON_OK)
			return reason;
	}
	deadline = now_usec() + HEAD_USEC;
	for (;;) {
		enum reason reason = http1_head_parse(head, g->buffer, g->end);

		if (reason != REASON_OK)
			return reason;
		if (head->done) {
			g->start = head->scanned;
			return REASON_OK;
		}
		reason = gateway_receive(g, deadline);
		if (reason == REASON_HTTP_TIMEOUT)
			head->detail = "the head stopped";
		if (reason != REASON_OK)
			return reason;
	}
}

/* All anthropic-beta fields as one list (RFC 9110 5.3). */
static enum reason join_beta(struct request *request, const struct http1_head *head,
			     const uint8_t *buffer)
{
	static const char name[] = "anthropic-beta", separator[] = ", ";
	size_t length = 0;

	for (size_t i = http1_head_find(head, buffer, name, 0); i < head->n_fields;
	     i = http1_head_find(head, buffer, name, i + 1))
		length += head->fields[i].value.length + strlen(separator);
	if (length == 0)
		return REASON_OK;
	request->beta = malloc(length);
	if (!request->beta)
		return REASON_INTERNAL;
	for (size_t i = http1_head_find(head, buffer, name, 0); i < head->n_fields;
	     i = http1_head_find(head, buffer, name, i + 1)) {
		const struct http1_slice value = head->fields[i].value;
		uint8_t *at = request->beta + request->beta_length;

		if (request->beta_length > 0) {
			memcpy(at, separator, strlen(separator));
			at += strlen(separator);
		}
		memcpy(at, buffer + value.offset, value.length);
		request->beta_length = (size_t)(at - request->beta) + value.length;
	}
	return REASON_OK;
}

/* Whether the head of the request is acceptable, before its body is read. */
static enum reason examine(const struct gateway *g, struct request *request,
			   const struct http1_head *head)
{
	const struct http1_slice method = head->method_name, path = head->path;
	const uint8_t *buffer = g->buffer;

	request->route = route_find(g, path);
	/* Comes first: who wants to upgrade has to read 426 whatever is there. */
	if (head->refusal != REASON_OK) {
		snprintf(request->detail, sizeof(request->detail), "%s", head->detail);
		return head->refusal;
	}
	if (!request->route || !route_has_method(request->route, head->method)) {
		snprintf(request->detail, sizeof(request->detail), "%.*s %.*s",
			 (int)method.length, (const char *)buffer + method.offset,
			 (int)path.length, (const char *)buffer + path.offset);
		return request->route ? REASON_HTTP_METHOD : REASON_HTTP_NOT_FOUND;
	}
	if (!request->route->endpoint)
		return REASON_OK;
	if (!head->has_length && !head->chunked)
		return REASON_HTTP_LENGTH_REQUIRED;
	if (head->content_length > LIMIT_BODY_BYTES) {
		snprintf(request->detail, sizeof(request->detail),
			 "Content-Length is %llu",
			 (unsigned long long)head->content_length);
		return REASON_HTTP_BODY_TOO_LARGE;
	}
	if (g->policy->wire != WIRE_ANTHROPIC)
		return REASON_OK;
	if (http1_slice_is(buffer, head->query, "beta=true"))
		request->flags |= UPSTREAM_QUERY_BETA;
	return join_beta(request, head, buffer);
}

/* Whether the next request can be found behind the body of this one.  A client
 * that was not told to continue may or may not send it (RFC 9110 10.1.1). */
static bool can_skip_body(const struct request *request)
{
	if (request->chunked || request->content_length > 0)
		return !request->expects_continue &&
		       request->content_length <= LIMIT_BODY_BYTES;
	return true;
}

/* Ends a request that was answered before its body was read. */
static enum reason skip_body(struct gateway *g, const struct request *request,
			     bool *ret_close)
{
	const char *detail;
	enum reason reason = gateway_read_body(g, request, NULL, &detail);

	if (reason_http_status(reason) == 0)
		return reason; /* also REASON_OK */
	/* It has its answer already. */
	*ret_close = true;
	return REASON_OK;
}

static enum reason judge_and_forward(struct gateway *g, struct request *request,
				     struct body *body, struct forwarded *ret,
				     char ret_detail[LIMIT_DETAIL + 1])
{
	struct judgement judgement;
	struct upstream_request record = {
		.magic = UPSTREAM_MAGIC,
		.version = UPSTREAM_VERSION,
		.size = sizeof(record),
		.endpoint = request->route->endpoint,
	};
	enum reason reason;

	judge_request_taking(g->policy, request->route->endpoint, take_ptr(body->data),
			     body->length, request->beta, request->beta_length,
			     &judgement);
	if (judgement.reason != REASON_OK) {
		reason = judgement.reason;
		memcpy(ret_detail, judgement.detail, sizeof(judgement.detail));
	} else {
		record.flags = request->flags | judgement.flags |
			       (request->close ? UPSTREAM_LAST : 0);
		record.body_bytes = (uint32_t)judgement.length;
		record.beta = judgement.beta;
		reason = gateway_forward(g, &record, &judgement, ret, ret_detail);
	}
	judgement_clear(&judgement);
	return reason;
}

/* A request for the model service whose head is acceptable. */
static enum reason serve_model(struct gateway *g, struct request *request,
			       bool *ret_close)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct forwarded forwarded = {.close = false};
	struct body body = {.data = NULL};
	const char *detail = "";
	enum reason reason = REASON_OK;

	/* Not needed by a client that did not wait. */
	if (request->expects_continue && g->start == g->end)
		reason = gateway_send(g, go_on, strlen(go_on));
	if (reason == REASON_OK)
		reason = gateway_read_body(g, request, &body, &detail);
	if (reason == REASON_OK) {
		reason = judge_and_forward(g, request, &body, &forwarded,
					   request->detail);
	} else {
		/* Where the next request begins is not known. */
		forwarded.close = true;
		snprintf(request->detail, sizeof(request->detail), "%s", detail);
	}
	free(body.data);
	request->told = forwarded.told;
	*ret_close = request->close || forwarded.close;
	if (forwarded.answered && forwarded.told) {
		*ret_close = true;
		return REASON_OK;
	}
	if (forwarded.answered || reason_http_status(reason) == 0)
		return reason;
	return gateway_refuse(g, request, reason, request->detail, *ret_close);
}

static enum reason serve_request(struct gateway *g, const struct http1_head *head,
				 bool *ret_close)
{
	struct request request = {
		.method = head->method,
		.close = head->close,
		.expects_continue = head->expects_continue,
		.chunked = head->chunked,
		.content_length = head->content_length,
	};
	enum reason reason = gateway_check_key(g, head);

	/* Nothing else is told to strangers, and nothing more is read of them. */
	if (reason != REASON_OK) {
		*ret_close = true;
		return gateway_refuse(g, &request, reason, "", true);
	}
	reason = examine(g, &request, head);
	*ret_close = request.close;
	if (reason == REASON_OK && request.route->endpoint) {
		reason = serve_model(g, &request, ret_close);
		free(request.beta);
		return reason;
	}
	if (!can_skip_body(&request))
		*ret_close = true;
	request.close = *ret_close;
	if (reason == REASON_OK)
		reason = gateway_answer_locally(g, &request);
	else
		reason =
			gateway_refuse(g, &request, reason, request.detail, *ret_close);
	if (reason == REASON_OK && !*ret_close)
		reason = skip_body(g, &request, ret_close);
	return reason;
}

enum reason gateway_serve(struct gateway *g)
{
	bool close = false;

	while (!close) {
		struct http1_head head;
		enum reason reason = read_head(g, &head);

		/* Between two requests either side may end. */
		if (g->end == 0 &&
		    (reason == REASON_CLIENT_GONE || reason == REASON_HTTP_TIMEOUT))
			return REASON_OK;
		if (reason_http_status(reason) == 0 && reason != REASON_OK)
			return reason;
		g->report.requests++;
		if (reason != REASON_OK) {
			close = true;
			reason = gateway_refuse(g, NULL, reason,
						head.detail ? head.detail : "", true);
		} else {
			reason = serve_request(g, &head, &close);
		}
		if (reason != REASON_OK)
			return reason;
	}
	gateway_close(g);
	return REASON_OK;
}
