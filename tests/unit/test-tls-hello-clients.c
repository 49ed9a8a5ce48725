/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What real clients sent (tests/fuzz/corpus), in two parts at every offset, singly, and
 * as records of every size: browsers with a share of 1216 bytes after which the hello
 * takes two segments, and those that offer an encrypted hello without having a key.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/connect.h"
#include "core/tls-hello.h"
#include "hello-writer.h"

#define HOST "a.example"

static struct bytes file, records;
static struct tls_hello hello;

static const struct row {
	const char *client;
	bool has_head; /* it was also seen what it says to a proxy */
	enum reason want;
} rows[] = {
	{"cargo", true, REASON_OK},
	{"chromium", true, REASON_TUNNEL_ECH},
	{"curl", true, REASON_OK},
	{"firefox", true, REASON_TUNNEL_ECH},
	{"firefox-without-ech", false, REASON_OK},
	{"git", true, REASON_OK},
	{"gnutls", false, REASON_OK},
	{"go", true, REASON_OK},
	{"java", true, REASON_OK},
	{"java-http", true, REASON_OK},
	{"node", true, REASON_OK},
	{"npm", true, REASON_OK},
	{"nss", false, REASON_OK},
	{"openssl", true, REASON_OK},
	{"openssl-tls12", true, REASON_OK},
	{"python", true, REASON_OK},
	{"wget", true, REASON_OK},
};

static void read_file(const char *corpus, const char *client)
{
	const char *srcdir = getenv("srcdir");
	char path[512];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/%s/client-%s",
		 srcdir ? srcdir : ".", corpus, client);
	stream = fopen(path, "rbe");
	if (!stream)
		fail_msg("%s is missing", path);
	file.length = fread(file.data, 1, sizeof(file.data), stream);
	fclose(stream);
	assert_true(file.length > 0);
}

/* The first part, then the rest in parts of `size`. */
static void add(const char *client, const struct bytes *bytes, size_t first,
		size_t size, enum reason want, const char *host)
{
	enum reason reason;

	tls_hello_init(&hello);
	reason = tls_hello_add(&hello, bytes->data, first, host);
	for (size_t at = first; at < bytes->length && reason == REASON_OK; at += size) {
		size_t left = bytes->length - at;

		assert_false(hello.done);
		reason = tls_hello_add(&hello, bytes->data + at,
				       left < size ? left : size, host);
	}
	if (reason != want || hello.done != (want == REASON_OK))
		fail_msg("%s: %zu, then %zu bytes each: %s (%s)", client, first, size,
			 reason_code(reason), hello.detail ? hello.detail : "");
}

static void test_hellos(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		enum reason other =
			row->want == REASON_OK ? REASON_TUNNEL_SNI : row->want;

		read_file("tls-hello", row->client);
		for (size_t split = 0; split < file.length; split++)
			add(row->client, &file, split, file.length, row->want, HOST);
		add(row->client, &file, 0, 1, row->want, HOST);
		add(row->client, &file, file.length, 1, other, "b.example");
		for (size_t size = 1; size < file.length; size++) {
			records.length = 0;
			put_records(&records, file.data + 5, file.length - 5, size);
			add(row->client, &records, 0, 1448, row->want, HOST);
		}
	}
}

static void test_heads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct connect_request request;

		if (!rows[i].has_head)
			continue;
		read_file("connect", rows[i].client);
		connect_request_init(&request);
		for (size_t length = 0; length <= file.length; length++)
			if (connect_request_parse(&request, file.data, length) !=
			    REASON_OK)
				fail_msg("%s: %s", rows[i].client, request.detail);
		assert_true(request.done);
		assert_int_equal(request.length, file.length);
		assert_string_equal(request.host, HOST);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hellos),
		cmocka_unit_test(test_heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
