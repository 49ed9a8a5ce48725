/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints the lists of anet-reasons(7) from src/core/reason.def as mdoc(7):
 * `reasons-page local` those that a person meets, `reasons-page http` those
 * that answer an agent.  A build tool; not installed.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct row {
	const char *code;
	int exit_status, http_status;
	const char *sentence, *remedy;
};

static const struct row rows[] = {
#define R(symbol, code, exit_status, http_status, severity, sentence, remedy) \
	{ code, exit_status, http_status, sentence, remedy },
#include "core/reason.def"
#undef R
};

static void print_escaped(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\\')
			fputs("\\e", stdout);
		else if (text[i] == '"')
			fputs("\\(dq", stdout);
		else if (text[i] == '\'')
			fputs("\\(aq", stdout);
		else if (text[i] == '-')
			fputs("\\-", stdout);
		else
			putchar(text[i]);
	}
}

/* One text line; the first character must not be taken for a request. */
static void print_line(const char *text, size_t length)
{
	while (length > 0 && *text == ' ') {
		text++;
		length--;
	}
	while (length > 0 && text[length - 1] == ' ')
		length--;
	if (length == 0)
		return;
	fputs("\\&", stdout);
	print_escaped(text, length);
	putchar('\n');
}

/* Text in which `words like these` are literal; `end` is added to its last
 * line. */
static void print_text(const char *text, const char *end)
{
	char line[1024];
	const char *open, *close;

	snprintf(line, sizeof(line), "%s%s", text, end);
	if (strncmp(line, "anet ", 5))
		line[0] = (char)toupper((unsigned char)line[0]);
	for (text = line; (open = strchr(text, '`')) && (close = strchr(open + 1, '`'));) {
		print_line(text, (size_t)(open - text));
		fputs(".Ql \"\\&", stdout);
		print_escaped(open + 1, (size_t)(close - open - 1));
		putchar('"');
		for (text = close + 1; *text && strchr(".,;:)", *text); text++)
			printf(" %c", *text);
		putchar('\n');
	}
	print_line(text, strlen(text));
}

int main(int argc, char **argv)
{
	bool http = argc > 1 && !strcmp(argv[1], "http");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		if (http != (row->http_status != 0))
			continue;
		printf(".It Sy ");
		print_escaped(row->code, strlen(row->code));
		if (http)
			printf(" Pq HTTP %d\n", row->http_status);
		else
			printf(" Pq exit status %d\n", row->exit_status);
		print_text(row->sentence, ".");
		if (row->remedy[0])
			print_text(row->remedy, ".");
	}
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
