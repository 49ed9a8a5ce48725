/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a session has ended.  Its supervisor knows best, and its word counts when it
 * came to say it; what systemd saw fills in for one that did not.
 */
#include "outcome/decide.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What systemd itself gives as status where it could not start the program
 * (systemd.exec(5), "Process Exit Codes"). */
#define EXIT_EXEC_FAILED 203
#define EXIT_SYSTEMD_FIRST 200
#define EXIT_SYSTEMD_LAST 245

/* wait(2): as WIFSIGNALED() and its kin have it, without the system's header. */
#define WAIT_SIGNAL(status) ((status)&0x7f)
#define WAIT_EXIT(status) (((status) >> 8) & 0xff)

__attribute__((format(printf, 3, 4))) static void
decide(struct outcome *outcome, enum reason reason, const char *format, ...)
{
	va_list arguments;

	outcome->reason = reason;
	va_start(arguments, format);
	vsnprintf(outcome->detail, sizeof(outcome->detail), format, arguments);
	va_end(arguments);
}

static bool is(const char *word, const char *what)
{
	return word && strcmp(word, what) == 0;
}

static const char *shown(const char *word)
{
	return word && *word ? word : "unknown";
}

/* The supervisor's last record, which it made when the run was gone. */
static void take_word(const struct session_state *state, struct outcome *outcome)
{
	enum reason reason =
		state->reason < REASON_COUNT ? state->reason : REASON_INTERNAL;
	int status = state->agent_status;

	outcome->told = true;
	if (state->detail[0])
		decide(outcome, reason, "%s", state->detail);
	else if (reason != REASON_OK)
		decide(outcome, reason, "%s", reason_sentence(reason));
	else if (!(state->flags & SESSION_AGENT_EXITED))
		decide(outcome, REASON_OK, "the run has ended");
	else if (WAIT_SIGNAL(status))
		decide(outcome, REASON_OK, "the agent was ended by signal %d",
		       WAIT_SIGNAL(status));
	else
		decide(outcome, REASON_OK, "the agent ended with status %d",
		       WAIT_EXIT(status));
}

/* What it was doing when it was cut off. */
static const char *doing(const struct outcome_facts *facts)
{
	if (!facts->state)
		return "before it had said anything";
	switch (facts->state->stage) {
	case SESSION_STARTING:
		return "while it built the sandbox";
	case SESSION_RUNNING:
		return "while the run went on";
	case SESSION_ENDING:
		return "while it ended the run";
	default:
		return "after the run had ended";
	}
}

static void exited(const struct outcome_facts *facts, struct outcome *outcome)
{
	int status = (int)strtol(shown(facts->exit_status), NULL, 10);

	if (status == EXIT_EXEC_FAILED)
		decide(outcome, REASON_HELPER_MISSING,
		       "systemd could not execute the supervisor of the session "
		       "(status 203/EXEC)");
	else if (status >= EXIT_SYSTEMD_FIRST && status <= EXIT_SYSTEMD_LAST)
		decide(outcome, REASON_SYSTEM,
		       "systemd could not set up the supervisor of the session (status "
		       "%d; see \"Process Exit Codes\" in systemd.exec(5))",
		       status);
	else
		decide(outcome, REASON_HELPER_DIED,
		       "the supervisor of the session ended with status %d %s, without "
		       "saying why",
		       status, doing(facts));
}

/* A unit that is stopped as it should be, or whose supervisor ended with status 0. */
static void succeeded(const struct outcome_facts *facts, struct outcome *outcome)
{
	if (is(facts->exit_code, "exited") && is(facts->exit_status, "0"))
		decide(outcome, REASON_OK, "the run has ended");
	else
		decide(outcome, REASON_INTERRUPTED, "the session was stopped %s",
		       doing(facts));
}

/* By what systemd calls the result of the service, where the supervisor had
 * started. */
static void decide_started(const struct outcome_facts *facts, struct outcome *outcome)
{
	const char *result = facts->service_result;

	if (is(result, "success"))
		succeeded(facts, outcome);
	else if (is(result, "exit-code") || is(result, "protocol"))
		exited(facts, outcome);
	else if (is(result, "oom-kill"))
		decide(outcome, REASON_SUPERVISOR_OOM,
		       "the kernel ended the supervisor of the session, or a process "
		       "of "
		       "its unit, for lack of memory %s",
		       doing(facts));
	else if (is(result, "watchdog"))
		decide(outcome, REASON_SUPERVISOR_HUNG,
		       "the supervisor of the session gave systemd no sign of life in "
		       "time and was ended %s",
		       doing(facts));
	else if (is(result, "timeout"))
		decide(outcome, REASON_SUPERVISOR_HUNG,
		       "the supervisor of the session did not start or stop in time "
		       "and "
		       "was ended %s",
		       doing(facts));
	else if (is(result, "signal") || is(result, "core-dump"))
		decide(outcome, REASON_SUPERVISOR_KILLED,
		       "the supervisor of the session was ended by the signal %.16s %s",
		       shown(facts->exit_status), doing(facts));
	else
		decide(outcome, REASON_SYSTEM,
		       "systemd ended the session %s; it calls the result \"%.32s\"",
		       doing(facts), shown(result));
}

/* The unit came no further than to its preparation. */
static void decide_not_started(const struct outcome_facts *facts,
			       struct outcome *outcome)
{
	const char *result = facts->service_result;

	/* A status is what the preparation ends with that refuses; the record of
	 * that is its own, since it removed those of earlier starts. */
	if (is(result, "exit-code")) {
		outcome->keep = true;
		decide(outcome, REASON_HELPER_DIED,
		       "the preparation of the session failed without saying why");
	} else if (is(result, "success")) {
		decide(outcome, REASON_INTERRUPTED,
		       "the session was stopped while it was prepared");
	} else if (is(result, "timeout")) {
		decide(outcome, REASON_SUPERVISOR_HUNG,
		       "the preparation of the session took longer than its unit "
		       "allows");
	} else if (is(result, "oom-kill")) {
		decide(outcome, REASON_SUPERVISOR_OOM,
		       "the kernel ended the preparation of the session for lack of "
		       "memory");
	} else if (is(result, "signal") || is(result, "core-dump")) {
		decide(outcome, REASON_SUPERVISOR_KILLED,
		       "the preparation of the session was ended by a signal");
	} else {
		decide(outcome, REASON_SYSTEM,
		       "systemd could not prepare the session; it calls the result "
		       "\"%.32s\"",
		       shown(result));
	}
}

/* Whether the supervisor's last record says how the session ended.  One that was
 * stopped because another process of its unit was killed for lack of memory
 * (OOMPolicy=stop) only knows that it was stopped. */
static bool has_last_word(const struct outcome_facts *facts)
{
	return facts->state && facts->state->stage == SESSION_ENDED &&
	       !(is(facts->service_result, "oom-kill") &&
		 facts->state->reason == REASON_INTERRUPTED);
}

void outcome_decide(const struct outcome_facts *facts, struct outcome *ret_outcome)
{
	*ret_outcome = (struct outcome){0};
	if (has_last_word(facts))
		take_word(facts->state, ret_outcome);
	else if (facts->prepared && facts->exit_code && facts->exit_code[0])
		decide_started(facts, ret_outcome);
	else
		decide_not_started(facts, ret_outcome);
}
