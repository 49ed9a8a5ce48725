/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/session-name.h"

#define A31 "abcdefghijklmnopqrstuvwxyz01234"
#define I63 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"

static const struct row {
	const char *instance;
	const char *agent, *interaction; /* NULL: refused */
} rows[] = {
	{"demo", "demo", "main"},
	{"demo-main", "demo", "main"},
	{"demo-i1", "demo", "i1"},
	{"a", "a", "main"},
	{"a_0-_", "a_0", "_"},
	{A31, A31, "main"},
	{A31 "x", A31 "x", "main"},
	{A31 "xy"},
	{"a-" I63 "f", "a", I63 "f"},
	{"a-" I63 "fg"},
	{""},
	{"-"},
	{"-main"},
	{"demo-"},
	{"demo--x"},
	{"demo-a-b"},
	{"demo-.."},
	{".."},
	{"."},
	{"demo/main"},
	{"demo\\x2fmain"},
	{"demo-\\x2e\\x2e"},
	{"demo%n"},
	{"%i"},
	{"Demo"},
	{"demo-Main"},
	{"0demo"},
	{"_demo"},
	{"demo "},
	{"demo\n"},
	{"d\xc3\xa9mo"},
	{"demo-\xc3\xa9"},
	{"demo@x"},
};

static void names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct session_name name;

		memset(&name, 'x', sizeof(name));
		if (!row->agent) {
			assert_false(session_name_parse(row->instance, &name));
			assert_int_equal(name.id[0], 'x');
			continue;
		}
		assert_true(session_name_parse(row->instance, &name));
		assert_string_equal(name.agent, row->agent);
		assert_string_equal(name.interaction, row->interaction);
		assert_int_equal(strlen(name.id),
				 strlen(row->agent) + 1 + strlen(row->interaction));
		assert_int_equal(strncmp(name.id, row->agent, strlen(row->agent)), 0);
		assert_string_equal(name.id + strlen(row->agent) + 1, row->interaction);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
