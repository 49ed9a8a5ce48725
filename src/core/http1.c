/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/http1.h"

#include <string.h>

#include "core/http1-lexis.h"

_Static_assert(LIMIT_HTTP_HEAD <= UINT16_MAX, "offsets of slices have 16 bits");

/* What URIs are made of besides letters and digits (RFC 3986 3.2, 3.3, 3.4). */
static const char target_bytes[] = "-._~%!$&'()*+,;=:@/?";
static const char host_bytes[] = "-._~%!$&'()*+,;=:[]";

static bool is_made_of(const uint8_t *bytes, size_t length, const char *others)
{
	for (size_t i = 0; i < length; i++)
		if (!http1_is_alphanumeric(bytes[i]) &&
		    !memchr(others, bytes[i], strlen(others)))
			return false;
	return length > 0;
}

static bool is_token(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!http1_is_token(bytes[i]))
			return false;
	return length > 0;
}

static struct http1_slice slice(size_t start, size_t end)
{
	return (struct http1_slice){(uint16_t)start, (uint16_t)(end - start)};
}

static enum reason fail(struct http1_head *head, enum reason reason, const char *detail)
{
	head->failed = reason;
	head->detail = detail;
	return reason;
}

/* The request can be answered and the next one read. */
static enum reason object_to(struct http1_head *head, enum reason reason,
			     const char *detail)
{
	if (head->refusal == REASON_OK) {
		head->refusal = reason;
		head->detail = detail;
	}
	return REASON_OK;
}

static enum reason bad_request_line(struct http1_head *head)
{
	return fail(
		head, REASON_HTTP_MALFORMED,
		"the request line is not `METHOD TARGET HTTP/1.1` with single spaces");
}

static enum reason parse_version(struct http1_head *head, const uint8_t *version,
				 size_t length)
{
	if (length == 8 && memcmp(version, "HTTP/1.1", 8) == 0)
		return REASON_OK;
	if (head->for_proxy && length == 8 && memcmp(version, "HTTP/1.0", 8) == 0)
		return REASON_OK;
	if (length == 8 && memcmp(version, "HTTP/", 5) == 0 && version[6] == '.')
		return fail(head, REASON_HTTP_VERSION,
			    "the request has another version");
	return bad_request_line(head);
}

static void parse_method(struct http1_head *head, const uint8_t *buffer)
{
	static const struct {
		const char *name;
		enum http1_method method;
	} known[] = {
		{"GET", HTTP1_GET},
		{"HEAD", HTTP1_HEAD},
		{"POST", HTTP1_POST},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (http1_slice_is(buffer, head->method_name, known[i].name))
			head->method = known[i].method;
}

static enum reason parse_target(struct http1_head *head, const uint8_t *buffer,
				size_t start, size_t end)
{
	const uint8_t *mark;
	size_t path_end = end;

	if (head->for_proxy) {
		head->path = slice(start, end);
		return REASON_OK;
	}
	if (start == end || buffer[start] != '/')
		return fail(head, REASON_HTTP_MALFORMED,
			    "the request target does not begin with `/`");
	if (!is_made_of(buffer + start, end - start, target_bytes))
		return fail(head, REASON_HTTP_MALFORMED,
			    "the request target has a byte that no URI has");
	mark = memchr(buffer + start, '?', end - start);
	if (mark)
		path_end = (size_t)(mark - buffer);
	head->path = slice(start, path_end);
	head->query = slice(mark ? path_end + 1 : end, end);
	return REASON_OK;
}

static enum reason parse_request_line(struct http1_head *head, const uint8_t *buffer,
				      size_t start, size_t end)
{
	const uint8_t *first = memchr(buffer + start, ' ', end - start);
	const uint8_t *second;
	size_t target, target_end;
	enum reason reason;

	if (!first)
		return bad_request_line(head);
	target = (size_t)(first - buffer) + 1;
	second = memchr(buffer + target, ' ', end - target);
	if (!second)
		return bad_request_line(head);
	target_end = (size_t)(second - buffer);
	reason = parse_version(head, second + 1, end - target_end - 1);
	if (reason != REASON_OK)
		return reason;
	if (!is_token(buffer + start, target - 1 - start))
		return fail(head, REASON_HTTP_MALFORMED, "the method is not a token");
	reason = parse_target(head, buffer, target, target_end);
	if (reason != REASON_OK)
		return reason;
	head->method_name = slice(start, target - 1);
	parse_method(head, buffer);
	head->had_request_line = true;
	return REASON_OK;
}

/* The two fields that say where a request ends are accepted as every client
 * writes them only. */
static bool is_plain(const uint8_t *buffer, size_t colon, size_t end,
		     struct http1_slice value)
{
	return value.offset + (size_t)value.length == end &&
	       value.offset - colon <= 2 &&
	       (value.offset - colon == 1 || buffer[colon + 1] == ' ');
}

static enum reason parse_length(struct http1_head *head, const uint8_t *value,
				size_t length)
{
	uint64_t number = 0;

	if (head->has_length)
		return fail(head, REASON_HTTP_FRAMING,
			    "there are two Content-Length fields");
	if (length == 0)
		return fail(head, REASON_HTTP_FRAMING, "Content-Length is empty");
	for (size_t i = 0; i < length; i++) {
		uint8_t digit = (uint8_t)(value[i] - '0');

		if (digit > 9)
			return fail(head, REASON_HTTP_FRAMING,
				    "Content-Length is not a number");
		if (number > (UINT64_MAX - digit) / 10)
			return fail(head, REASON_HTTP_FRAMING,
				    "Content-Length does not fit 64 bits");
		number = number * 10 + digit;
	}
	head->has_length = true;
	head->content_length = number;
	return REASON_OK;
}

static enum reason parse_coding(struct http1_head *head, const uint8_t *value,
				size_t length)
{
	if (head->has_coding)
		return fail(head, REASON_HTTP_FRAMING,
			    "there are two Transfer-Encoding fields");
	head->has_coding = true;
	if (!http1_same(value, length, "chunked"))
		return fail(head, REASON_HTTP_FRAMING,
			    "Transfer-Encoding is not exactly `chunked`");
	head->chunked = true;
	return REASON_OK;
}

static enum reason parse_host(struct http1_head *head, const uint8_t *value,
			      size_t length)
{
	if (head->has_host)
		return fail(head, REASON_HTTP_MALFORMED, "there are two Host fields");
	head->has_host = true;
	if (!is_made_of(value, length, host_bytes))
		return fail(head, REASON_HTTP_MALFORMED, "Host is not a host and port");
	return REASON_OK;
}

static enum reason parse_expect(struct http1_head *head, const uint8_t *value,
				size_t length)
{
	if (!http1_same(value, length, "100-continue"))
		return object_to(head, REASON_HTTP_EXPECTATION,
				 "Expect is not exactly `100-continue`");
	head->expects_continue = true;
	return REASON_OK;
}

/* What a field means for the reading of this request. */
static enum reason parse_known_field(struct http1_head *head, const uint8_t *buffer,
				     size_t colon, size_t end,
				     const struct http1_field *field)
{
	const uint8_t *name = buffer + field->name.offset;
	const uint8_t *value = buffer + field->value.offset;
	size_t name_length = field->name.length, length = field->value.length;
	bool is_length = http1_same(name, name_length, "content-length");
	bool is_coding = http1_same(name, name_length, "transfer-encoding");

	if ((is_length || is_coding) && !is_plain(buffer, colon, end, field->value))
		return fail(head, REASON_HTTP_FRAMING,
			    is_length
				    ? "there is white space around Content-Length"
				    : "there is white space around Transfer-Encoding");
	if (is_length)
		return parse_length(head, value, length);
	if (is_coding)
		return parse_coding(head, value, length);
	if (http1_same(name, name_length, "host"))
		return parse_host(head, value, length);
	if (http1_same(name, name_length, "connection") &&
	    http1_list_has(value, length, "close"))
		head->close = true;
	if (http1_same(name, name_length, "expect"))
		return parse_expect(head, value, length);
	/* RFC 9110 7.8 lets a server ignore the wish for another protocol.  That
	 * is what clients that offer HTTP/2 on the way count on; those that want
	 * a WebSocket turn to HTTP at once when they are told. */
	if (http1_same(name, name_length, "upgrade") &&
	    !http1_same(value, length, "h2c"))
		return object_to(head, REASON_HTTP_UPGRADE,
				 "the request has an Upgrade field");
	if (http1_same(name, name_length, "content-encoding") &&
	    !http1_same(value, length, "identity"))
		return object_to(head, REASON_HTTP_ENCODED,
				 "Content-Encoding is not identity");
	return REASON_OK;
}

static enum reason parse_field(struct http1_head *head, const uint8_t *buffer,
			       size_t start, size_t end)
{
	const uint8_t *at = memchr(buffer + start, ':', end - start);
	struct http1_field *field;
	size_t colon, value_start, value_end = end;

	if (http1_is_blank(buffer[start]))
		return fail(head, REASON_HTTP_MALFORMED,
			    "a field is folded over two lines");
	if (!at)
		return fail(head, REASON_HTTP_MALFORMED, "a field has no colon");
	colon = (size_t)(at - buffer);
	if (!is_token(buffer + start, colon - start))
		return fail(head, REASON_HTTP_MALFORMED,
			    "a field's name is empty or not a token (is there white "
			    "space before the colon?)");
	if (head->n_fields == LIMIT_HTTP_HEADERS)
		return fail(head, REASON_HTTP_HEAD_TOO_LARGE,
			    "there are too many fields");
	value_start = colon + 1;
	while (value_start < value_end && http1_is_blank(buffer[value_start]))
		value_start++;
	while (value_end > value_start && http1_is_blank(buffer[value_end - 1]))
		value_end--;
	field = &head->fields[head->n_fields++];
	field->name = slice(start, colon);
	field->value = slice(value_start, value_end);
	return parse_known_field(head, buffer, colon, end, field);
}

static enum reason parse_end(struct http1_head *head)
{
	if (!head->has_host && !head->for_proxy)
		return fail(head, REASON_HTTP_MALFORMED, "there is no Host field");
	if (head->has_length && head->has_coding)
		return fail(head, REASON_HTTP_FRAMING,
			    "there are both Content-Length and Transfer-Encoding");
	head->done = true;
	return REASON_OK;
}

/* The line from `start` up to its CR at `end`. */
static enum reason parse_line(struct http1_head *head, const uint8_t *buffer,
			      size_t start, size_t end)
{
	if (head->had_request_line)
		return start == end ? parse_end(head)
				    : parse_field(head, buffer, start, end);
	if (start != end)
		return parse_request_line(head, buffer, start, end);
	if (head->had_empty_line)
		return fail(head, REASON_HTTP_MALFORMED,
			    "there are empty lines before the request");
	head->had_empty_line = true;
	return REASON_OK;
}

static enum reason scan_byte(struct http1_head *head, const uint8_t *buffer)
{
	size_t at = head->scanned++;
	uint8_t byte = buffer[at];

	if (head->after_cr) {
		size_t start = head->line;

		if (byte != '\n')
			return fail(head, REASON_HTTP_MALFORMED,
				    "a CR is not followed by LF");
		head->after_cr = false;
		head->line = at + 1;
		return parse_line(head, buffer, start, at - 1);
	}
	if (byte == '\r') {
		head->after_cr = true;
		return REASON_OK;
	}
	if (byte == '\n')
		return fail(head, REASON_HTTP_MALFORMED,
			    "a line ends with LF without CR");
	if ((byte < 0x20 && byte != '\t') || byte == 0x7f)
		return fail(head, REASON_HTTP_MALFORMED, "there is a control byte");
	if (!head->had_request_line && at - head->line >= LIMIT_HTTP_REQUEST_LINE)
		return fail(head, REASON_HTTP_HEAD_TOO_LARGE,
			    "the request line is longer than 8000 bytes");
	return REASON_OK;
}

void http1_head_init(struct http1_head *head)
{
	*head = (struct http1_head){.method = HTTP1_OTHER};
}

void http1_head_init_proxy(struct http1_head *head)
{
	*head = (struct http1_head){.method = HTTP1_OTHER, .for_proxy = true};
}

enum reason http1_head_parse(struct http1_head *head, const uint8_t *buffer,
			     size_t length)
{
	enum reason reason = head->failed;

	while (reason == REASON_OK && !head->done && head->scanned < length &&
	       head->scanned < LIMIT_HTTP_HEAD)
		reason = scan_byte(head, buffer);
	if (reason == REASON_OK && !head->done && head->scanned == LIMIT_HTTP_HEAD)
		reason = fail(head, REASON_HTTP_HEAD_TOO_LARGE,
			      "the head is longer than 32 KiB");
	return reason;
}

size_t http1_head_find(const struct http1_head *head, const uint8_t *buffer,
		       const char *name, size_t from)
{
	size_t i = from;

	while (i < head->n_fields) {
		const struct http1_slice found = head->fields[i].name;

		if (http1_same(buffer + found.offset, found.length, name))
			break;
		i++;
	}
	return i;
}

bool http1_slice_is(const uint8_t *buffer, struct http1_slice slice, const char *text)
{
	return slice.length == strlen(text) &&
	       memcmp(buffer + slice.offset, text, slice.length) == 0;
}
