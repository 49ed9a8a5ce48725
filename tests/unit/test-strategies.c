/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "strategies/identity.h"
#include "strategies/table.h"
#include "temporary.h"

#define HOST                                                                           \
	"{\"strategy\":\"host\",\"offered\":true,\"available\":true,\"code\":\"\","    \
	"\"reason\":\"\",\"boundary\":\"none\"}"
#define SRT                                                                            \
	"{\"strategy\":\"srt\",\"offered\":true,\"available\":false,"                  \
	"\"code\":\"no_bwrap\",\"reason\":\"why\",\"boundary\":\"b\"}"
#define OFF                                                                            \
	"{\"strategy\":\"microsandbox\",\"offered\":false,\"available\":false,"        \
	"\"code\":\"strategy_off\",\"reason\":\"off\",\"boundary\":\"vm\"}"
#define TABLE(rows) "{\"at\":1000,\"identity\":\"x\",\"strategies\":[" rows "]}"

static const struct {
	const char *name, *text;
	bool want;
} texts[] = {
	{"good", TABLE(HOST "," SRT "," OFF), true},
	{"more members",
	 "{\"new\":1,\"at\":1,\"identity\":\"\",\"strategies\":[" HOST "," SRT "," OFF
	 "]}",
	 true},
	{"empty", "", false},
	{"cut", "{\"at\":1000,\"identity\":\"x\",\"strategies\":[" HOST, false},
	{"followed", TABLE(HOST "," SRT "," OFF) "{}", false},
	{"an array", "[]", false},
	{"null", "null", false},
	{"two rows", TABLE(HOST "," SRT), false},
	{"four rows", TABLE(HOST "," SRT "," OFF "," OFF), false},
	{"rows are none", TABLE("1,2,3"), false},
	{"no time", "{\"identity\":\"x\",\"strategies\":[" HOST "," SRT "," OFF "]}",
	 false},
	{"time is text",
	 "{\"at\":\"1\",\"identity\":\"x\",\"strategies\":[" HOST "," SRT "," OFF "]}",
	 false},
	{"unknown code",
	 TABLE(HOST "," SRT ",{\"strategy\":\"m\",\"offered\":true,"
		    "\"available\":false,\"code\":\"nope\",\"reason\":\"\","
		    "\"boundary\":\"\"}"),
	 false},
	{"unavailable without a code",
	 TABLE(HOST "," SRT ",{\"strategy\":\"m\",\"offered\":true,\"available\":false,"
		    "\"code\":\"\",\"reason\":\"\",\"boundary\":\"\"}"),
	 false},
	{"unavailable, but ok",
	 TABLE(HOST "," SRT ",{\"strategy\":\"m\",\"offered\":true,\"available\":false,"
		    "\"code\":\"ok\",\"reason\":\"\",\"boundary\":\"\"}"),
	 false},
	{"available, not offered",
	 TABLE(HOST "," SRT ",{\"strategy\":\"m\",\"offered\":false,\"available\":true,"
		    "\"code\":\"\",\"reason\":\"\",\"boundary\":\"\"}"),
	 false},
	{"available for a reason",
	 TABLE(HOST "," SRT ",{\"strategy\":\"m\",\"offered\":true,\"available\":true,"
		    "\"code\":\"no_bwrap\",\"reason\":\"\",\"boundary\":\"\"}"),
	 false},
	{"a name with a NUL",
	 TABLE(HOST
	       "," SRT ",{\"strategy\":\"m\\u0000\",\"offered\":true,"
	       "\"available\":true,\"code\":\"\",\"reason\":\"\",\"boundary\":\"\"}"),
	 false},
	{"deep", "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]", false},
};

static void test_parse(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct strategies table = {.probed_at = 7};
		struct arena arena = {0};
		bool got = strategies_parse(&arena, texts[i].text,
					    strlen(texts[i].text), &table);

		if (got != texts[i].want)
			fail_msg("%s", texts[i].name);
		if (!got)
			assert_int_equal(table.probed_at, 7);
		arena_free(&arena);
	}
}

static void test_rows(void **state)
{
	static const char text[] = TABLE(HOST "," SRT "," OFF);
	struct arena arena = {0};
	struct strategies table;
	const struct strategy_row *row;

	(void)state;
	assert_true(strategies_parse(&arena, text, sizeof(text) - 1, &table));
	assert_int_equal(table.probed_at, 1000);
	row = strategies_find(&table, "srt");
	assert_non_null(row);
	assert_true(row->offered);
	assert_false(row->available);
	assert_int_equal(row->reason, REASON_NO_BWRAP);
	assert_string_equal(row->detail, "why");
	assert_null(strategies_find(&table, "none"));
	assert_true(strategies_any(&table));
	assert_string_equal(strategies_list(&arena, &table),
			    "host: available; srt: why; microsandbox: off");
	table.rows[0].available = false;
	assert_false(strategies_any(&table));
	arena_free(&arena);
}

static const struct {
	const char *name, *identity;
	int64_t now;
	enum reason reason; /* of srt */
	bool want;
} ages[] = {
	{"at once", "x", 1000, REASON_NO_BWRAP, true},
	{"a second before its end", "x", 1299, REASON_NO_BWRAP, true},
	{"old", "x", 1300, REASON_NO_BWRAP, false},
	{"from the future", "x", 999, REASON_NO_BWRAP, false},
	{"of something else", "y", 1000, REASON_NO_BWRAP, false},
	{"a failure of its moment", "x", 1000, REASON_SYSTEM, false},
	{"no uid left", "x", 1000, REASON_UIDS_EXHAUSTED, false},
};

static void test_ages(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++) {
		static const char text[] = TABLE(HOST "," SRT "," OFF);
		struct arena arena = {0};
		struct strategies table;

		assert_true(strategies_parse(&arena, text, sizeof(text) - 1, &table));
		table.rows[1].reason = ages[i].reason;
		if (strategies_are_current(&table, ages[i].identity, ages[i].now) !=
		    ages[i].want)
			fail_msg("%s", ages[i].name);
		arena_free(&arena);
	}
}

/* What needs no probe: all is off, or not there. */
static void test_probe_off(void **state)
{
	static const struct config off = {0};
	struct config virtual = {.sandbox = {.microsandbox = true}};
	struct arena arena = {0};
	struct strategies table;

	(void)state;
	strategies_probe(&arena, &off, &table);
	assert_string_equal(
		strategies_list(&arena, &table),
		"host: sandbox.host is off on this machine; "
		"srt: sandbox.srt is off on this machine; "
		"microsandbox: sandbox.microsandbox is off on this machine");
	assert_int_equal(table.rows[1].reason, REASON_STRATEGY_OFF);
	strategies_probe(&arena, &virtual, &table);
	assert_true(table.rows[2].offered);
	assert_false(table.rows[2].available);
	assert_string_equal(table.rows[2].detail,
			    "microsandbox is not part of this build");
	virtual.sandbox.host = true;
	strategies_probe(&arena, &virtual, &table);
	assert_true(table.rows[0].available);
	arena_free(&arena);
}

static void test_file(void **state)
{
	static const struct config offered = {.sandbox = {.host = true}};
	auto_fd int fd = open(temporary, O_RDONLY | O_DIRECTORY);
	struct arena arena = {0};
	struct strategies wrote, got;
	struct detail detail;
	char *path = arena_copy(&arena, temporary_path("table"));
	bool root = geteuid() == 0; /* others cannot write what counts */

	(void)state;
	assert_int_equal(strategies_read(&arena, path, &got, &detail),
			 REASON_NO_STRATEGY);
	strategies_probe(&arena, &offered, &wrote);
	assert_int_equal(strategies_write(fd, "table", &wrote), 0);
	assert_int_equal(strategies_write(fd, "table", &wrote), 0);
	assert_int_equal(strategies_read(&arena, path, &got, &detail),
			 root ? REASON_OK : REASON_RECORD_UNSAFE);
	if (root) {
		assert_int_equal(got.probed_at, wrote.probed_at);
		assert_string_equal(got.identity, wrote.identity);
		assert_string_equal(strategies_list(&arena, &got),
				    strategies_list(&arena, &wrote));
		assert_string_equal(got.rows[1].boundary, wrote.rows[1].boundary);
	}
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(strategies_read(&arena, path, &got, &detail),
			 REASON_RECORD_UNSAFE);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_int_equal(strategies_read(&arena, path, &got, &detail),
			 REASON_RECORD_UNSAFE);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(strategies_read(&arena, path, &got, &detail),
			 REASON_RECORD_UNSAFE);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_ages),
		cmocka_unit_test(test_probe_off),
		cmocka_unit_test_setup_teardown(test_file, temporary_make,
						temporary_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
