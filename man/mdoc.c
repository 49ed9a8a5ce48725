/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mdoc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void mdoc_escaped(const char *text, size_t length)
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

void mdoc_argument(const char *text)
{
	fputs("\"\\&", stdout);
	mdoc_escaped(text, strlen(text));
	/* A delimiter at the end is none. */
	fputs("\\&\"", stdout);
}

/* How long the first sentence is; each must begin a line. */
static size_t sentence(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		size_t blanks = text[i] == '.' ? strspn(text + i + 1, " ") : 0;

		if (blanks && isupper((unsigned char)text[i + 1 + blanks]))
			return i + 1;
	}
	return length;
}

/* Text lines; the first character of one must not be taken for a request. */
static void print_line(const char *text, size_t length)
{
	while (length > 0) {
		size_t part = sentence(text, length);
		size_t end = part;

		for (; end > 0 && *text == ' '; end--)
			text++;
		length -= part;
		part = end;
		while (end > 0 && text[end - 1] == ' ')
			end--;
		if (end > 0) {
			fputs("\\&", stdout);
			mdoc_escaped(text, end);
			putchar('\n');
		}
		text += part;
	}
}

void mdoc_text(const char *text)
{
	const char *open, *close;

	while ((open = strchr(text, '`')) && (close = strchr(open + 1, '`'))) {
		print_line(text, (size_t)(open - text));
		fputs(".Ql \"\\&", stdout);
		mdoc_escaped(open + 1, (size_t)(close - open - 1));
		putchar('"');
		for (text = close + 1; *text && strchr(".,;:)", *text); text++)
			printf(" %c", *text);
		putchar('\n');
	}
	print_line(text, strlen(text));
}

void mdoc_sentence(const char *text)
{
	char line[1024];
	size_t length = strlen(text);

	snprintf(line, sizeof(line), "%s%s", text,
		 length && text[length - 1] == '.' ? "" : ".");
	if (strncmp(line, "anet ", 5))
		line[0] = (char)toupper((unsigned char)line[0]);
	mdoc_text(line);
}
