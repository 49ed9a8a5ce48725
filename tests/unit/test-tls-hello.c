/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hellos of TLS clients: each row whole, in two parts at every offset and singly; and
 * those that are hellos in records of every size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/tls-hello.h"
#include "hello-writer.h"

#define HOST "a.example"

/* Some that are used all the time; too large for a stack. */
static struct bytes extensions, message, records;
static struct tls_hello hello, parts;

/* "more", "done" or the code of a refusal. */
static const char *describe(const struct tls_hello *of, enum reason reason)
{
	if (reason != REASON_OK)
		return reason_code(reason);
	return of->done ? "done" : "more";
}

/* In a block of its own, so that a sanitizer sees a read behind it. */
static enum reason add(struct tls_hello *to, const uint8_t *in, size_t length)
{
	uint8_t *copy = malloc(length ? length : 1);
	enum reason reason;

	assert_non_null(copy);
	memcpy(copy, in, length);
	reason = tls_hello_add(to, copy, length, HOST);
	free(copy);
	return reason;
}

/* Nothing is added to what was refused. */
static const char *add_in_parts(const uint8_t *in, size_t length, size_t first,
				size_t size)
{
	enum reason reason;
	size_t at = first;

	tls_hello_init(&parts);
	reason = add(&parts, in, first);
	for (; at < length && reason == REASON_OK; at += size)
		reason = add(&parts, in + at, length - at < size ? length - at : size);
	return describe(&parts, reason);
}

static void check(const char *name, const uint8_t *in, size_t length, const char *want)
{
	const char *got, *again;
	enum reason reason;

	tls_hello_init(&hello);
	reason = add(&hello, in, length);
	got = describe(&hello, reason);
	if (strcmp(got, want) != 0)
		fail_msg("%s: got \"%s\" (%s), want \"%s\"", name, got,
			 hello.detail ? hello.detail : "", want);
	if (reason != REASON_OK)
		assert_non_null(hello.detail);
	for (size_t split = 0; split <= length; split++) {
		again = add_in_parts(in, length, split, length);
		if (strcmp(got, again) != 0 || parts.detail != hello.detail)
			fail_msg("%s: split at %zu gives \"%s\"", name, split, again);
	}
	again = add_in_parts(in, length, 0, 1);
	if (strcmp(got, again) != 0 || parts.detail != hello.detail)
		fail_msg("%s: singly gives \"%s\"", name, again);
}

/* The records made of `message`. */
static void check_message(const char *name, size_t size, const char *want)
{
	records.length = 0;
	put_records(&records, message.data, message.length, size);
	check(name, records.data, records.length, want);
}

static void make_hello(void)
{
	message.length = 0;
	put_hello(&message, extensions.data, extensions.length);
}

#define GREASE "\x1a\x1a\x00\x00"
#define SNI "\x00\x00\x00\x0e\x00\x0c\x00\x00\x09" HOST
#define GROUPS "\x00\x0a\x00\x04\x00\x02\x00\x1d"
#define OTHER_SNI                                                                      \
	"\x00\x00\x00\x0e\x00\x0c\x00\x00\x09"                                         \
	"b.example"

static const struct row {
	const char *name;
	const char *extensions;
	size_t length;
	const char *want;
} rows[] = {
#define ROW(name, extensions, want)                                                    \
	{                                                                              \
		name, extensions, sizeof(extensions) - 1, want                         \
	}
	ROW("only the name", SNI, "done"),
	ROW("name first", SNI GROUPS, "done"),
	ROW("name last", GREASE GROUPS SNI, "done"),
	ROW("name between", GREASE SNI GROUPS, "done"),
	ROW("padding", SNI "\x00\x15\x00\x04\x00\x00\x00\x00", "done"),
	ROW("no name", GREASE GROUPS, "tunnel_sni"),
	ROW("no extension", "", "tunnel_sni"),
	ROW("another host", OTHER_SNI, "tunnel_sni"),
	ROW("upper case",
	    "\x00\x00\x00\x0e\x00\x0c\x00\x00\x09"
	    "A.example",
	    "tunnel_sni"),
	ROW("final dot", "\x00\x00\x00\x0f\x00\x0d\x00\x00\x0a" HOST ".", "tunnel_sni"),
	ROW("shorter",
	    "\x00\x00\x00\x0d\x00\x0b\x00\x00\x08"
	    "a.exampl",
	    "tunnel_sni"),
	ROW("NUL behind it", "\x00\x00\x00\x0f\x00\x0d\x00\x00\x0a" HOST "\x00",
	    "tunnel_sni"),
	ROW("NUL and more", "\x00\x00\x00\x11\x00\x0f\x00\x00\x0c" HOST "\x00.b",
	    "tunnel_sni"),
	ROW("below it",
	    "\x00\x00\x00\x10\x00\x0e\x00\x00\x0b"
	    "b." HOST,
	    "tunnel_sni"),
	ROW("the name twice", SNI SNI, "tunnel_sni"),
	ROW("the name, then another", SNI OTHER_SNI, "tunnel_sni"),
	ROW("another, then the name", OTHER_SNI GROUPS SNI, "tunnel_sni"),
	ROW("two names in one list",
	    "\x00\x00\x00\x1a\x00\x18\x00\x00\x09" HOST "\x00\x00\x09" HOST,
	    "tunnel_sni"),
	ROW("another name behind it in the list",
	    "\x00\x00\x00\x1a\x00\x18\x00\x00\x09" HOST "\x00\x00\x09"
	    "b.example",
	    "tunnel_sni"),
	ROW("another type behind it in the list",
	    "\x00\x00\x00\x12\x00\x10\x00\x00\x09" HOST "\x01\x00\x01"
	    "b",
	    "tunnel_sni"),
	ROW("another type", "\x00\x00\x00\x0e\x00\x0c\x01\x00\x09" HOST, "tunnel_sni"),
	ROW("empty name", "\x00\x00\x00\x05\x00\x03\x00\x00\x00", "tunnel_sni"),
	ROW("empty list", "\x00\x00\x00\x02\x00\x00", "tunnel_sni"),
	ROW("no list", "\x00\x00\x00\x00", "tunnel_sni"),
	ROW("half a list", "\x00\x00\x00\x01\x00", "tunnel_sni"),
	ROW("something behind the list",
	    "\x00\x00\x00\x0f\x00\x0c\x00\x00\x09" HOST "\x00", "tunnel_sni"),
	ROW("list longer than the extension",
	    "\x00\x00\x00\x0e\x00\x0d\x00\x00\x09" HOST GREASE, "tunnel_sni"),
	ROW("name longer than the list", "\x00\x00\x00\x0e\x00\x0c\x00\x00\x0a" HOST,
	    "tunnel_sni"),
	ROW("name shorter than the list", "\x00\x00\x00\x0e\x00\x0c\x00\x00\x08" HOST,
	    "tunnel_sni"),
	ROW("ECH", SNI "\xfe\x0d\x00\x01\x00", "tunnel_ech"),
	ROW("ECH first", "\xfe\x0d\x00\x01\x00" SNI, "tunnel_ech"),
	ROW("empty ECH", SNI "\xfe\x0d\x00\x00", "tunnel_ech"),
	ROW("ECH and another host", OTHER_SNI "\xfe\x0d\x00\x01\x00", "tunnel_ech"),
	ROW("ECH without a name", "\xfe\x0d\x00\x01\x00", "tunnel_ech"),
	ROW("ECH of draft 8", SNI "\xfe\x08\x00\x01\x00", "tunnel_ech"),
	ROW("ECH of draft 6", SNI "\xff\x02\x00\x01\x00", "tunnel_ech"),
	ROW("ESNI", SNI "\xff\xce\x00\x01\x00", "tunnel_ech"),
	ROW("neighbours of ECH", SNI "\xfe\x07\x00\x00\xfe\x0e\x00\x00", "done"),
	ROW("extension cut off", SNI "\x00\x0a\x00\x04\x00\x02\x00", "tunnel_not_tls"),
	ROW("extension's length cut off", SNI "\x00\x0a\x00", "tunnel_not_tls"),
	ROW("extension's type cut off", SNI "\x00", "tunnel_not_tls"),
};

static void test_extensions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		message.length = 0;
		put_hello(&message, rows[i].extensions, rows[i].length);
		check_message(rows[i].name, 16384, rows[i].want);
	}
}

/* Records of each size; the last also those that hold more than the hello. */
static void test_records(void **state)
{
	(void)state;
	extensions.length = 0;
	put(&extensions, GREASE, 4);
	put_name(&extensions, HOST);
	make_hello();
	for (size_t size = 1; size <= message.length; size++)
		check_message("a hello in records", size, "done");
	put(&message, "\x01\x00\x00\x00", 4);
	check_message("a hello behind it in its record", message.length,
		      "tunnel_not_tls");
	check_message("one byte behind it in its record", message.length - 3,
		      "tunnel_not_tls");
	check_message("a hello behind it in another record", message.length - 4,
		      "done");
}

/* One byte of a good hello is another. */
static void check_patched(const char *name, size_t at, uint8_t byte, const char *want)
{
	uint8_t before = records.data[at];

	records.data[at] = byte;
	check(name, records.data, records.length, want);
	records.data[at] = before;
}

/* Offsets: 5 bytes of record, 4 of message, 2 version, 32 random, 1+32 session, 2+4
 * ciphers, 1+1 compression, 2 extensions. */
static void test_header(void **state)
{
	(void)state;
	extensions.length = 0;
	put_name(&extensions, HOST);
	make_hello();
	check_message("good", 16384, "done");

	check_patched("alert", 0, 21, "tunnel_not_tls");
	check_patched("application data", 0, 23, "tunnel_not_tls");
	check_patched("heartbeat", 0, 24, "tunnel_not_tls");
	check_patched("SSL 2", 0, 0x80, "tunnel_not_tls");
	check_patched("version 2 of records", 1, 2, "tunnel_not_tls");
	check_patched("version 4 of records", 1, 4, "tunnel_not_tls");
	check_patched("minor version of records is ignored", 2, 0, "done");
	check_patched("longer record", 4, (uint8_t)(records.data[4] + 1),
		      "tunnel_not_tls");
	check_patched("shorter record", 4, (uint8_t)(records.data[4] - 1),
		      "tunnel_not_tls");
	check_patched("server's hello", 5, 2, "tunnel_not_tls");
	check_patched("hello request", 5, 0, "tunnel_not_tls");
	check_patched("longer message", 8, (uint8_t)(records.data[8] + 1), "more");
	check_patched("shorter message", 8, (uint8_t)(records.data[8] - 1),
		      "tunnel_not_tls");
	check_patched("a message of megabytes", 6, 1, "tunnel_not_tls");
	check_patched("version of the hello", 9, 2, "tunnel_not_tls");
	check_patched("TLS 1.0", 10, 1, "done");
	check_patched("session of 33", 43, 33, "tunnel_not_tls");
	check_patched("session of 255", 43, 255, "tunnel_not_tls");
	check_patched("session of 31", 43, 31, "tunnel_not_tls");
	check_patched("ciphers of 3 bytes", 77, 3, "tunnel_not_tls");
	check_patched("no ciphers", 77, 0, "tunnel_not_tls");
	check_patched("too many ciphers", 76, 255, "tunnel_not_tls");
	check_patched("no compression", 82, 0, "tunnel_not_tls");
	check_patched("too many compressions", 82, 255, "tunnel_not_tls");
	check_patched("longer extensions", 85, (uint8_t)(records.data[85] + 1),
		      "tunnel_not_tls");
	check_patched("shorter extensions", 85, (uint8_t)(records.data[85] - 1),
		      "tunnel_not_tls");
}

static const struct raw {
	const char *name;
	const char *in;
	size_t length;
	const char *want;
} raws[] = {
	ROW("nothing", "", "more"),
	ROW("a record's header", "\x16\x03\x01\x00\x05", "more"),
	ROW("empty record", "\x16\x03\x01\x00\x00", "tunnel_not_tls"),
	ROW("record of 16385", "\x16\x03\x01\x40\x01", "tunnel_not_tls"),
	ROW("record of 16384", "\x16\x03\x01\x40\x00", "more"),
	ROW("a message without anything", "\x16\x03\x01\x00\x04\x01\x00\x00\x00",
	    "tunnel_not_tls"),
	ROW("empty record behind a part",
	    "\x16\x03\x01\x00\x01\x01\x16\x03\x01\x00\x00", "tunnel_not_tls"),
	ROW("an alert inside", "\x16\x03\x01\x00\x01\x01\x15\x03\x01\x00\x02\x01\x00",
	    "tunnel_not_tls"),
	ROW("a change of ciphers inside",
	    "\x16\x03\x01\x00\x01\x01\x14\x03\x03\x00\x01\x01", "tunnel_not_tls"),
	ROW("a message of 16380", "\x16\x03\x01\x00\x04\x01\x00\x3f\xfc", "more"),
	ROW("a message of 16381", "\x16\x03\x01\x00\x04\x01\x00\x3f\xfd",
	    "tunnel_not_tls"),
	ROW("SSL 2",
	    "\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10\x01\x00\x80\x02\x00\x80",
	    "tunnel_not_tls"),
	ROW("SSL 2, long header", "\x00\x2e\x00\x01\x00\x02\x00\x15", "tunnel_not_tls"),
	ROW("HTTP", "GET / HTTP/1.1\r\n", "tunnel_not_tls"),
	ROW("SSH", "SSH-2.0-OpenSSH_9.2\r\n", "tunnel_not_tls"),
	ROW("a version of DTLS", "\x16\xfe\xff\x00\x00", "tunnel_not_tls"),
};

static void test_raw(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(raws) / sizeof(raws[0]); i++)
		check(raws[i].name, (const uint8_t *)raws[i].in, raws[i].length,
		      raws[i].want);
}

/* Ends behind the compressions, as hellos of SSL 3 do. */
static void test_without_extensions(void **state)
{
	(void)state;
	extensions.length = 0;
	make_hello();
	message.length -= 2;
	message.data[3] = (uint8_t)(message.data[3] - 2);
	check_message("without extensions", 16384, "tunnel_sni");
	put(&message, "\x00", 1);
	message.data[3]++;
	check_message("half a length of extensions", 16384, "tunnel_not_tls");
}

/* The longest hello in the smallest records is taken whole. */
static void test_longest(void **state)
{
	static uint8_t padding[LIMIT_CLIENT_HELLO];
	size_t room;

	(void)state;
	extensions.length = 0;
	put_name(&extensions, HOST);
	make_hello();
	room = LIMIT_CLIENT_HELLO - message.length - 4;
	put_number(&extensions, 21, 2);
	put_number(&extensions, room, 2);
	put(&extensions, padding, room);
	make_hello();
	assert_int_equal(message.length, LIMIT_CLIENT_HELLO);

	records.length = 0;
	put_records(&records, message.data, message.length, 1);
	assert_int_equal(records.length, TLS_HELLO_BYTES_MAX);
	for (size_t size = 1; size <= 16384; size *= 4) {
		records.length = 0;
		put_records(&records, message.data, message.length, size);
		assert_string_equal(add_in_parts(records.data, records.length, 0, 1000),
				    "done");
		assert_string_equal(add_in_parts(records.data, records.length - 1, 0,
						 records.length),
				    "more");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extensions),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_without_extensions),
		cmocka_unit_test(test_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
