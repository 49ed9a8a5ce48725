/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/status.h"

#define HEAD "Num       RefCount Protocol Flags    Type St Inode Path\n"
#define LINE(flags, path)                                                              \
	"0000000000000000: 00000002 00000000 " flags " 0005 01 12 " path

static const struct {
	const char *name, *table;
	bool want;
} tables[] = {
	{"nobody", HEAD, false},
	{"nothing", "", false},
	{"listening", HEAD LINE("00010000", "/x/s") "\n", true},
	{"not the first, and no newline at the end",
	 HEAD LINE("00000000", "/x/s") "\n" LINE("00010000", "/x/s"), true},
	{"connected", HEAD LINE("00000000", "/x/s") "\n", false},
	{"another", HEAD LINE("00010000", "/x/so") "\n", false},
	{"another's end", HEAD LINE("00010000", "/y/x/s") "\n", false},
	{"without a path", HEAD LINE("00010000", "") "\n", false},
	{"abstract", HEAD LINE("00010000", "@/x/s") "\n", false},
	/* Others choose theirs. */
	{"a path that looks like a line",
	 HEAD LINE("00000000", "/y " LINE("00010000", "/x/s")) "\n", false},
	{"cut short", HEAD "0000000000000000: 00000002 00000000 00010000", false},
	{"only blanks", "         \n", false},
};

static void listening_sockets_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (status_is_listening(tables[i].table, "/x/s") != tables[i].want)
			fail_msg("%s", tables[i].name);
}

static void sums_do_not_overflow(void **state)
{
	struct session_seen seen[] = {
		{.have_state = true,
		 .have_policy = true,
		 .state = {.connections = 5,
			   .requests = UINT64_MAX,
			   .refused = 1,
			   .tunnels = 3,
			   .tunnel_sent_bytes = 7}},
		{.have_state = true,
		 .have_policy = true,
		 .state = {.connections = 7, .requests = 2, .tunnels = 4}},
		/* Not begun, and one that nobody removed. */
		{.have_policy = true, .state = {.connections = 100}},
		{.gone = true},
	};
	struct status status = {
		.sessions = {.seen = seen, .n_seen = sizeof(seen) / sizeof(seen[0])}};

	(void)state;
	status_total(&status);
	assert_int_equal(status.running, 3);
	assert_int_equal(status.uids_in_use, 6);
	assert_int_equal(status.total.connections, 12);
	assert_true(status.total.requests == UINT64_MAX);
	assert_int_equal(status.total.refused, 1);
	assert_int_equal(status.total.tunnels, 7);
	assert_int_equal(status.total.tunnel_sent_bytes, 7);
}

static const struct {
	struct session_seen seen;
	const char *want;
} states[] = {
	{{.have_state = false}, "starting"},
	{{.have_state = true, .state = {.stage = SESSION_STARTING}}, "starting"},
	{{.have_state = true, .state = {.stage = SESSION_RUNNING}}, "running"},
	{{.have_state = true, .state = {.stage = SESSION_ENDING}}, "ending"},
	{{.have_state = true, .state = {.stage = SESSION_ENDED}}, "ended"},
	{{.have_state = true, .state = {.stage = 0}}, "?"},
	{{.have_state = true, .state = {.stage = SESSION_ENDED + 1}}, "?"},
	{{.have_state = true, .state = {.stage = UINT32_MAX}}, "?"},
	{{.gone = true, .have_state = true, .state = {.stage = SESSION_RUNNING}},
	 "gone"},
};

static void any_stage_has_a_word(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		assert_string_equal(session_state_word(&states[i].seen),
				    states[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listening_sockets_are_found),
		cmocka_unit_test(sums_do_not_overflow),
		cmocka_unit_test(any_stage_has_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
