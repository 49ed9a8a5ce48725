/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "outcome/decide.h"

#define NO_STATE                                                                       \
	{                                                                              \
		0                                                                      \
	}
#define AT(stage_)                                                                     \
	{                                                                              \
		.stage = (stage_)                                                      \
	}
#define ENDED(reason_, detail_)                                                        \
	{                                                                              \
		.stage = SESSION_ENDED, .reason = (reason_), .detail = detail_         \
	}
#define EXITED(status_)                                                                \
	{                                                                              \
		.stage = SESSION_ENDED, .flags = SESSION_AGENT_EXITED,                 \
		.agent_status = (status_)                                              \
	}

enum kind { NONE, TOLD, KEPT };

static const struct row {
	const char *result, *code, *status;
	bool prepared;
	struct session_state state; /* stage 0: there is none */
	enum reason reason;
	enum kind kind;
	const char *text; /* part of the sentence */
} rows[] = {
	/* The supervisor's word counts. */
	{"success", "exited", "0", true, EXITED(0), REASON_OK, TOLD, "status 0"},
	{"exit-code", "exited", "3", true, EXITED(3 << 8), REASON_OK, TOLD, "status 3"},
	{"exit-code", "exited", "137", true, EXITED(9), REASON_OK, TOLD, "signal 9"},
	{"exit-code", "exited", "75", true, ENDED(REASON_LIMIT_MEMORY, "it reached 9"),
	 REASON_LIMIT_MEMORY, TOLD, "it reached 9"},
	{"exit-code", "exited", "75", true, ENDED(REASON_LIMIT_TASKS, ""),
	 REASON_LIMIT_TASKS, TOLD, "limit of tasks"},
	{"success", "exited", "0", true, ENDED(REASON_INTERRUPTED, "stopped"),
	 REASON_INTERRUPTED, TOLD, "stopped"},
	{"success", "exited", "0", true, ENDED(REASON_OK, ""), REASON_OK, TOLD,
	 "has ended"},
	{"timeout", "killed", "KILL", true, EXITED(0), REASON_OK, TOLD, "status 0"},
	{"oom-kill", "exited", "0", true, ENDED(REASON_LIMIT_GROWTH, "grew"),
	 REASON_LIMIT_GROWTH, TOLD, "grew"},
	/* But OOMPolicy=stop is not what the supervisor sees. */
	{"oom-kill", "exited", "0", true, ENDED(REASON_INTERRUPTED, "by signal 15"),
	 REASON_SUPERVISOR_OOM, NONE, "lack of memory after the run"},

	/* It was cut off. */
	{"oom-kill", "killed", "KILL", true, AT(SESSION_RUNNING), REASON_SUPERVISOR_OOM,
	 NONE, "while the run went on"},
	{"watchdog", "dumped", "ABRT", true, AT(SESSION_STARTING),
	 REASON_SUPERVISOR_HUNG, NONE, "while it built the sandbox"},
	{"timeout", "killed", "KILL", true, AT(SESSION_ENDING), REASON_SUPERVISOR_HUNG,
	 NONE, "while it ended the run"},
	{"signal", "killed", "KILL", true, NO_STATE, REASON_SUPERVISOR_KILLED, NONE,
	 "signal KILL before it had said"},
	{"core-dump", "dumped", "SEGV", true, AT(SESSION_RUNNING),
	 REASON_SUPERVISOR_KILLED, NONE, "signal SEGV while the run"},
	{"exit-code", "exited", "70", true, NO_STATE, REASON_HELPER_DIED, NONE,
	 "status 70 before"},
	{"protocol", "exited", "0", true, AT(SESSION_STARTING), REASON_HELPER_DIED,
	 NONE, "status 0 while"},
	{"exit-code", "exited", "203", true, NO_STATE, REASON_HELPER_MISSING, NONE,
	 "203/EXEC"},
	{"exit-code", "exited", "226", true, NO_STATE, REASON_SYSTEM, NONE,
	 "status 226"},
	{"success", "killed", "TERM", true, NO_STATE, REASON_INTERRUPTED, NONE,
	 "stopped before"},
	{"success", "exited", "0", true, AT(SESSION_RUNNING), REASON_OK, NONE, "ended"},
	{"resources", "exited", "0", true, AT(SESSION_RUNNING), REASON_SYSTEM, NONE,
	 "\"resources\""},
	{"a\033", "exited", "x", true, AT(99), REASON_SYSTEM, NONE, "result"},

	/* It never began. */
	{"exit-code", NULL, NULL, false, NO_STATE, REASON_HELPER_DIED, KEPT,
	 "preparation"},
	{"exit-code", "", "", false, NO_STATE, REASON_HELPER_DIED, KEPT, "preparation"},
	{"success", NULL, NULL, false, NO_STATE, REASON_INTERRUPTED, NONE,
	 "while it was prepared"},
	{"timeout", NULL, NULL, false, NO_STATE, REASON_SUPERVISOR_HUNG, NONE,
	 "preparation"},
	{"oom-kill", NULL, NULL, false, NO_STATE, REASON_SUPERVISOR_OOM, NONE,
	 "preparation"},
	{"signal", NULL, NULL, false, NO_STATE, REASON_SUPERVISOR_KILLED, NONE,
	 "preparation"},
	{"core-dump", NULL, NULL, false, NO_STATE, REASON_SUPERVISOR_KILLED, NONE,
	 "preparation"},
	{"resources", NULL, NULL, true, NO_STATE, REASON_SYSTEM, NONE, "\"resources\""},
	{NULL, NULL, NULL, false, NO_STATE, REASON_SYSTEM, NONE, "\"unknown\""},
	/* systemd may still know how the supervisor of an earlier start ended. */
	{"exit-code", "exited", "3", false, NO_STATE, REASON_HELPER_DIED, KEPT,
	 "preparation"},
};

static void outcomes_are_decided(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		const struct outcome_facts facts = {
			.service_result = row->result,
			.exit_code = row->code,
			.exit_status = row->status,
			.prepared = row->prepared,
			.state = row->state.stage ? &row->state : NULL,
		};
		struct outcome got;

		outcome_decide(&facts, &got);
		if (got.reason != row->reason || got.told != (row->kind == TOLD) ||
		    got.keep != (row->kind == KEPT) || !strstr(got.detail, row->text))
			fail_msg("row %zu: %s, told %d, keep %d: %s", i,
				 reason_code(got.reason), got.told, got.keep,
				 got.detail);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outcomes_are_decided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
