/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/nearest.h"

static const char *const names[] = {"memory_mib", "tasks",    "wall_clock_seconds",
				    "growth_mib", "requests", "agent",
				    "srt",	  NULL};

static const struct {
	const char *name;
	const char *want;
} rows[] = {
	{"memory_mib", "memory_mib"},
	{"memory_mb", "memory_mib"},
	{"memory-mib", "memory_mib"},
	{"MEMORY_MIB", "memory_mib"},
	{"memroy_mib", "memory_mib"},
	{"task", "tasks"},
	{"taks", "tasks"},
	{"agnet", "agent"},
	{"request", "requests"},
	{"wallclockseconds", "wall_clock_seconds"},
	{"str", "srt"},
	{"sr", "srt"},
	{"growth_entries", NULL},
	{"network", NULL},
	{"x", NULL},
	{"", NULL},
	/* Longer than what is compared. */
	{"memory_mibmemory_mibmemory_mibmemory_mibmemory_mibmemory_mibmemory_mib",
	 NULL},
};

static void finds_what_was_meant(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *got = nearest_name(rows[i].name, names);

		if (rows[i].want && got)
			assert_string_equal(got, rows[i].want);
		else if (got != rows[i].want)
			fail_msg("\"%s\" gives \"%s\"", rows[i].name,
				 got ? got : "(none)");
	}
}

static void an_empty_list_has_none(void **state)
{
	static const char *const nothing[] = {NULL};

	(void)state;
	assert_null(nearest_name("tasks", nothing));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_meant),
		cmocka_unit_test(an_empty_list_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
