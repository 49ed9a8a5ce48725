/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/http1-response.h"

#include <string.h>

#include "core/http1-lexis.h"

_Static_assert(LIMIT_RESPONSE_HEAD <= UINT16_MAX + 1, "places are 16 bits wide");

void http1_response_init(struct http1_response *response)
{
	/* Not head[]: only its first `length` bytes are ever looked at. */
	memset(response, 0, offsetof(struct http1_response, head));
}

static enum reason refuse(struct http1_response *response, const char *detail)
{
	response->detail = detail;
	return REASON_UPSTREAM_PROTOCOL;
}

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/* What a field value or a reason phrase may hold. */
static bool is_text(uint8_t byte)
{
	return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

/* HTTP/1.1 200 OK; the phrase, and the space before it, may be missing. */
static enum reason status_line(struct http1_response *response, const uint8_t *line,
			       size_t length)
{
	if (length < 12 || memcmp(line, "HTTP/1.", 7) != 0 ||
	    (line[7] != '0' && line[7] != '1') || line[8] != ' ' ||
	    !is_digit(line[9]) || !is_digit(line[10]) || !is_digit(line[11]) ||
	    (length > 12 && line[12] != ' '))
		return refuse(response, "the answer does not begin with an HTTP/1.1 "
					"status line");
	for (size_t i = 12; i < length; i++)
		if (!is_text(line[i]))
			return refuse(response, "the status line holds a control byte");
	response->version = line[7] - '0';
	response->status = (uint16_t)((line[9] - '0') * 100 + (line[10] - '0') * 10 +
				      (line[11] - '0'));
	if (response->status < 100 || response->status > 599)
		return refuse(response, "the status is not between 100 and 599");
	if (response->status == 101)
		return refuse(response, "the service changes to another protocol");
	return REASON_OK;
}

static enum reason field_line(struct http1_response *response, size_t begin, size_t end)
{
	uint8_t *head = response->head;
	struct http1_response_field *field;
	size_t colon = begin, value;

	if (response->n_fields == LIMIT_RESPONSE_FIELDS)
		return refuse(response, "the head has too many fields");
	while (colon < end && http1_is_token(head[colon])) {
		head[colon] = http1_lower(head[colon]);
		colon++;
	}
	if (colon == begin || colon == end || head[colon] != ':')
		return refuse(response, "a line of the head is not `name: value`");
	value = colon + 1;
	while (value < end && http1_is_blank(head[value]))
		value++;
	while (end > value && http1_is_blank(head[end - 1]))
		end--;
	for (size_t i = value; i < end; i++)
		if (!is_text(head[i]))
			return refuse(response,
				      "a field of the head holds a control byte");
	field = &response->fields[response->n_fields++];
	*field = (struct http1_response_field){
		.name = (uint16_t)begin,
		.name_length = (uint16_t)(colon - begin),
		.value = (uint16_t)value,
		.value_length = (uint16_t)(end - value),
	};
	return REASON_OK;
}

static enum reason content_length(struct http1_response *response, const uint8_t *value,
				  size_t length)
{
	uint64_t number = 0;

	if (response->body == HTTP1_BODY_LENGTH)
		return refuse(response, "the head has two Content-Length");
	/* 18 digits cannot overflow. */
	if (length < 1 || length > 18)
		return refuse(response, "Content-Length is no number that makes sense");
	for (size_t i = 0; i < length; i++) {
		if (!is_digit(value[i]))
			return refuse(response,
				      "Content-Length holds more than digits");
		number = number * 10 + (value[i] - '0');
	}
	response->content_length = number;
	response->body = HTTP1_BODY_LENGTH;
	return REASON_OK;
}

/* RFC 9112 6.3, for the answer to a POST. */
static enum reason finish(struct http1_response *response)
{
	bool chunked = false;
	enum reason reason;

	response->body = HTTP1_BODY_UNTIL_CLOSE;
	response->keep_alive = response->version == 1;
	for (size_t i = 0; i < response->n_fields; i++) {
		const struct http1_response_field *field = &response->fields[i];
		const uint8_t *name = response->head + field->name;
		const uint8_t *value = response->head + field->value;
		size_t length = field->value_length;

		if (http1_same(name, field->name_length, "content-length")) {
			reason = content_length(response, value, length);
			if (reason != REASON_OK)
				return reason;
		} else if (http1_same(name, field->name_length, "transfer-encoding")) {
			if (chunked || !http1_same(value, length, "chunked"))
				return refuse(response, "the transfer coding is not "
							"exactly `chunked`");
			chunked = true;
		} else if (http1_same(name, field->name_length, "connection")) {
			if (http1_list_has(value, length, "close"))
				response->keep_alive = false;
		} else if (http1_same(name, field->name_length, "content-encoding")) {
			if (length > 0 && !http1_same(value, length, "identity"))
				return refuse(response, "the body has a content coding "
							"that was not asked for");
		}
	}
	if (chunked && (response->version == 0 || response->body == HTTP1_BODY_LENGTH))
		return refuse(response, "the length of the body is not unambiguous");
	if (chunked)
		response->body = HTTP1_BODY_CHUNKED;
	if (response->status == 204 || response->status == 304)
		response->body = HTTP1_BODY_NONE;
	if (response->body == HTTP1_BODY_UNTIL_CLOSE)
		response->keep_alive = false;
	response->done = true;
	return REASON_OK;
}

static enum reason skip_interim(struct http1_response *response)
{
	uint8_t interim = response->interim;
	size_t skipped = response->skipped + response->length;

	if (interim == LIMIT_RESPONSE_INTERIM)
		return refuse(response, "there are too many interim responses");
	http1_response_init(response);
	response->interim = interim + 1;
	response->skipped = skipped;
	return REASON_OK;
}

/* The line in head[line..length), which ends with LF. */
static enum reason take_line(struct http1_response *response)
{
	size_t begin = response->line;
	size_t end = response->length - 1;

	if (end == begin || response->head[end - 1] != '\r')
		return refuse(response, "a line of the head does not end with CR LF");
	end--;
	response->line = response->length;
	if (begin == 0)
		return status_line(response, response->head, end);
	if (end > begin)
		return field_line(response, begin, end);
	if (response->status < 200)
		return skip_interim(response);
	return finish(response);
}

enum reason http1_response_feed(struct http1_response *response, const uint8_t *in,
				size_t length, size_t *ret_used)
{
	size_t used = 0;

	if (response->detail)
		return REASON_UPSTREAM_PROTOCOL;
	while (used < length && !response->done) {
		uint8_t byte = in[used];

		if (response->skipped + response->length == LIMIT_RESPONSE_HEAD)
			return refuse(response, "the head is too long");
		response->head[response->length++] = byte;
		used++;
		if (byte == '\n') {
			enum reason reason = take_line(response);

			if (reason != REASON_OK)
				return reason;
		}
	}
	*ret_used = used;
	return REASON_OK;
}
