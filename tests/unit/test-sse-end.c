/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the APIs' streams have said all, whole and split at every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/sse-end.h"

#define LONG "0123456789012345678901234567890123456789012345678901234567890123456789"

static const struct {
	const char *name;
	const char *stream;
	bool seen; /* with the last byte of the stream, else never */
} rows[] = {
	{"nothing", "", false},
	{"Messages", "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
	 true},
	{"Chat", "data: {\"choices\":[]}\n\ndata: [DONE]\n\n", true},
	{"no space", "data:[DONE]\n\n", true},
	{"CR LF", "data: [DONE]\r\n\r\n", true},
	{"two spaces are another value", "data:  [DONE]\n\n", false},
	{"without the empty line", "data: [DONE]\n", false},
	{"without the end of the line", "data: [DONE]", false},
	{"the empty line of another event", "\n\ndata: x\n\ndata: [DONE]\n", false},
	{"Responses", "event: response.completed\ndata: {}\n\n", true},
	{"incomplete", "event: response.incomplete\ndata: {}\n\n", true},
	{"failed", "event: response.failed\ndata: {}\n\n", true},
	{"the name behind the data", "data: {}\nevent: response.completed\n\n", true},
	{"only in the data",
	 "data: {\"type\":\"response.completed\",\"response\":{\"x\":\"" LONG
	 "\"}}\n\n",
	 true},
	{"another event", "event: response.created\ndata: {}\n\n", false},
	{"an event of a longer name", "event: response.completed.x\ndata: {}\n\n",
	 false},
	{"a name that is cut", "event: response.complete\ndata: {}\n\n", false},
	{"a long line", "data: [DONE]" LONG "\n\n", false},
	{"a long line with a CR at its edge", "data: [DONE]" LONG "\r\n\n", false},
	{"in what a model writes", "data: {\"delta\":\"\\ndata: [DONE]\\n\\n\"}\n\n",
	 false},
	{"another field", "id: [DONE]\n\nxdata: [DONE]\n\n: [DONE]\n\n", false},
};

/* The rest of the stream comes byte by byte; 0: never. */
static size_t seen_after(const char *stream, size_t first)
{
	struct sse_end end = {.seen = false};
	size_t length = strlen(stream);

	sse_end_feed(&end, (const uint8_t *)stream, first);
	if (end.seen)
		return first;
	for (size_t i = first; i < length; i++) {
		sse_end_feed(&end, (const uint8_t *)stream + i, 1);
		if (end.seen)
			return i + 1;
	}
	return 0;
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t length = strlen(rows[i].stream);

		for (size_t first = 0; first <= length; first++) {
			size_t seen = seen_after(rows[i].stream, first);

			if (seen != (rows[i].seen ? length : 0))
				fail_msg("%s, split at %zu: seen after %zu of %zu",
					 rows[i].name, first, seen, length);
		}
	}
}

/* What follows is nobody's, but does not take it back. */
static void test_surplus(void **state)
{
	static const char stream[] = "data: [DONE]\n\ndata: more\n\n";

	(void)state;
	assert_int_equal(seen_after(stream, strlen(stream)), strlen(stream));
	assert_int_equal(seen_after(stream, 0), strlen("data: [DONE]\n\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_surplus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
