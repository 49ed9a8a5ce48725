/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gateway/gateway-status.h"
#include "gateway/gateway.h"
#include "os/handover.h"
#include "os/ledger.h"
#include "os/report.h"

/* A head of about 300 bytes, and a body with one detail or three model names
 * of which each byte may need six. */
#define ANSWER_BYTES 4096
/* escape_bytes() makes up to four bytes of one. */
#define ESCAPED_BYTES (4 * LIMIT_DETAIL + 1)
/* Enough to see what an agent tries; more would fill the journal. */
#define MAX_EVENTS 100

struct text {
	char bytes[ANSWER_BYTES];
	size_t used;
};

static void __attribute__((format(printf, 2, 3)))
add(struct text *text, const char *format, ...)
{
	size_t room = sizeof(text->bytes) - text->used;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text->bytes + text->used, room, format, arguments);
	va_end(arguments);
	if (n > 0)
		text->used += (size_t)n < room ? (size_t)n : room - 1;
}

/* The inside of a JSON string (RFC 8259 7); `value` is UTF-8. */
static void add_json(struct text *text, const char *value)
{
	for (; *value; value++) {
		unsigned char byte = (unsigned char)*value;

		if (byte == '"' || byte == '\\')
			add(text, "\\%c", byte);
		else if (byte < 0x20)
			add(text, "\\u%04x", byte);
		else
			add(text, "%c", byte);
	}
}

static enum reason send_answer(struct gateway *g, const struct request *request,
			       const char *status, const char *fields,
			       const struct text *body, bool close)
{
	bool head_only = request && request->method == HTTP1_HEAD;
	struct text answer = {.used = 0};
	char left[LEDGER_FIELDS];

	ledger_fields(g->ledger, &g->policy->limits, left);
	add(&answer, "HTTP/1.1 %s\r\nContent-Type: application/json\r\n", status);
	add(&answer, "Content-Length: %zu\r\n%s%s%s\r\n", body->used, left, fields,
	    close ? "Connection: close\r\n" : "");
	if (!head_only)
		add(&answer, "%s", body->bytes);
	return gateway_send(g, answer.bytes, answer.used);
}

static void tell_supervisor(struct gateway *g, enum reason reason, const char *detail)
{
	struct report event = {
		.kind = HANDOVER_GATEWAY,
		.connection = g->report.connection,
	};

	if (g->refused <= MAX_EVENTS)
		report_send(&event, REPORT_EVENT, reason, "%s", detail);
}

/* What may be different when the same request comes again. */
static bool is_worth_retrying(enum reason reason)
{
	return reason == REASON_UPSTREAM_UNREACHABLE ||
	       reason == REASON_UPSTREAM_TIMEOUT;
}

/* An API's own clients show the message of an error of its own form only. */
static void add_error(struct text *body, enum wire wire, const struct status *status,
		      enum reason reason, const char *detail)
{
	char escaped[ESCAPED_BYTES];

	escape_bytes(detail, strlen(detail), escaped, sizeof(escaped));
	if (wire == WIRE_OPENAI)
		add(body, "{\"error\":{\"message\":\"anet: ");
	else
		add(body,
		    "{\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"anet:"
		    " ",
		    status->anthropic);
	add_json(body, reason_sentence(reason));
	if (*escaped) {
		add(body, " [");
		add_json(body, escaped);
		add(body, "]");
	}
	if (wire == WIRE_OPENAI)
		add(body, "\",\"type\":\"%s\",\"param\":null,\"code\":\"%s\"",
		    status_openai(status->status), reason_code(reason));
	else
		add(body, "\"");
	add(body, "}}\n");
}

/* Codex asks again after 403, and not after 400; Claude Code does the opposite. */
static int status_of(enum wire wire, enum reason reason)
{
	int status = reason_http_status(reason);

	return wire == WIRE_OPENAI && status == 403 ? 400 : status;
}

enum reason gateway_refuse(struct gateway *g, const struct request *request,
			   enum reason reason, const char *detail, bool close)
{
	enum wire wire = (enum wire)g->policy->wire;
	const struct status *row = status_find(status_of(wire, reason));
	struct text body = {.used = 0}, fields = {.used = 0};
	char line[64];

	assert(row);
	g->refused++;
	if (!(request && request->told))
		tell_supervisor(g, reason, detail);
	snprintf(line, sizeof(line), "%d %s", row->status, row->phrase);
	add_error(&body, wire, row, reason, detail);

	add(&fields, "anet-reason: %s\r\n", reason_code(reason));
	if (!is_worth_retrying(reason))
		add(&fields, "x-should-retry: false\r\n");
	if (reason == REASON_HTTP_METHOD && request && request->route)
		add(&fields, "Allow: %s\r\n", route_methods(request->route));
	/* RFC 9110 15.5.22 wants to know what to upgrade to, 7.8 that it is told. */
	if (reason == REASON_HTTP_UPGRADE)
		add(&fields, "Upgrade: HTTP/1.1\r\nConnection: Upgrade\r\n");
	return send_answer(g, request, line, fields.bytes, &body, close);
}

/* As OpenAI's GET /v1/models, with what this session may use. */
static void add_models_openai(struct text *body, const char *model)
{
	add(body, "{\"object\":\"list\",\"data\":[");
	if (*model) {
		add(body, "{\"id\":\"");
		add_json(body, model);
		add(body,
		    "\",\"object\":\"model\",\"created\":0,\"owned_by\":\"anet\"}");
	}
	add(body, "]}\n");
}

/* As Anthropic's. */
static void add_models_anthropic(struct text *body, const char *model)
{
	if (!*model) {
		add(body, "{\"data\":[],\"has_more\":false,\"first_id\":null,"
			  "\"last_id\":null}\n");
		return;
	}
	add(body, "{\"data\":[{\"type\":\"model\",\"id\":\"");
	add_json(body, model);
	add(body, "\",\"display_name\":\"");
	add_json(body, model);
	/* The API gives the epoch where it does not know the date. */
	add(body, "\",\"created_at\":\"1970-01-01T00:00:00Z\"}],"
		  "\"has_more\":false,\"first_id\":\"");
	add_json(body, model);
	add(body, "\",\"last_id\":\"");
	add_json(body, model);
	add(body, "\"}\n");
}

enum reason gateway_answer_locally(struct gateway *g, const struct request *request)
{
	struct text body = {.used = 0};

	if (request->route->models && g->policy->wire == WIRE_OPENAI)
		add_models_openai(&body, g->policy->model);
	else if (request->route->models)
		add_models_anthropic(&body, g->policy->model);
	else
		add(&body, "{}\n");
	return send_answer(g, request, "200 OK", "", &body, request->close);
}
