/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "os/report.h"

static const char *const sequences[] = {
	[COLOR_NONE] = "",	     [COLOR_DIM] = "\033[2m",
	[COLOR_RED] = "\033[31m",    [COLOR_GREEN] = "\033[32m",
	[COLOR_YELLOW] = "\033[33m", [COLOR_MAGENTA] = "\033[35m",
	[COLOR_CYAN] = "\033[36m",
};

const char *painted(struct arena *arena, enum color color, const char *text)
{
	const char *no_color = secure_getenv("NO_COLOR");

	if (color == COLOR_NONE || !*text || !isatty(STDOUT_FILENO) ||
	    (no_color && *no_color))
		return text;
	return arena_format(arena, "%s%s\033[0m", sequences[color], text);
}

/* Columns of the terminal; 0 if standard output is none. */
static size_t terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 ? 0 : size.ws_col;
}

/* Length of "ESC [ parameters m", ECMA-48 8.3.117; 0 if it is none. */
static size_t sequence_length(const char *text, size_t length)
{
	size_t n = 2;

	if (length < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (n < length && ((text[n] >= '0' && text[n] <= '9') || text[n] == ';'))
		n++;
	return n < length && text[n] == 'm' ? n + 1 : 0;
}

/* One character of UTF-8 (RFC 3629), a byte that is none alone. */
static size_t character(const uint8_t *bytes, size_t length, uint32_t *ret_point)
{
	size_t n = bytes[0] >= 0xf0   ? 4
		   : bytes[0] >= 0xe0 ? 3
		   : bytes[0] >= 0xc2 ? 2
				      : 1;
	uint32_t point = n == 1 ? bytes[0] : bytes[0] & (0x7fu >> n);

	*ret_point = bytes[0];
	if (n > length)
		return 1;
	for (size_t i = 1; i < n; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 1;
		point = point << 6 | (bytes[i] & 0x3f);
	}
	*ret_point = point;
	return n;
}

/* The blocks of Unicode whose characters terminals draw over the one before, or
 * twice as wide (UAX 11, "W" and "F"). */
static const struct {
	uint32_t first, last;
	size_t columns;
} blocks[] = {
	{0x0300, 0x036f, 0},   {0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0},
	{0x20d0, 0x20ff, 0},   {0xfe00, 0xfe0f, 0},   {0xfe20, 0xfe2f, 0},
	{0x1100, 0x115f, 2},   {0x2e80, 0x303e, 2},   {0x3041, 0xa4cf, 2},
	{0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},   {0xfe30, 0xfe6f, 2},
	{0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},   {0x1f300, 0x1f64f, 2},
	{0x1f680, 0x1f6ff, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
};

static size_t columns_of(uint32_t point)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (point >= blocks[i].first && point <= blocks[i].last)
			return blocks[i].columns;
	return 1;
}

size_t text_columns(const char *text, size_t length)
{
	size_t columns = 0;

	while (length > 0) {
		size_t n = sequence_length(text, length);
		uint32_t point;

		if (n == 0) {
			n = character((const uint8_t *)text, length, &point);
			columns += columns_of(point);
		}
		text += n;
		length -= n;
	}
	return columns;
}

void print_words(const char *words, size_t indent)
{
	size_t columns = terminal_columns(), at = indent;

	for (;;) {
		size_t length = strcspn(words, " ");
		size_t width = text_columns(words, length);

		/* In a terminal too narrow for this nothing is gained. */
		if (at > indent && columns > indent + 20 && at + 1 + width > columns) {
			printf("\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			putchar(' ');
			at++;
		}
		fwrite(words, 1, length, stdout);
		at += width;
		words += length;
		if (!*words)
			break;
		words++;
	}
	putchar('\n');
}

void print_json(struct json_object *root)
{
	puts(json_object_to_json_string_ext(
		root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}

struct json_object *json_text(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

char *escaped(struct arena *arena, const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *shown = arena_get(arena, size);

	escape_text(text, shown, size);
	/* Which a tab would leave where it pleases. */
	for (char *at = shown; (at = strchr(at, '\t'));)
		*at = ' ';
	return shown;
}

char *bytes_text(struct arena *arena, uint64_t bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	uint64_t tenths;
	size_t unit = 0;

	if (bytes < 1024)
		return arena_format(arena, "%" PRIu64 " B", bytes);
	while (bytes >= 1024 * 1024) {
		bytes /= 1024;
		unit++;
	}
	tenths = bytes * 10 / 1024;
	if (tenths >= 100)
		return arena_format(arena, "%" PRIu64 " %s", tenths / 10, units[unit]);
	return arena_format(arena, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10,
			    tenths % 10, units[unit]);
}

char *duration_text(struct arena *arena, uint64_t seconds)
{
	if (seconds < 120)
		return arena_format(arena, "%" PRIu64 " s", seconds);
	if (seconds < 2 * 3600)
		return arena_format(arena, "%" PRIu64 " min", seconds / 60);
	if (seconds < 2 * 86400)
		return arena_format(arena, "%" PRIu64 " h", seconds / 3600);
	return arena_format(arena, "%" PRIu64 " d", seconds / 86400);
}

/* The first second of the year 10000. */
#define TOO_LATE 253402300800u

char *local_time_text(struct arena *arena, uint64_t seconds)
{
	time_t point = (time_t)seconds;
	struct tm parts;
	char text[32];

	tzset(); /* localtime_r(3) need not */
	if (seconds >= TOO_LATE || !localtime_r(&point, &parts) ||
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &parts) == 0)
		return arena_copy(arena, "?");
	return arena_copy(arena, text);
}

char *utc_time_text(struct arena *arena, uint64_t seconds)
{
	time_t point = (time_t)seconds;
	struct tm parts;
	char text[32];

	if (seconds >= TOO_LATE || !gmtime_r(&point, &parts) ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
		return arena_copy(arena, "?");
	return arena_copy(arena, text);
}
