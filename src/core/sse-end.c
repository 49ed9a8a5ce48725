/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/sse-end.h"

#include <string.h>

static const struct {
	const char *field, *value;
	bool begins; /* a longer value counts as well */
} marks[] = {
	{"event", "message_stop", false},	/* Anthropic Messages */
	{"event", "response.completed", false}, /* OpenAI Responses */
	{"event", "response.incomplete", false},
	{"event", "response.failed", false},
	/* Where the name stands in the data only, which is what clients read. */
	{"data", "{\"type\":\"response.completed\"", true},
	{"data", "{\"type\":\"response.incomplete\"", true},
	{"data", "{\"type\":\"response.failed\"", true},
	{"data", "[DONE]", false}, /* OpenAI Chat Completions */
};

static bool is_mark(const char *line, size_t length, bool cut, const char *field,
		    const char *value, bool begins)
{
	size_t name = strlen(field), wanted = strlen(value);

	if (length <= name || memcmp(line, field, name) != 0 || line[name] != ':')
		return false;
	line += name + 1;
	length -= name + 1;
	if (length > 0 && line[0] == ' ') {
		line++;
		length--;
	}
	return (begins ? length >= wanted : length == wanted && !cut) &&
	       memcmp(line, value, wanted) == 0;
}

static void use_line(struct sse_end *end)
{
	size_t length = end->length;

	if (!end->too_long && length > 0 && end->line[length - 1] == '\r')
		length--;
	if (length == 0) {
		end->seen |= end->last;
		return;
	}
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		end->last |= is_mark(end->line, length, end->too_long, marks[i].field,
				     marks[i].value, marks[i].begins);
}

void sse_end_feed(struct sse_end *end, const uint8_t *bytes, size_t length)
{
	while (length > 0 && !end->seen) {
		const uint8_t *newline = memchr(bytes, '\n', length);
		size_t line = newline ? (size_t)(newline - bytes) : length;
		size_t room = sizeof(end->line) - end->length;
		size_t kept = line < room ? line : room;

		memcpy(end->line + end->length, bytes, kept);
		end->length += (uint8_t)kept;
		end->too_long |= kept < line;
		bytes += line;
		length -= line;
		if (!newline)
			return;
		use_line(end);
		end->length = 0;
		end->too_long = false;
		bytes++;
		length--;
	}
}
