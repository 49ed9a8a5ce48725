/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as an answer of a service: the parser says the same however they are
 * split, its fields lie inside the head and hold nothing that could end a line,
 * and the body's framing is one of those that it may have.  What comes behind the
 * head goes through the search for a secret, which loses and invents no byte.
 */
#include "core/http1-response.h"
#include "core/needle.h"
#include "fuzz.h"

static struct http1_response whole, parts;

static enum reason parse_parts(const uint8_t *data, size_t size, uint32_t seed,
			       size_t *ret_used)
{
	size_t at = 0;

	http1_response_init(&parts);
	while (at < size && !parts.done) {
		size_t part = next_part(&seed, size - at), used;
		enum reason reason =
			http1_response_feed(&parts, data + at, part, &used);

		if (reason != REASON_OK)
			return reason;
		demand(used == part || parts.done);
		at += used;
	}
	*ret_used = at;
	return REASON_OK;
}

static void check_head(void)
{
	demand(whole.status >= 200 && whole.status <= 599);
	demand(whole.length + whole.skipped <= LIMIT_RESPONSE_HEAD);
	demand(whole.n_fields <= LIMIT_RESPONSE_FIELDS);
	demand(!whole.keep_alive || whole.body != HTTP1_BODY_UNTIL_CLOSE);
	demand(whole.body != HTTP1_BODY_LENGTH ||
	       whole.content_length <= 999999999999999999u);
	for (size_t i = 0; i < whole.n_fields; i++) {
		const struct http1_response_field *field = &whole.fields[i];

		demand(field->name_length > 0);
		demand((size_t)field->name + field->name_length < field->value);
		demand((size_t)field->value + field->value_length <= whole.length - 4);
		for (size_t j = 0; j < field->value_length; j++) {
			uint8_t byte = whole.head[field->value + j];

			demand((byte >= 0x20 && byte != 0x7f) || byte == '\t');
		}
		for (size_t j = 0; j < field->name_length; j++) {
			uint8_t byte = whole.head[field->name + j];

			demand(byte > 0x20 && byte < 0x7f &&
			       !(byte >= 'A' && byte <= 'Z'));
		}
	}
}

/* The first bytes are the secret, the rest is the stream. */
static void check_needle(const uint8_t *data, size_t size, uint32_t seed)
{
	size_t length = 1 + seed % 16, at = 0, out = 0;
	struct needle needle;
	bool clean = true;

	if (size <= length)
		return;
	needle_init(&needle, data, length);
	data += length;
	size -= length;
	while (at < size && clean) {
		size_t part = next_part(&seed, size - at);
		struct needle_release release;

		clean = needle_feed(&needle, data + at, part, &release);
		if (!clean)
			break;
		demand(release.held + release.piece <= size - out);
		demand(memcmp(data + out, needle.bytes, release.held) == 0);
		out += release.held;
		demand(release.piece == 0 || out == at);
		out += release.piece;
		at += part;
	}
	demand(clean == (memmem(data, size, needle.bytes, length) == NULL));
	if (clean) {
		demand(out + needle.matched == size);
		demand(memcmp(data + out, needle.bytes, needle.matched) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t used = 0, used_parts = 0;
	uint32_t seed = seed_of(data, size);
	enum reason reason;

	http1_response_init(&whole);
	reason = http1_response_feed(&whole, data, size, &used);
	demand(parse_parts(data, size, seed, &used_parts) == reason);
	demand(whole.done == parts.done && whole.detail == parts.detail);
	demand(reason == REASON_OK || (whole.detail && !whole.done));
	if (whole.done) {
		demand(used == used_parts && used <= size);
		demand(whole.n_fields == parts.n_fields && whole.body == parts.body);
		demand(memcmp(whole.fields, parts.fields,
			      whole.n_fields * sizeof(whole.fields[0])) == 0);
		check_head();
		data += used;
		size -= used;
	}
	check_needle(data, size, seed);
	return 0;
}
