/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a request: what the parser gives lies inside them, holds nothing
 * that could end a line, leaves no doubt about where the request ends, and is
 * the same however the bytes are split.  A chunked body behind a head likewise.
 */
#include "core/http1-chunked.h"
#include "core/http1.h"
#include "fuzz.h"

static enum reason parse(struct http1_head *head, const uint8_t *data, size_t size)
{
	uint8_t *copy = copy_of(data, size);
	enum reason reason = http1_head_parse(head, copy, size);

	free(copy);
	return reason;
}

static void check_slice(const struct http1_head *head, const uint8_t *data,
			struct http1_slice slice)
{
	demand((size_t)slice.offset + slice.length <= head->scanned);
	for (size_t i = 0; i < slice.length; i++) {
		uint8_t byte = data[slice.offset + i];

		demand(byte >= 0x20 || byte == '\t');
	}
}

static void check_head(const struct http1_head *head, const uint8_t *data, size_t size)
{
	size_t hosts = 0;

	demand(head->scanned <= size && head->scanned <= LIMIT_HTTP_HEAD);
	demand(memcmp(data + head->scanned - 4, "\r\n\r\n", 4) == 0);
	demand(!(head->chunked && head->has_length));
	demand(head->has_length || head->content_length == 0);
	demand(head->n_fields <= LIMIT_HTTP_HEADERS);
	demand(head->path.length > 0 && data[head->path.offset] == '/');
	check_slice(head, data, head->method_name);
	check_slice(head, data, head->path);
	check_slice(head, data, head->query);
	for (size_t i = 0; i < head->n_fields; i++) {
		demand(head->fields[i].name.length > 0);
		check_slice(head, data, head->fields[i].name);
		check_slice(head, data, head->fields[i].value);
	}
	for (size_t i = http1_head_find(head, data, "host", 0); i < head->n_fields;
	     i = http1_head_find(head, data, "host", i + 1))
		hosts++;
	demand(hosts == 1);
}

struct body {
	enum reason reason;
	bool done;
	size_t used, length;
	uint64_t sum; /* of the data, depends on their order */
};

static void decode(struct http1_chunked *c, const uint8_t *data, size_t size,
		   struct body *body)
{
	size_t at = 0;

	while (at < size && !c->done && body->reason == REASON_OK) {
		const uint8_t *piece;
		size_t used, length;

		body->reason = http1_chunked_feed(c, data + at, size - at, &used,
						  &piece, &length);
		if (body->reason != REASON_OK)
			return;
		demand(used > 0 && used <= size - at);
		if (length) {
			demand(piece >= data + at &&
			       piece + length <= data + at + used);
		}
		for (size_t i = 0; i < length; i++)
			body->sum = body->sum * 31 + piece[i];
		body->length += length;
		at += used;
	}
	body->used += at;
	body->done = c->done;
}

static void check_body(const uint8_t *data, size_t size, uint32_t seed)
{
	struct body whole = {REASON_OK}, parts = {REASON_OK};
	struct http1_chunked c;

	http1_chunked_init(&c);
	decode(&c, data, size, &whole);
	http1_chunked_init(&c);
	for (size_t at = 0, n; at < size && parts.reason == REASON_OK; at += n) {
		n = next_part(&seed, size - at);
		decode(&c, data + at, n, &parts);
	}
	demand(whole.reason == parts.reason && whole.done == parts.done);
	demand(whole.length == parts.length && whole.sum == parts.sum);
	demand(!whole.done || whole.used == parts.used);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http1_head whole, parts;
	uint32_t seed = seed_of(data, size);
	enum reason reason, other = REASON_OK;

	http1_head_init(&whole);
	reason = parse(&whole, data, size);
	http1_head_init(&parts);
	for (size_t at = 0; at < size && other == REASON_OK && !parts.done;) {
		at += next_part(&seed, size - at);
		other = parse(&parts, data, at);
	}
	demand(reason == other && whole.done == parts.done &&
	       whole.detail == parts.detail);
	demand(reason == REASON_OK || whole.detail != NULL);
	if (reason != REASON_OK || !whole.done)
		return 0;
	demand(whole.scanned == parts.scanned && whole.n_fields == parts.n_fields);
	demand(memcmp(whole.fields, parts.fields, sizeof(whole.fields)) == 0);
	check_head(&whole, data, size);
	if (whole.chunked)
		check_body(data + whole.scanned, size - whole.scanned, seed);
	return 0;
}
