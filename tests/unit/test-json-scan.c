/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json_scan(): a table of texts with what becomes of each and where; then every
 * text that is accepted cut off at every byte, and the limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "core/json-scan.h"

struct row {
	const char *name;
	const char *text;
	size_t length;
	enum reason reason;
	size_t offset; /* where it is wrong */
};

#define OK(name_, text_)                                                               \
	{                                                                              \
		name_, text_, sizeof(text_) - 1, REASON_OK, 0                          \
	}
#define BAD(name_, text_, reason_, offset_)                                            \
	{                                                                              \
		name_, text_, sizeof(text_) - 1, REASON_JSON_##reason_, offset_        \
	}

static const struct row rows[] = {
	/* What is one object. */
	OK("empty object", "{}"),
	OK("white space everywhere", " \t\r\n{ \t\r\n} \t\r\n"),
	OK("white space in an object", "{ \"a\" : 1 , \"b\" : 2 }"),
	OK("white space in an array", "{\"a\":[ 1 , 2 ]}"),
	OK("words", "{\"a\":true,\"b\":false,\"c\":null}"),
	OK("nested", "{\"a\":{\"b\":[{\"c\":[[]]}]}}"),
	OK("empty key", "{\"\":1}"),
	OK("empty array", "{\"a\":[]}"),
	OK("empty string", "{\"a\":\"\"}"),
	BAD("nothing", "", SYNTAX, 0),
	BAD("only white space", " \n", SYNTAX, 2),
	BAD("array on top", "[]", NOT_OBJECT, 0),
	BAD("string on top", "\"a\"", NOT_OBJECT, 0),
	BAD("number on top", "1", NOT_OBJECT, 0),
	BAD("word on top", "null", NOT_OBJECT, 0),
	BAD("two objects", "{}{}", NOT_OBJECT, 2),
	BAD("object and text", "{} x", NOT_OBJECT, 3),
	BAD("object and NUL", "{}\0", NOT_OBJECT, 2),
	BAD("object and comma", "{},", NOT_OBJECT, 2),
	BAD("NUL first", "\0{}", NOT_OBJECT, 0),
	BAD("form feed is no white space", "{\f}", SYNTAX, 1),
	BAD("vertical tab is no white space", "\v{}", NOT_OBJECT, 0),
	BAD("no-break space is no white space", "{\xc2\xa0}", SYNTAX, 1),
	BAD("UTF-16", "{\0}\0", SYNTAX, 1),
	BAD("a header of another format", "--x\r\n", NOT_OBJECT, 0),

	/* Punctuation. */
	BAD("closed twice", "{}}", NOT_OBJECT, 2),
	BAD("open object", "{", SYNTAX, 1),
	BAD("open array", "{\"a\":[", SYNTAX, 6),
	BAD("wrong bracket", "{\"a\":[}", SYNTAX, 6),
	BAD("wrong brace", "{\"a\":1]", SYNTAX, 6),
	BAD("comma first", "{,\"a\":1}", SYNTAX, 1),
	BAD("comma last", "{\"a\":1,}", SYNTAX, 7),
	BAD("comma twice", "{\"a\":1,,\"b\":2}", SYNTAX, 7),
	BAD("comma first in array", "{\"a\":[,1]}", SYNTAX, 6),
	BAD("comma last in array", "{\"a\":[1,]}", SYNTAX, 8),
	BAD("no comma", "{\"a\":1 \"b\":2}", SYNTAX, 7),
	BAD("no comma in array", "{\"a\":[1 2]}", SYNTAX, 8),
	BAD("no colon", "{\"a\" 1}", SYNTAX, 5),
	BAD("colon twice", "{\"a\"::1}", SYNTAX, 5),
	BAD("no value", "{\"a\":}", SYNTAX, 5),
	BAD("no key", "{:1}", SYNTAX, 1),
	BAD("only a key", "{\"a\"}", SYNTAX, 4),
	BAD("colon in array", "{\"a\":[\"b\":1]}", SYNTAX, 9),
	BAD("number as key", "{1:1}", SYNTAX, 1),
	BAD("word as key", "{a:1}", SYNTAX, 1),
	BAD("apostrophes", "{'a':1}", SYNTAX, 1),
	BAD("comment", "{/**/}", SYNTAX, 1),
	BAD("comment at the end", "{}//", NOT_OBJECT, 2),
	BAD("equals sign", "{\"a\"=1}", SYNTAX, 4),

	/* Words. */
	BAD("capital word", "{\"a\":True}", SYNTAX, 5),
	BAD("capital null", "{\"a\":NULL}", SYNTAX, 5),
	BAD("short word", "{\"a\":tru}", SYNTAX, 8),
	BAD("long word", "{\"a\":truee}", SYNTAX, 9),
	BAD("not a number", "{\"a\":NaN}", SYNTAX, 5),
	BAD("infinity", "{\"a\":Infinity}", SYNTAX, 5),
	BAD("undefined", "{\"a\":undefined}", SYNTAX, 5),

	/* Numbers. */
	OK("zero", "{\"a\":0}"),
	OK("negative", "{\"a\":-1}"),
	OK("int64 smallest", "{\"a\":-9223372036854775808}"),
	OK("int64 largest", "{\"a\":9223372036854775807}"),
	OK("uint64 largest", "{\"a\":18446744073709551615}"),
	OK("fraction", "{\"a\":1.50}"),
	OK("zero fraction", "{\"a\":0.0}"),
	OK("negative zero fraction", "{\"a\":-0.0}"),
	OK("exponent", "{\"a\":1e5}"),
	OK("exponent forms", "{\"a\":[1E5,1e+5,1E-5,0e0,1.5e3,-0e1]}"),
	OK("exponent with zeros", "{\"a\":1e005}"),
	OK("double largest", "{\"a\":1.7976931348623157e308}"),
	OK("double too small to be told from 0", "{\"a\":1e-999}"),
	OK("64 bytes",
	   "{\"a\":0."
	   "12345678901234567890123456789012345678901234567890123456789012}"),
	BAD("65 bytes",
	    "{\"a\":0.123456789012345678901234567890123456789012345678901234567890123}",
	    NUMBER, 5),
	BAD("negative zero", "{\"a\":-0}", NUMBER, 5),
	BAD("negative zero in array", "{\"a\":[1,-0]}", NUMBER, 8),
	BAD("int64 below smallest", "{\"a\":-9223372036854775809}", NUMBER, 5),
	BAD("uint64 above largest", "{\"a\":18446744073709551616}", NUMBER, 5),
	BAD("21 digits", "{\"a\":100000000000000000000}", NUMBER, 5),
	BAD("overflow that wraps to small", "{\"a\":36893488147419103233}", NUMBER, 5),
	BAD("double too large", "{\"a\":1e309}", NUMBER, 5),
	BAD("double above largest", "{\"a\":1.7976931348623159e308}", NUMBER, 5),
	BAD("double far too large", "{\"a\":1e999}", NUMBER, 5),
	BAD("double too large, other form", "{\"a\":-1E+400}", NUMBER, 5),
	BAD("exponent too large for an int", "{\"a\":1e99999999999}", NUMBER, 5),
	BAD("leading zero", "{\"a\":01}", SYNTAX, 6),
	BAD("two zeros", "{\"a\":00}", SYNTAX, 6),
	BAD("negative leading zero", "{\"a\":-01}", NUMBER, 5),
	BAD("plus", "{\"a\":+1}", SYNTAX, 5),
	BAD("only a sign", "{\"a\":-}", SYNTAX, 6),
	BAD("two signs", "{\"a\":--1}", SYNTAX, 6),
	BAD("sign and word", "{\"a\":-Infinity}", SYNTAX, 6),
	BAD("no digit before the point", "{\"a\":.5}", SYNTAX, 5),
	BAD("no digit after the point", "{\"a\":1.}", SYNTAX, 7),
	BAD("point and exponent", "{\"a\":1.e1}", SYNTAX, 7),
	BAD("no exponent", "{\"a\":1e}", SYNTAX, 7),
	BAD("only the exponent's sign", "{\"a\":1e+}", SYNTAX, 8),
	BAD("two points", "{\"a\":1.2.3}", SYNTAX, 8),
	BAD("fraction in the exponent", "{\"a\":1e2.5}", SYNTAX, 8),
	BAD("hexadecimal", "{\"a\":0x1}", SYNTAX, 6),
	BAD("suffix", "{\"a\":1n}", SYNTAX, 6),
	BAD("separator", "{\"a\":1_000}", SYNTAX, 6),

	/* Strings and escapes. */
	OK("all short escapes", "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}"),
	OK("unicode escape", "{\"a\":\"\\u0041\\u00e9\\uFFFF\"}"),
	OK("NUL escape in a value", "{\"a\":\"\\u0000\"}"),
	OK("surrogate pair", "{\"a\":\"\\ud83d\\uDE00\"}"),
	OK("delete is no control character here", "{\"a\":\"\x7f\"}"),
	OK("long plain string", "{\"a\":\"0123456789012345678901234567890123456789\"}"),
	BAD("open string", "{\"a\":\"b", SYNTAX, 7),
	BAD("open escape", "{\"a\":\"\\", SYNTAX, 7),
	BAD("open unicode escape", "{\"a\":\"\\u00", SYNTAX, 8),
	BAD("raw NUL", "{\"a\":\"\0\"}", SYNTAX, 6),
	BAD("raw newline", "{\"a\":\"\n\"}", SYNTAX, 6),
	BAD("raw tab", "{\"a\":\"\t\"}", SYNTAX, 6),
	BAD("raw 1f after eight", "{\"a\":\"01234567\x1f\"}", SYNTAX, 14),
	BAD("raw newline in a key", "{\"a\n\":1}", SYNTAX, 3),
	BAD("unknown escape", "{\"a\":\"\\x41\"}", SYNTAX, 7),
	BAD("apostrophe escape", "{\"a\":\"\\'\"}", SYNTAX, 7),
	BAD("capital unicode escape", "{\"a\":\"\\U0041\"}", SYNTAX, 7),
	BAD("short unicode escape", "{\"a\":\"\\u41\"}", SYNTAX, 8),
	BAD("no hexadecimal digit", "{\"a\":\"\\u00g0\"}", SYNTAX, 8),
	BAD("sign in a unicode escape", "{\"a\":\"\\u+041\"}", SYNTAX, 8),
	BAD("high surrogate alone", "{\"a\":\"\\ud83d\"}", STRING, 12),
	BAD("high surrogate and text", "{\"a\":\"\\ud83dx\"}", STRING, 12),
	BAD("high surrogate and escape", "{\"a\":\"\\ud83d\\n\"}", STRING, 12),
	BAD("high surrogate and letter", "{\"a\":\"\\ud83d\\u0041\"}", STRING, 14),
	BAD("two high surrogates", "{\"a\":\"\\ud83d\\ud83d\"}", STRING, 14),
	BAD("high surrogate and half an escape", "{\"a\":\"\\ud83d\\u12\"}", SYNTAX,
	    14),
	BAD("low surrogate alone", "{\"a\":\"\\ude00\"}", STRING, 8),
	BAD("pair the wrong way round", "{\"a\":\"\\ude00\\ud83d\"}", STRING, 8),
	BAD("surrogate alone in a key", "{\"\\ud83d\":1}", STRING, 8),
	BAD("NUL escape in a key", "{\"a\\u0000\":1}", STRING, 5),

	/* UTF-8. */
	OK("two bytes", "{\"a\":\"\xc2\x80\xdf\xbf\"}"),
	OK("three bytes",
	   "{\"a\":\"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\"}"),
	OK("four bytes", "{\"a\":\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"}"),
	OK("in a key", "{\"\xc3\xa9\":1}"),
	OK("byte order mark in a string", "{\"a\":\"\xef\xbb\xbf\"}"),
	BAD("byte order mark", "\xef\xbb\xbf{}", UTF8, 0),
	BAD("overlong, two bytes", "{\"a\":\"\xc0\x80\"}", UTF8, 6),
	BAD("overlong slash", "{\"a\":\"\xc1\xaf\"}", UTF8, 6),
	BAD("overlong, three bytes", "{\"a\":\"\xe0\x9f\xbf\"}", UTF8, 6),
	BAD("overlong, four bytes", "{\"a\":\"\xf0\x8f\xbf\xbf\"}", UTF8, 6),
	BAD("high surrogate as bytes", "{\"a\":\"\xed\xa0\x80\"}", UTF8, 6),
	BAD("low surrogate as bytes", "{\"a\":\"\xed\xbf\xbf\"}", UTF8, 6),
	BAD("beyond U+10FFFF", "{\"a\":\"\xf4\x90\x80\x80\"}", UTF8, 6),
	BAD("five bytes", "{\"a\":\"\xf8\x88\x80\x80\x80\"}", UTF8, 6),
	BAD("byte ff", "{\"a\":\"\xff\"}", UTF8, 6),
	BAD("continuation alone", "{\"a\":\"\x80\"}", UTF8, 6),
	BAD("one byte missing", "{\"a\":\"\xe2\x82\"}", UTF8, 6),
	BAD("ends inside a character", "{\"a\":\"\xf0\x90\x80", UTF8, 6),
	BAD("Latin 1", "{\"a\":\"caf\xe9\"}", UTF8, 9),
	BAD("after eight plain bytes", "{\"a\":\"01234567\x80\"}", UTF8, 14),
	BAD("in a key, broken", "{\"\xc3\":1}", UTF8, 2),

	/* Keys. */
	OK("same key in another object", "{\"a\":{\"a\":1},\"b\":{\"a\":1}}"),
	OK("same key in a sibling", "{\"x\":[{\"a\":1},{\"a\":1}]}"),
	OK("key as value", "{\"a\":\"a\",\"b\":\"a\"}"),
	OK("case differs", "{\"a\":1,\"A\":2}"),
	OK("one is the beginning of the other", "{\"ab\":1,\"a\":2,\"abc\":3}"),
	OK("escape that is not the letter", "{\"\\\\u0061\":1,\"a\":2}"),
	OK("normal forms of a letter", "{\"\xc3\xa9\":1,\"e\xcc\x81\":2}"),
	OK("escaped, others", "{\"\\u0061\":1,\"\\u0062\":2}"),
	BAD("twice", "{\"a\":1,\"a\":2}", DUPLICATE_KEY, 7),
	BAD("twice, same value", "{\"a\":1,\"a\":1}", DUPLICATE_KEY, 7),
	BAD("twice, far apart", "{\"a\":1,\"b\":[{\"c\":{}}],\"a\":2}", DUPLICATE_KEY,
	    22),
	BAD("empty key twice", "{\"\":1,\"\":2}", DUPLICATE_KEY, 6),
	BAD("twice, inside", "{\"x\":{\"a\":1,\"a\":2}}", DUPLICATE_KEY, 12),
	BAD("twice, in an array", "{\"x\":[{\"a\":1},{\"a\":1,\"a\":2}]}",
	    DUPLICATE_KEY, 21),
	BAD("second escaped", "{\"model\":1,\"mo\\u0064el\":2}", DUPLICATE_KEY, 11),
	BAD("first escaped", "{\"mo\\u0064el\":1,\"model\":2}", DUPLICATE_KEY, 16),
	BAD("both escaped, each in its way", "{\"\\u006dodel\":1,\"mode\\u006C\":2}",
	    DUPLICATE_KEY, 16),
	BAD("slash", "{\"a/b\":1,\"a\\/b\":2}", DUPLICATE_KEY, 9),
	BAD("short and unicode escape", "{\"\\n\":1,\"\\u000a\":2}", DUPLICATE_KEY, 8),
	BAD("quote", "{\"\\\"\":1,\"\\u0022\":2}", DUPLICATE_KEY, 8),
	BAD("backslash", "{\"\\\\\":1,\"\\u005c\":2}", DUPLICATE_KEY, 8),
	BAD("other short escapes",
	    "{\"\\b\\f\\r\\t\":1,\"\\u0008\\u000c\\u000D\\u0009\":2}", DUPLICATE_KEY,
	    14),
	BAD("two bytes and escape", "{\"\xc3\xa9\":1,\"\\u00e9\":2}", DUPLICATE_KEY, 8),
	BAD("three bytes and escape", "{\"\xe2\x82\xac\":1,\"\\u20ac\":2}",
	    DUPLICATE_KEY, 9),
	BAD("four bytes and pair", "{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\ude00\":2}",
	    DUPLICATE_KEY, 10),
	BAD("first wrong thing counts", "{\"a\":1,\"a\":2,", DUPLICATE_KEY, 7),
};

static enum reason scan_with(uint64_t seed, const uint8_t *text, size_t length,
			     size_t *ret_offset)
{
	const struct json_scan_seed seeds = {.k = {seed, ~seed}};
	size_t n_slots = json_scan_slots(text, length);
	struct json_scan_slot *slots = malloc(n_slots * sizeof(*slots));
	enum reason reason;

	assert_non_null(slots);
	assert_true(n_slots <= JSON_SCAN_MAX_SLOTS);
	/* Whatever was there before must not matter. */
	memset(slots, 0xa5, n_slots * sizeof(*slots));
	reason = json_scan(text, length, &seeds, slots, n_slots, ret_offset);
	free(slots);
	return reason;
}

/* In a block of its own, so that a sanitizer sees a read behind the end. */
static enum reason scan(const void *text, size_t length, size_t *ret_offset)
{
	uint8_t *copy = malloc(length + !length);
	enum reason reason;

	assert_non_null(copy);
	memcpy(copy, text, length);
	reason = scan_with(7, copy, length, ret_offset);
	free(copy);
	return reason;
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		size_t offset = 0;
		enum reason reason = scan(row->text, row->length, &offset);

		if (reason != row->reason || offset != row->offset)
			fail_msg("%s: %s at %zu, not %s at %zu", row->name,
				 reason_code(reason), offset, reason_code(row->reason),
				 row->offset);
	}
}

static void test_any_seed(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 64; seed++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			size_t offset;

			assert_int_equal(scan_with(seed * UINT64_C(0x9e3779b97f4a7c15),
						   (const uint8_t *)rows[i].text,
						   rows[i].length, &offset),
					 rows[i].reason);
		}
}

/* No beginning of an object is one, unless only white space was cut off. */
static void test_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t end = rows[i].length;
		size_t offset;

		while (end && strchr(" \t\r\n", rows[i].text[end - 1]))
			end--;
		for (size_t length = 0; length < end; length++) {
			enum reason reason = scan(rows[i].text, length, &offset);

			if (rows[i].reason == REASON_OK && reason == REASON_OK)
				fail_msg("%s: accepted after %zu bytes", rows[i].name,
					 length);
			if (reason != REASON_OK)
				assert_true(offset <= length);
		}
	}
}

/* Every byte replaced by every other one: what comes of it is not known, but
 * the offset is inside the text. */
static void test_replaced(void **state)
{
	char text[160];
	size_t offset;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(rows[i].length <= sizeof(text));
		for (size_t at = 0; at < rows[i].length; at++)
			for (int byte = 0; byte < 256; byte++) {
				memcpy(text, rows[i].text, rows[i].length);
				text[at] = (char)byte;
				if (scan(text, rows[i].length, &offset))
					assert_true(offset <= rows[i].length);
			}
	}
}

/* `depth` containers inside each other, the object included. */
static enum reason scan_depth(size_t depth, bool objects)
{
	const char *open = objects ? "{\"\":" : "[";
	char text[8 * LIMIT_JSON_DEPTH] = "{\"a\":";
	size_t length = strlen(text);
	size_t offset;

	for (size_t i = 2; i < depth; i++)
		length += (size_t)sprintf(text + length, "%s", open);
	text[length++] = *open;
	for (size_t i = 1; i < depth; i++)
		text[length++] = objects ? '}' : ']';
	text[length++] = '}';
	return scan(text, length, &offset);
}

static void test_depth(void **state)
{
	(void)state;
	assert_int_equal(scan_depth(LIMIT_JSON_DEPTH - 1, false), REASON_OK);
	assert_int_equal(scan_depth(LIMIT_JSON_DEPTH, false), REASON_OK);
	assert_int_equal(scan_depth(LIMIT_JSON_DEPTH + 1, false), REASON_JSON_DEPTH);
	assert_int_equal(scan_depth(LIMIT_JSON_DEPTH, true), REASON_OK);
	assert_int_equal(scan_depth(LIMIT_JSON_DEPTH + 1, true), REASON_JSON_DEPTH);
}

/* An object whose array has so many values that there are `nodes` in all. */
static enum reason scan_nodes(size_t nodes)
{
	/* The object, the key, the array. */
	size_t values = nodes - 3;
	char *text = malloc(2 * values + 16);
	size_t length = 0;
	size_t offset;
	enum reason reason;

	assert_non_null(text);
	length += (size_t)sprintf(text, "{\"a\":[0");
	for (size_t i = 1; i < values; i++) {
		text[length++] = ',';
		text[length++] = '0';
	}
	text[length++] = ']';
	text[length++] = '}';
	reason = scan(text, length, &offset);
	free(text);
	return reason;
}

static void test_nodes(void **state)
{
	(void)state;
	assert_int_equal(scan_nodes(LIMIT_JSON_NODES - 1), REASON_OK);
	assert_int_equal(scan_nodes(LIMIT_JSON_NODES), REASON_OK);
	assert_int_equal(scan_nodes(LIMIT_JSON_NODES + 1), REASON_JSON_NODES);
}

/* {"0":0,"1":0,...} */
static char *many_keys(size_t n, size_t *ret_length)
{
	char *text = malloc(16 * n + 32);
	size_t length = 1;

	assert_non_null(text);
	text[0] = '{';
	for (size_t i = 0; i < n; i++)
		length +=
			(size_t)sprintf(text + length, "%s\"%zu\":0", i ? "," : "", i);
	text[length++] = '}';
	*ret_length = length;
	return text;
}

static void test_many_keys(void **state)
{
	/* The object itself is a node too. */
	const size_t most = (LIMIT_JSON_NODES - 1) / 2;
	size_t length;
	size_t offset;
	char *text = many_keys(most, &length);

	(void)state;
	assert_int_equal(json_scan_slots((const uint8_t *)text, length),
			 JSON_SCAN_MAX_SLOTS);
	assert_int_equal(scan(text, length, &offset), REASON_OK);
	/* The last key again. */
	length--;
	length += (size_t)sprintf(text + length, ",\"%zu\":0}", most - 1);
	assert_int_equal(scan(text, length, &offset), REASON_JSON_DUPLICATE_KEY);
	free(text);

	text = many_keys(most + 1, &length);
	assert_int_equal(scan(text, length, &offset), REASON_JSON_NODES);
	free(text);
}

static enum reason scan_length(size_t length)
{
	uint8_t *text = malloc(length);
	enum reason reason;
	size_t offset;

	assert_non_null(text);
	memset(text, ' ', length);
	text[0] = '{';
	text[length - 1] = '}';
	reason = scan(text, length, &offset);
	free(text);
	return reason;
}

static void test_length(void **state)
{
	(void)state;
	assert_int_equal(scan_length(LIMIT_BODY_BYTES - 1), REASON_OK);
	assert_int_equal(scan_length(LIMIT_BODY_BYTES), REASON_OK);
	assert_int_equal(scan_length(LIMIT_BODY_BYTES + 1), REASON_HTTP_BODY_TOO_LARGE);
}

/* Small for small texts, never more than half full. */
static void test_slots(void **state)
{
	static const struct {
		const char *text;
		size_t slots;
	} wants[] = {
		{"", 2},    {"{}", 2},	  {"{\"a\":1}", 4},   {"::", 8},
		{":::", 8}, {"::::", 16}, {"::::::::::", 32},
	};
	uint8_t *colons = malloc(LIMIT_BODY_BYTES);

	(void)state;
	for (size_t i = 0; i < sizeof(wants) / sizeof(*wants); i++)
		assert_int_equal(json_scan_slots((const uint8_t *)wants[i].text,
						 strlen(wants[i].text)),
				 wants[i].slots);
	assert_non_null(colons);
	memset(colons, ':', LIMIT_BODY_BYTES);
	assert_int_equal(json_scan_slots(colons, LIMIT_BODY_BYTES),
			 JSON_SCAN_MAX_SLOTS);
	free(colons);
}

/* A string of each length, with something special at each place of it: the
 * scan looks at eight bytes at a time. */
static void test_alignment(void **state)
{
	static const struct {
		const char *bytes;
		enum reason reason;
	} specials[] = {
		{"\xc3\xa9", REASON_OK},
		{"\\n", REASON_OK},
		{"\x01", REASON_JSON_SYNTAX},
		{"\x1f", REASON_JSON_SYNTAX},
		{"\x80", REASON_JSON_UTF8},
		{"\xff", REASON_JSON_UTF8},
		{"\\u0000", REASON_OK},
		{"\\ud800", REASON_JSON_STRING},
		{"\"", REASON_JSON_SYNTAX},
		{" ", REASON_OK},
		{"!", REASON_OK},
		{"#", REASON_OK},
		{"\x7f", REASON_OK},
	};
	char text[128];

	(void)state;
	for (size_t length = 0; length < 40; length++)
		for (size_t at = 0; at <= length; at++)
			for (size_t i = 0; i < sizeof(specials) / sizeof(*specials);
			     i++) {
				size_t offset;
				int n = sprintf(
					text, "{\"a\":\"%.*s%s%.*s\"}", (int)at,
					"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
					specials[i].bytes, (int)(length - at),
					"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");

				assert_int_equal(scan(text, (size_t)n, &offset),
						 specials[i].reason);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	  cmocka_unit_test(test_any_seed),
		cmocka_unit_test(test_truncated), cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_depth),	  cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_many_keys), cmocka_unit_test(test_length),
		cmocka_unit_test(test_slots),	  cmocka_unit_test(test_alignment),
	};

	return cmocka_run_group_tests_name("json-scan", tests, NULL, NULL);
}
