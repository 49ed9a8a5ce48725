/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/output.h"
#include "cli/table.h"

static struct arena arena;

static const struct {
	const char *text;
	size_t columns;
} widths[] = {
	{"", 0},
	{"plain", 5},
	{"\xc3\xa9\xe2\x82\xac", 2},
	/* A combining accent; wide characters; an emoji. */
	{"e\xcc\x81x", 2},
	{"\xe6\x97\xa5\xe6\x9c\xac", 4},
	{"\xf0\x9f\x98\x80", 2},
	/* Colours, and what only begins like one. */
	{"\033[31mred\033[0m", 3},
	{"\033[1;31mx\033[m", 1},
	{"\033[31", 4},
	{"\033[2Jx", 5},
	/* Bytes that are no characters. */
	{"\x80\xff", 2},
	{"\xe2\x82", 2},
	{"\xc3(", 2},
};

static void columns_are_those_of_a_terminal(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		size_t length = strlen(widths[i].text);
		/* Exactly, so that a byte more is seen. */
		char *copy = malloc(length + !length);
		size_t got;

		assert_non_null(copy);
		memcpy(copy, widths[i].text, length);
		got = text_columns(copy, length);
		free(copy);
		if (got != widths[i].columns)
			fail_msg("row %zu: %zu", i, got);
	}
}

static const struct {
	uint64_t value;
	const char *bytes, *duration;
} amounts[] = {
	{0, "0 B", "0 s"},
	{119, "119 B", "119 s"},
	{120, "120 B", "2 min"},
	{1023, "1023 B", "17 min"},
	{1024, "1.0 KiB", "17 min"},
	{7199, "7.0 KiB", "119 min"},
	{7200, "7.0 KiB", "2 h"},
	{10239, "9.9 KiB", "2 h"},
	{10240, "10 KiB", "2 h"},
	{1048575, "1023 KiB", "12 d"},
	{1048576, "1.0 MiB", "12 d"},
	{UINT64_C(3) << 30, "3.0 GiB", "37282 d"},
	{UINT64_MAX, "15 EiB", "213503982334601 d"},
};

static void amounts_are_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
		assert_string_equal(bytes_text(&arena, amounts[i].value),
				    amounts[i].bytes);
		assert_string_equal(duration_text(&arena, amounts[i].value),
				    amounts[i].duration);
	}
}

static const struct {
	uint64_t seconds;
	const char *utc, *local; /* three hours east */
} times[] = {
	{0, "1970-01-01T00:00:00Z", "1970-01-01 03:00"},
	{1796047506, "2026-11-30T14:05:06Z", "2026-11-30 17:05"},
	{253402300799u, "9999-12-31T23:59:59Z", "10000-01-01 02:59"},
	{253402300800u, "?", "?"},
	{UINT64_MAX, "?", "?"},
};

static void any_number_is_a_time(void **state)
{
	(void)state;
	setenv("TZ", "TST-3", 1);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		assert_string_equal(utc_time_text(&arena, times[i].seconds),
				    times[i].utc);
		assert_string_equal(local_time_text(&arena, times[i].seconds),
				    times[i].local);
	}
}

static void text_from_outside_is_escaped(void **state)
{
	(void)state;
	assert_string_equal(escaped(&arena, "a\\x0ab\n\033[31m\tc\xe2\x80\xae\xc3\xa9"),
			    "a\\x0ab\\x0a\\x1b[31m c\\xe2\\x80\\xae\xc3\xa9");
}

/* What a function prints to a file. */
static char *printed(void (*print)(void))
{
	static char text[2048];
	FILE *file = tmpfile();
	int kept = dup(1);
	ssize_t length;

	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), 1);
	print();
	fflush(stdout);
	dup2(kept, 1);
	close(kept);
	length = pread(fileno(file), text, sizeof(text) - 1, 0);
	assert_true(length >= 0);
	text[length] = 0;
	fclose(file);
	return text;
}

static void print_table(void)
{
	static const char *const headings[] = {"NAME", "#COUNT", "WHAT", NULL};
	struct table table = table_new(&arena, headings);

	TABLE_ADD(&table, "\xc3\xa4\xc3\xb6\xc3\xbc-long", "7", "first words");
	TABLE_ADD(&table, "b", "12345678", NULL);
	TABLE_ADD(&table, NULL, "1", "x");
	TABLE_ADD(&table, "only", NULL, NULL);
	table_print(&table, 1);
}

static void tables_line_up(void **state)
{
	(void)state;
	assert_string_equal(printed(print_table),
			    " NAME         COUNT  WHAT\n"
			    " \xc3\xa4\xc3\xb6\xc3\xbc-long         7  first words\n"
			    " b         12345678\n"
			    "                  1  x\n"
			    " only\n");
}

static void print_bare_table(void)
{
	static const char *const headings[] = {"", "", NULL};
	struct table table = table_new(&arena, headings);

	/* More than the first room. */
	for (size_t i = 0; i < 40; i++)
		TABLE_ADD(&table, i == 39 ? "last" : "x", "y");
	table_print(&table, 0);
}

static void a_table_without_headings_has_no_line_for_them(void **state)
{
	const char *text = printed(print_bare_table);
	size_t lines = 0;

	(void)state;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 40);
	assert_memory_equal(text, "x     y\nx     y\n", 16);
	assert_non_null(strstr(text, "\nlast  y\n"));
}

static void print_colored(void)
{
	fputs(painted(&arena, COLOR_RED, "x"), stdout);
}

static void colours_are_for_terminals(void **state)
{
	(void)state;
	assert_string_equal(printed(print_colored), "x");
}

static int no_more(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_those_of_a_terminal),
		cmocka_unit_test(amounts_are_short),
		cmocka_unit_test(any_number_is_a_time),
		cmocka_unit_test(text_from_outside_is_escaped),
		cmocka_unit_test(tables_line_up),
		cmocka_unit_test(a_table_without_headings_has_no_line_for_them),
		cmocka_unit_test(colours_are_for_terminals),
	};

	return cmocka_run_group_tests(tests, NULL, no_more);
}
