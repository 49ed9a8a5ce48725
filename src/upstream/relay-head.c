/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/relay-head.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/rules-headers.h"
#include "os/ledger.h"

/* RFC 9110 15, and 529, "overloaded".  The service's own phrase is its text. */
static const struct phrase {
	uint16_t status;
	const char *text;
} phrases[] = {
	{200, "OK"},
	{400, "Bad Request"},
	{404, "Not Found"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{413, "Content Too Large"},
	{422, "Unprocessable Content"},
	{429, "Too Many Requests"},
	{500, "Internal Server Error"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{504, "Gateway Timeout"},
	{529, "Overloaded"},
};

static const char *phrase_of(uint16_t status)
{
	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
		if (phrases[i].status == status)
			return phrases[i].text;
	return ""; /* may be empty, RFC 9112 4 */
}

/* Text beyond ASCII means nothing in these fields. */
static bool is_ascii(const uint8_t *value, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (value[i] < 0x20 || value[i] > 0x7e)
			return false;
	return true;
}

__attribute__((format(printf, 2, 3))) static bool append(struct relay *relay,
							 const char *format, ...)
{
	size_t room = sizeof(relay->text) - relay->text_length;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(relay->text + relay->text_length, room, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= room)
		return false;
	relay->text_length += (size_t)length;
	return true;
}

static bool append_framing(struct relay *relay)
{
	switch (relay->head.body) {
	case HTTP1_BODY_NONE:
		break;
	case HTTP1_BODY_LENGTH:
		if (!append(relay, "content-length: %ju\r\n",
			    (uintmax_t)relay->head.content_length))
			return false;
		break;
	case HTTP1_BODY_CHUNKED:
	case HTTP1_BODY_UNTIL_CLOSE:
		if (!append(relay, "transfer-encoding: chunked\r\n"))
			return false;
		break;
	}
	return append(relay, relay->last ? "connection: close\r\n\r\n" : "\r\n");
}

static bool is_name(const struct relay *relay, const struct http1_response_field *field,
		    const char *name)
{
	return field->name_length == strlen(name) &&
	       memcmp(relay->head.head + field->name, name, strlen(name)) == 0;
}

static enum reason refuse_echo(const struct relay *relay,
			       const struct http1_response_field *field,
			       struct failure *failure)
{
	return failure_set(failure, REASON_UPSTREAM_KEY_ECHO, "its header field '%.*s'",
			   field->name_length,
			   (const char *)relay->head.head + field->name);
}

/* SPEC S6.9 knows no other address, and an agent could not reach it.  Where it is
 * goes to the operator only: a peer could learn names of his network. */
static enum reason refuse_redirect(struct relay *relay, struct failure *failure)
{
	const struct http1_response *head = &relay->head;

	for (size_t i = 0; i < head->n_fields; i++) {
		const struct http1_response_field *field = &head->fields[i];
		const uint8_t *value = head->head + field->value;
		size_t length = field->value_length;

		if (relay->policy->profile != PROFILE_OWN ||
		    !is_name(relay, field, "location") || !is_ascii(value, length))
			continue;
		if (needle_in(&relay->needle, value, length))
			return refuse_echo(relay, field, failure);
		return failure_set(failure, REASON_UPSTREAM_REDIRECT,
				   "status %u to '%.*s'", head->status, (int)length,
				   (const char *)value);
	}
	return failure_set(failure, REASON_UPSTREAM_REDIRECT, "status %u",
			   head->status);
}

enum reason relay_head_write(struct relay *relay, struct failure *failure)
{
	const struct http1_response *head = &relay->head;
	char left[LEDGER_FIELDS];
	bool fits;

	if (head->status == 401 || head->status == 403)
		return failure_set(failure, REASON_UPSTREAM_CREDENTIAL,
				   "the model service answered with status %u",
				   head->status);
	if (head->status >= 300 && head->status < 400)
		return refuse_redirect(relay, failure);
	relay->text_length = 0;
	fits = append(relay, "HTTP/1.1 %u %s\r\n", head->status,
		      phrase_of(head->status));
	for (size_t i = 0; i < head->n_fields && fits; i++) {
		const struct http1_response_field *field = &head->fields[i];
		const char *name = (const char *)head->head + field->name;
		const uint8_t *value = head->head + field->value;
		size_t length = field->value_length;

		if (!rule_header_goes_back(name, field->name_length,
					   (enum wire)relay->policy->wire,
					   (enum profile)relay->policy->profile) ||
		    !is_ascii(value, length))
			continue;
		if (needle_in(&relay->needle, value, length))
			return refuse_echo(relay, field, failure);
		fits = append(relay, "%.*s: %.*s\r\n", field->name_length, name,
			      (int)length, (const char *)value);
	}
	ledger_fields(relay->ledger, &relay->policy->limits, left);
	if (!fits || !append(relay, "%s", left) || !append_framing(relay))
		return failure_set(failure, REASON_UPSTREAM_PROTOCOL,
				   "its header fields are longer than %d bytes",
				   RELAY_HEAD);
	return REASON_OK;
}
