/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_OUTPUT_H
#define ANET_CLI_OUTPUT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/arena.h"

/* What the commands print on standard output. */

enum color {
	COLOR_NONE,
	COLOR_DIM,
	COLOR_RED,
	COLOR_GREEN,
	COLOR_YELLOW,
	COLOR_MAGENTA,
	COLOR_CYAN,
};

/* The text in a colour, where standard output is a terminal and NO_COLOR is not
 * set; else the text. */
const char *painted(struct arena *arena, enum color color, const char *text);

/* Columns that a terminal needs for this: escape sequences of painted() none,
 * combining characters none, wide ones two.  What is not UTF-8 counts as bytes. */
size_t text_columns(const char *text, size_t length);

/* Prints words and a newline; what does not fit into the terminal goes on below,
 * from the column `indent` on, where the first word is to stand already. */
void print_words(const char *words, size_t indent);

/* Prints the object and gives it up. */
void print_json(struct json_object *root);

/* A string of JSON; NULL is null. */
struct json_object *json_text(const char *text);

/* Text from outside, which may hold escapes already (os/report.h), as it can be
 * shown. */
char *escaped(struct arena *arena, const char *text);

/* "512 B", "1.5 KiB", "12 MiB". */
char *bytes_text(struct arena *arena, uint64_t bytes);
/* "12 s", "3 min", "5 h", "9 d". */
char *duration_text(struct arena *arena, uint64_t seconds);
/* "2026-11-30 14:05" here, and as RFC 3339 has it, in UTC; "?" beyond the year
 * 9999. */
char *local_time_text(struct arena *arena, uint64_t seconds);
char *utc_time_text(struct arena *arena, uint64_t seconds);

#endif
