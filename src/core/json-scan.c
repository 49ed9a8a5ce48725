/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One pass, no recursion, no heap.  A function that reads a part of the text
 * begins at its first byte and leaves `at` behind its last one, or at the byte
 * that is wrong.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "core/json-keys.h"
#include "core/json-scan.h"
#include "core/utf8.h"

/* What may stand next. */
enum expect {
	EXPECT_VALUE,
	EXPECT_VALUE_OR_END, /* after '[' */
	EXPECT_KEY,
	EXPECT_KEY_OR_END, /* after '{' */
	EXPECT_NEXT,	   /* after a value: ',' or the end of its container */
};

struct scan {
	const uint8_t *begin;
	const uint8_t *at;
	const uint8_t *end;
	struct json_keys keys;
	uint32_t nodes;
	uint32_t depth;
	/* Per open container: an object's number (its offset plus one), 0 for
	 * an array. */
	uint32_t object[LIMIT_JSON_DEPTH];
};

static uint8_t peek(const struct scan *scan)
{
	/* NUL is nowhere valid outside a string, nor in one. */
	return scan->at < scan->end ? *scan->at : 0;
}

static bool digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static void skip_space(struct scan *scan)
{
	while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\n' ||
					*scan->at == '\r' || *scan->at == '\t'))
		scan->at++;
}

static enum reason count_node(struct scan *scan)
{
	return ++scan->nodes > LIMIT_JSON_NODES ? REASON_JSON_NODES : REASON_OK;
}

static bool hex4(const struct scan *scan, uint32_t *ret)
{
	uint32_t value = 0;

	if (scan->end - scan->at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		uint8_t c = scan->at[i];
		uint8_t letter = c | 0x20;

		if (digit(c))
			value = value << 4 | (uint32_t)(c - '0');
		else if (letter >= 'a' && letter <= 'f')
			value = value << 4 | (uint32_t)(letter - 'a' + 10);
		else
			return false;
	}
	*ret = value;
	return true;
}

static enum reason unicode_escape(struct scan *scan, bool key)
{
	uint32_t code;

	if (!hex4(scan, &code))
		return REASON_JSON_SYNTAX;
	if ((code == 0 && key) || (code >= 0xdc00 && code <= 0xdfff))
		return REASON_JSON_STRING;
	scan->at += 4;
	if (code < 0xd800 || code > 0xdbff)
		return REASON_OK;
	if (scan->end - scan->at < 2 || scan->at[0] != '\\' || scan->at[1] != 'u')
		return REASON_JSON_STRING;
	scan->at += 2;
	if (!hex4(scan, &code))
		return REASON_JSON_SYNTAX;
	if (code < 0xdc00 || code > 0xdfff)
		return REASON_JSON_STRING;
	scan->at += 4;
	return REASON_OK;
}

static enum reason scan_escape(struct scan *scan, bool key)
{
	scan->at++;
	switch (peek(scan)) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		scan->at++;
		return REASON_OK;
	case 'u':
		scan->at++;
		return unicode_escape(scan, key);
	default:
		return REASON_JSON_SYNTAX;
	}
}

/* Whether one of eight bytes is a control character, a quote, a backslash or
 * not ASCII.  May err on the side of true behind such a byte. */
static bool any_special(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t quote = word ^ (ones * '"');
	uint64_t backslash = word ^ (ones * '\\');

	return (word | (word - ones * 0x20) | (quote - ones) | (backslash - ones)) &
	       (ones * 0x80);
}

/* Over the bytes of a string that stand for themselves.  Most of a body is
 * such text, so eight at a time. */
static void skip_plain(struct scan *scan)
{
	const uint8_t *at = scan->at;
	uint64_t word;

	for (; scan->end - at >= (ptrdiff_t)sizeof(word); at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (any_special(word))
			break;
	}
	while (at < scan->end && *at >= 0x20 && *at < 0x80 && *at != '"' && *at != '\\')
		at++;
	scan->at = at;
}

static enum reason scan_string(struct scan *scan, bool key)
{
	enum reason reason;
	size_t length;

	scan->at++;
	for (;;) {
		skip_plain(scan);
		switch (peek(scan)) {
		case '"':
			scan->at++;
			return REASON_OK;
		case '\\':
			reason = scan_escape(scan, key);
			if (reason)
				return reason;
			break;
		default:
			if (peek(scan) < 0x80)
				return REASON_JSON_SYNTAX; /* control character, or the
							      end */
			length = utf8_sequence(scan->at, scan->end);
			if (!length)
				return REASON_JSON_UTF8;
			scan->at += length;
		}
	}
}

static enum reason integer_fits(const uint8_t *at, const uint8_t *end)
{
	bool negative = *at == '-';
	uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;
	uint64_t value = 0;

	at += negative;
	if (negative && *at == '0')
		return REASON_JSON_NUMBER;
	for (; at < end; at++) {
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value) ||
		    value > limit)
			return REASON_JSON_NUMBER;
	}
	return REASON_OK;
}

static enum reason real_fits(const uint8_t *at, size_t length)
{
	char text[LIMIT_JSON_NUMBER + 1];

	memcpy(text, at, length);
	text[length] = '\0';
	/* In the C locale, which nothing here leaves. */
	return isfinite(strtod(text, NULL)) ? REASON_OK : REASON_JSON_NUMBER;
}

static bool skip_digits(struct scan *scan)
{
	const uint8_t *begin = scan->at;

	while (digit(peek(scan)))
		scan->at++;
	return scan->at > begin;
}

static enum reason scan_number(struct scan *scan)
{
	const uint8_t *begin = scan->at;
	bool integer = true;
	enum reason reason;

	if (peek(scan) == '-')
		scan->at++;
	if (peek(scan) == '0')
		scan->at++; /* a digit after it is refused as what comes next */
	else if (!skip_digits(scan))
		return REASON_JSON_SYNTAX;
	if (peek(scan) == '.') {
		integer = false;
		scan->at++;
		if (!skip_digits(scan))
			return REASON_JSON_SYNTAX;
	}
	if (peek(scan) == 'e' || peek(scan) == 'E') {
		integer = false;
		scan->at++;
		if (peek(scan) == '+' || peek(scan) == '-')
			scan->at++;
		if (!skip_digits(scan))
			return REASON_JSON_SYNTAX;
	}
	if (scan->at - begin > LIMIT_JSON_NUMBER)
		reason = REASON_JSON_NUMBER;
	else if (integer)
		reason = integer_fits(begin, scan->at);
	else
		reason = real_fits(begin, (size_t)(scan->at - begin));
	if (reason)
		scan->at = begin;
	return reason;
}

static enum reason scan_word(struct scan *scan, const char *word)
{
	for (; *word; word++, scan->at++)
		if (peek(scan) != (uint8_t)*word)
			return REASON_JSON_SYNTAX;
	return REASON_OK;
}

static enum reason scan_scalar(struct scan *scan)
{
	switch (peek(scan)) {
	case '"':
		return scan_string(scan, false);
	case 't':
		return scan_word(scan, "true");
	case 'f':
		return scan_word(scan, "false");
	case 'n':
		return scan_word(scan, "null");
	default:
		return scan_number(scan);
	}
}

static enum reason open_container(struct scan *scan, bool object)
{
	if (scan->depth == LIMIT_JSON_DEPTH)
		return REASON_JSON_DEPTH;
	scan->object[scan->depth++] =
		object ? (uint32_t)(scan->at - scan->begin) + 1 : 0;
	scan->at++;
	return REASON_OK;
}

static enum reason scan_value(struct scan *scan, enum expect *ret)
{
	enum reason reason = count_node(scan);
	uint8_t c = peek(scan);

	if (reason)
		return reason;
	if (c != '{' && c != '[') {
		*ret = EXPECT_NEXT;
		return scan_scalar(scan);
	}
	*ret = c == '{' ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
	return open_container(scan, c == '{');
}

static enum reason scan_key(struct scan *scan, enum expect *ret)
{
	const uint8_t *begin = scan->at;
	enum reason reason = count_node(scan);
	size_t length;

	if (reason)
		return reason;
	if (peek(scan) != '"')
		return REASON_JSON_SYNTAX;
	reason = scan_string(scan, true);
	if (reason)
		return reason;
	length = (size_t)(scan->at - begin) - 2;
	skip_space(scan);
	if (peek(scan) != ':')
		return REASON_JSON_SYNTAX;
	/* Only now: there is a colon for each key in the table. */
	if (!json_keys_add(&scan->keys, scan->object[scan->depth - 1],
			   (size_t)(begin + 1 - scan->begin), length)) {
		scan->at = begin;
		return REASON_JSON_DUPLICATE_KEY;
	}
	scan->at++;
	*ret = EXPECT_VALUE;
	return REASON_OK;
}

static void close_container(struct scan *scan, enum expect *ret)
{
	scan->depth--;
	scan->at++;
	*ret = EXPECT_NEXT;
}

static enum reason step(struct scan *scan, enum expect *expect)
{
	bool in_object = scan->object[scan->depth - 1];
	uint8_t c = peek(scan);

	switch (*expect) {
	case EXPECT_VALUE_OR_END:
		if (c == ']') {
			close_container(scan, expect);
			return REASON_OK;
		}
		return scan_value(scan, expect);
	case EXPECT_VALUE:
		return scan_value(scan, expect);
	case EXPECT_KEY_OR_END:
		if (c == '}') {
			close_container(scan, expect);
			return REASON_OK;
		}
		return scan_key(scan, expect);
	case EXPECT_KEY:
		return scan_key(scan, expect);
	case EXPECT_NEXT:
		if (c == (in_object ? '}' : ']')) {
			close_container(scan, expect);
			return REASON_OK;
		}
		if (c != ',')
			return REASON_JSON_SYNTAX;
		scan->at++;
		*expect = in_object ? EXPECT_KEY : EXPECT_VALUE;
		return REASON_OK;
	}
	return REASON_INTERNAL;
}

static enum reason scan_text(struct scan *scan)
{
	enum expect expect;
	enum reason reason;

	if (scan->end - scan->begin >= 3 && !memcmp(scan->begin, "\xef\xbb\xbf", 3))
		return REASON_JSON_UTF8;
	skip_space(scan);
	if (scan->at == scan->end)
		return REASON_JSON_SYNTAX;
	if (*scan->at != '{')
		return REASON_JSON_NOT_OBJECT;
	reason = scan_value(scan, &expect);
	while (!reason && scan->depth) {
		skip_space(scan);
		reason = step(scan, &expect);
	}
	if (reason)
		return reason;
	skip_space(scan);
	return scan->at == scan->end ? REASON_OK : REASON_JSON_NOT_OBJECT;
}

/* Exactly: in each byte that is one, only the highest bit is left. */
static size_t count_colons(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), low = ones * 0x7f;
	uint64_t other = word ^ (ones * ':');
	uint64_t found = ~(((other & low) + low) | other | low);

	return (size_t)((found >> 7) * ones >> 56);
}

size_t json_scan_slots(const uint8_t *text, size_t length)
{
	/* Each key has a colon and counts as a node, as does its value. */
	const size_t most = LIMIT_JSON_NODES / 2 + 1;
	size_t keys = 1;
	size_t slots = 2;
	size_t at = 0;
	uint64_t word;

	if (length > LIMIT_BODY_BYTES)
		length = LIMIT_BODY_BYTES;
	while (length - at >= sizeof(word)) {
		memcpy(&word, text + at, sizeof(word));
		keys += count_colons(word);
		at += sizeof(word);
	}
	for (; at < length; at++)
		keys += text[at] == ':';
	if (keys > most)
		keys = most;
	while (slots < 2 * keys)
		slots *= 2;
	return slots;
}

_Static_assert(JSON_SCAN_MAX_SLOTS >= LIMIT_JSON_NODES + 2 &&
		       JSON_SCAN_MAX_SLOTS / 2 < LIMIT_JSON_NODES + 2,
	       "the bound that json_scan_slots() keeps");

enum reason json_scan(const uint8_t *text, size_t length,
		      const struct json_scan_seed *seed, struct json_scan_slot *slots,
		      size_t n_slots, size_t *ret_offset)
{
	struct scan scan = {
		.begin = text,
		.at = text,
		.end = text + length,
		.keys = {.text = text,
			 .seed = seed,
			 .slots = slots,
			 .n_slots = n_slots},
	};
	enum reason reason;

	if (length > LIMIT_BODY_BYTES) {
		*ret_offset = LIMIT_BODY_BYTES;
		return REASON_HTTP_BODY_TOO_LARGE;
	}
	memset(slots, 0, n_slots * sizeof(*slots));
	reason = scan_text(&scan);
	if (reason)
		*ret_offset = (size_t)(scan.at - scan.begin);
	return reason;
}
