/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/limits.h"
#include "os/report.h"

#define ROW(in, out)                                                                   \
	{                                                                              \
		in, sizeof(in) - 1, out                                                \
	}

static const struct {
	const char *in;
	size_t length;
	const char *out;
} escapes[] = {
	ROW("", ""),
	ROW("plain ~", "plain ~"),
	ROW("a\\b", "a\\\\b"),
	ROW("\n\t\r\0\x1b[1m\x7f", "\\x0a\\x09\\x0d\\x00\\x1b[1m\\x7f"),
	ROW("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
	    "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
	/* Broken UTF-8: alone, cut, overlong, surrogate, too high. */
	ROW("\x80", "\\x80"),
	ROW("\xc3", "\\xc3"),
	ROW("\xc3(", "\\xc3("),
	ROW("\xe2\x82", "\\xe2\\x82"),
	ROW("\xc0\xaf", "\\xc0\\xaf"),
	ROW("\xe0\x80\xaf", "\\xe0\\x80\\xaf"),
	ROW("\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"),
	ROW("\xed\xa0\x80", "\\xed\\xa0\\x80"),
	ROW("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"),
	ROW("\xff\xfe", "\\xff\\xfe"),
	/* C1 control, line separator, right-to-left override, zero width, BOM. */
	ROW("\xc2\x9b", "\\xc2\\x9b"),
	ROW("\xc2\xa0", "\xc2\xa0"),
	ROW("\xe2\x80\xa8", "\\xe2\\x80\\xa8"),
	ROW("\xe2\x80\xae", "\\xe2\\x80\\xae"),
	ROW("\xe2\x80\x8b", "\\xe2\\x80\\x8b"),
	ROW("\xe2\x81\xa6", "\\xe2\\x81\\xa6"),
	ROW("\xef\xbb\xbf", "\\xef\\xbb\\xbf"),
};

static void bytes_are_escaped(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		char text[64];

		escape_bytes(escapes[i].in, escapes[i].length, text, sizeof(text));
		assert_string_equal(text, escapes[i].out);
	}
}

/* What looks like another letter, too. */
static void names_are_ascii(void **state)
{
	static const char in[] = "\xef\xbd\x81.b\xc3\xa4\\\n";
	char text[64];

	(void)state;
	escape_ascii(in, sizeof(in) - 1, text, sizeof(text));
	assert_string_equal(text, "\\xef\\xbd\\x81.b\\xc3\\xa4\\\\\\x0a");
}

static void what_does_not_fit_is_cut_between_characters(void **state)
{
	static const char in[] = "a\n\xe2\x82\xac\\";
	static const char *const outs[] = {"",
					   "",
					   "a",
					   "a",
					   "a",
					   "a",
					   "a\\x0a",
					   "a\\x0a",
					   "a\\x0a",
					   "a\\x0a\xe2\x82\xac",
					   "a\\x0a\xe2\x82\xac",
					   "a\\x0a\xe2\x82\xac\\\\"};

	(void)state;
	for (size_t size = 1; size < sizeof(outs) / sizeof(outs[0]); size++) {
		char *text = malloc(size); /* exactly, so that a byte more is seen */

		assert_non_null(text);
		escape_bytes(in, sizeof(in) - 1, text, size);
		assert_string_equal(text, outs[size]);
		free(text);
	}
}

/* A field of a record, or NULL. */
static const char *field(const char *record, const char *name)
{
	static char value[2048];
	size_t length = strlen(name);

	for (const char *line = record; *line; line = strchr(line, '\n') + 1) {
		if (strncmp(line, name, length) == 0 && line[length] == '=') {
			size_t n = strcspn(line + length + 1, "\n");

			memcpy(value, line + length + 1, n);
			value[n] = 0;
			return value;
		}
	}
	return NULL;
}

static void records_have_their_fields(void **state)
{
	const struct record record = {
		.reason = REASON_LIMIT_REQUESTS,
		.session = "dev-abc",
		.agent = "dev",
		.helper = "anet-gateway",
		.detail = "line\nMESSAGE_ID=0 \\x1b",
		.bytes_in = 1,
		.usec = UINT64_MAX,
	};
	char bytes[4097];
	size_t length = journal_format(&record, bytes, 4096);

	(void)state;
	bytes[length] = 0;
	assert_int_equal(strlen(bytes), length);
	assert_string_equal(field(bytes, "MESSAGE"), "line\\x0aMESSAGE_ID=0 \\x1b");
	assert_int_equal(strlen(field(bytes, "MESSAGE_ID")), 32);
	assert_string_equal(field(bytes, "PRIORITY"), "5");
	assert_string_equal(field(bytes, "SYSLOG_IDENTIFIER"), "anet");
	assert_string_equal(field(bytes, "ANET_REASON"), "limit_requests");
	assert_string_equal(field(bytes, "ANET_SESSION"), "dev-abc");
	assert_string_equal(field(bytes, "ANET_AGENT"), "dev");
	assert_string_equal(field(bytes, "ANET_HELPER"), "anet-gateway");
	assert_string_equal(field(bytes, "ANET_BYTES_IN"), "1");
	assert_null(field(bytes, "ANET_BYTES_OUT"));
	assert_string_equal(field(bytes, "ANET_USEC"), "18446744073709551615");
}

static void each_class_has_its_id(void **state)
{
	static const enum reason classes[] = {
		REASON_NO_BWRAP, REASON_INTERRUPTED, REASON_LIMIT_MEMORY,
		REASON_HTTP_MALFORMED, REASON_NO_CGROUP_LIMITS};
	char ids[5][33];

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		const struct record record = {.reason = classes[i]};
		char bytes[4097];

		bytes[journal_format(&record, bytes, 4096)] = 0;
		/* Without words of its own, the reason's. */
		assert_string_equal(field(bytes, "MESSAGE"),
				    reason_sentence(classes[i]));
		memcpy(ids[i], field(bytes, "MESSAGE_ID"), 33);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(ids[i], ids[j]);
	}
}

static void the_longest_record_fits(void **state)
{
	char *long_text = malloc(8000);

	(void)state;
	assert_non_null(long_text);
	memset(long_text, '\n', 7999);
	long_text[7999] = 0;
	for (unsigned int i = 0; i < REASON_COUNT; i++) {
		const struct record record = {
			.reason = (enum reason)i,
			.session =
				"0123456789012345678901234567890123456789012345678901"
				"234567890123456789012345678901234567890123456",
			.agent = "01234567890123456789012345678901",
			.helper = "anet-upstream",
			.detail = long_text,
			.bytes_in = UINT64_MAX,
			.bytes_out = UINT64_MAX,
			.usec = UINT64_MAX,
		};
		char bytes[4097];

		bytes[journal_format(&record, bytes, 4096)] = 0;
		assert_non_null(field(bytes, "ANET_USEC"));
	}
	free(long_text);
}

/* What report_print() writes to a pipe. */
static void people_are_told(void **state)
{
	const struct record record = {.reason = REASON_EGRESS_UNSUPPORTED,
				      .detail = "a\\\\b \x1b[1m\n"};
	const struct record silent = {.reason = REASON_SYSTEM, .detail = "x"};
	int pipes[2], kept = dup(2);
	char text[512];
	ssize_t length;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[1], 2);
	report_print(&record);
	report_print(&silent); /* no remedy: no line for one */
	dup2(kept, 2);
	length = read(pipes[0], text, sizeof(text) - 1);
	assert_true(length > 0);
	text[length] = 0;
	assert_string_equal(text, "anet: a\\\\b \\x1b[1m\\x0a [egress_unsupported]\n"
				  "      choose the strategy srt, or `--egress none`\n"
				  "anet: x [system]\n");
	close(pipes[0]);
	close(pipes[1]);
	close(kept);
}

static const struct {
	const char *name;
	const char *before, *after; /* around "DEVICE:INODE" of standard error */
	bool want;
} journal_streams[] = {
	{"this one", "", "", true},
	{"nothing before", " ", "", false},
	{"nothing behind", "", "0", false},
	{"another device", "9", "", false},
	{"more", "", ":1", false},
};

static void standard_error_is_the_journal_if_it_is_named(void **state)
{
	int pipes[2], kept = dup(2);
	struct stat status;
	bool unset, empty;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[1], 2);
	unsetenv("JOURNAL_STREAM");
	unset = report_goes_to_journal();
	setenv("JOURNAL_STREAM", "", 1);
	empty = report_goes_to_journal();
	dup2(kept, 2);
	assert_false(unset || empty);
	assert_int_equal(fstat(pipes[1], &status), 0);
	for (size_t i = 0; i < sizeof(journal_streams) / sizeof(journal_streams[0]);
	     i++) {
		char text[64];
		bool got;

		snprintf(text, sizeof(text), "%s%ju:%ju%s", journal_streams[i].before,
			 (uintmax_t)status.st_dev, (uintmax_t)status.st_ino,
			 journal_streams[i].after);
		setenv("JOURNAL_STREAM", text, 1);
		dup2(pipes[1], 2);
		got = report_goes_to_journal();
		dup2(kept, 2);
		if (got != journal_streams[i].want)
			fail_msg("%s: %d", journal_streams[i].name, got);
	}
	unsetenv("JOURNAL_STREAM");
	close(pipes[0]);
	close(pipes[1]);
	close(kept);
}

static const struct line_row {
	const char *in;
	size_t length;
	const char *message;
} lines[] = {
	ROW("", "MESSAGE=\n"),
	ROW("plain", "MESSAGE=plain\n"),
	ROW("a\tb \\n", "MESSAGE=a\tb \\n\n"),
	/* No field of its own, no priority, no escape of a terminal. */
	ROW("x\nPRIORITY=0", "MESSAGE=x\\x0aPRIORITY=0\n"),
	ROW("<0>fire", "MESSAGE=<0>fire\n"),
	ROW("\x1b]0;t\x07", "MESSAGE=\\x1b]0;t\\x07\n"),
	ROW("\xff\0", "MESSAGE=\\xff\\x00\n"),
};

static void a_line_of_a_run_is_one_message(void **state)
{
	static char worst[LIMIT_JOURNAL_LINE], buffer[4 * LIMIT_JOURNAL_LINE + 1024];
	struct output_line line = {
		.session = "demo-main", .agent = "demo", .stream = "stdout"};
	static const char head[] = "PRIORITY=6\nSYSLOG_IDENTIFIER=anet-run\n"
				   "ANET_SESSION=demo-main\nANET_AGENT=demo\n"
				   "ANET_STREAM=stdout\n";
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		line.text = lines[i].in;
		line.length = lines[i].length;
		size = journal_format_line(&line, buffer, sizeof(buffer));
		assert_int_equal(size, strlen(head) + strlen(lines[i].message));
		assert_memory_equal(buffer, head, strlen(head));
		assert_memory_equal(buffer + strlen(head), lines[i].message,
				    strlen(lines[i].message));
	}
	memset(worst, 0x1b, sizeof(worst));
	line.text = worst;
	line.length = sizeof(worst);
	size = journal_format_line(&line, buffer, sizeof(buffer));
	assert_int_equal(size, strlen(head) + strlen("MESSAGE=\n") + 4 * sizeof(worst));
	assert_int_equal(buffer[size - 1], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_escaped),
		cmocka_unit_test(names_are_ascii),
		cmocka_unit_test(a_line_of_a_run_is_one_message),
		cmocka_unit_test(what_does_not_fit_is_cut_between_characters),
		cmocka_unit_test(records_have_their_fields),
		cmocka_unit_test(each_class_has_its_id),
		cmocka_unit_test(the_longest_record_fits),
		cmocka_unit_test(people_are_told),
		cmocka_unit_test(standard_error_is_the_journal_if_it_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
