/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shared ledger: who may map it, and what an agent is told of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/cleanup.h"
#include "os/ledger.h"

static void test_shared(void **state)
{
	struct ledger *mine, *theirs, *read_only;
	auto_fd int fd = -1, read_fd = -1;

	(void)state;
	assert_int_equal(ledger_create(&mine, &fd, &read_fd), 0);
	assert_int_equal(ledger_map(fd, true, &theirs), 0);
	assert_int_equal(ledger_map(read_fd, false, &read_only), 0);
	assert_true(ledger_reserve(&theirs->upstream.requests, 1, 1));
	assert_false(ledger_reserve(&mine->upstream.requests, 1, 1));
	assert_int_equal(atomic_load(&read_only->upstream.requests), 1);
	/* The one that must not write cannot, and says so when it could. */
	assert_int_equal(ledger_map(read_fd, true, &theirs), -EACCES);
	assert_int_equal(ledger_map(fd, false, &theirs), -EBADMSG);
	assert_int_equal(ftruncate(fd, 0), -1);
}

static void test_others(void **state)
{
	const struct {
		off_t size;
		int seals;
		uint32_t magic, version;
	} rows[] = {
		{LEDGER_BYTES, F_SEAL_GROW, LEDGER_MAGIC, LEDGER_VERSION},
		{LEDGER_BYTES, F_SEAL_SHRINK, LEDGER_MAGIC, LEDGER_VERSION},
		{LEDGER_BYTES, F_SEAL_GROW | F_SEAL_SHRINK, 0, LEDGER_VERSION},
		{LEDGER_BYTES, F_SEAL_GROW | F_SEAL_SHRINK, LEDGER_MAGIC, 0},
		{LEDGER_PAGE, F_SEAL_GROW | F_SEAL_SHRINK, LEDGER_MAGIC,
		 LEDGER_VERSION},
		{0, F_SEAL_GROW | F_SEAL_SHRINK, 0, 0},
	};
	struct ledger *ledger;
	int ends[2];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint32_t begin[] = {rows[i].magic, rows[i].version};
		auto_fd int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

		assert_int_equal(write(fd, begin, sizeof(begin)), sizeof(begin));
		assert_int_equal(ftruncate(fd, rows[i].size), 0);
		assert_int_equal(fcntl(fd, F_ADD_SEALS, rows[i].seals), 0);
		assert_int_equal(ledger_map(fd, true, &ledger), -EBADMSG);
	}
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(ledger_map(ends[0], true, &ledger), -EBADMSG);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(ledger_map(-1, true, &ledger), -EBADMSG);
}

static void test_fields(void **state)
{
	static const struct {
		struct policy_limits limits;
		uint64_t requests, bytes;
		const char *want;
	} rows[] = {
		{{0}, 5, 5, ""},
		{{.requests = 60}, 0, 5, "anet-requests-left: 60\r\n"},
		{{.requests = 60}, 59, 5, "anet-requests-left: 1\r\n"},
		{{.requests = 60}, 60, 5, "anet-requests-left: 0\r\n"},
		{{.requests = 60}, 61, 5, "anet-requests-left: 0\r\n"},
		{{.count_tokens = 240}, 0, 0, ""},
		{{.request_bytes = 16}, 9, 6, "anet-request-bytes-left: 10\r\n"},
		{{.requests = UINT64_MAX, .request_bytes = UINT64_MAX},
		 0,
		 0,
		 "anet-requests-left: 18446744073709551615\r\n"
		 "anet-request-bytes-left: 18446744073709551615\r\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static struct ledger ledger;
		char fields[LEDGER_FIELDS] = "x";

		atomic_store(&ledger.upstream.requests, rows[i].requests);
		atomic_store(&ledger.upstream.request_bytes, rows[i].bytes);
		atomic_store(&ledger.upstream.count_tokens, 7);
		ledger_fields(&ledger, &rows[i].limits, fields);
		assert_string_equal(fields, rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
