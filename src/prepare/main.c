/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-prepare: makes what a session under systemd needs, or refuses it.
 *
 * Job: `anet-prepare INSTANCE`, the first step of anet-session@INSTANCE.service, and
 * `anet-prepare --host INSTANCE` that of anet-host@INSTANCE.service.
 * Reads the configuration of the machine, checks that the agent can run here,
 * makes the directories that the run keeps, takes a pair of uids, and writes the
 * records of the session, which root owns and nobody else can write.  Everything
 * that can be refused is refused here, before anything starts.
 *
 * Trusts: the configuration and the programs of root.  The instance name is
 * whatever somebody typed after `systemctl start`; what runs left in their
 * directories is not looked into.
 *
 * Descriptors: 0 to 2.  Environment: PATH (where programs are), NOTIFY_SOCKET.
 *
 * A process of its own: it needs all that root may do, for a moment; the
 * supervisor, which lives as long as the session, needs little of it and reads no
 * configuration.
 */
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "config/egress.h"
#include "config/retired.h"
#include "os/notify.h"
#include "os/process.h"
#include "os/report.h"
#include "os/session-outcome.h"
#include "os/session-unit.h"
#include "core/run.h"
#include "prepare/prepare.h"
#include "strategies/session-start.h"

/* A session of a unit has nobody to write words behind its agent's name. */
static enum reason find_program(struct start *start)
{
	struct preparation *p = &start->preparation;
	char *const no_words[] = {NULL};

	if (!*p->runtime.program.names && !*p->agent.arguments)
		return explain(
			&p->detail, REASON_CONFIG_INVALID,
			"agent \"%s\" has nothing to run: a session that systemd "
			"starts gets no command from anybody; write it as "
			"`arguments` into the agent's file",
			start->name.agent);
	return preparation_program(p, no_words);
}

static enum reason build_record(struct start *start)
{
	struct preparation *p = &start->preparation;
	enum reason reason = preparation_record(p, 1);

	for (size_t i = 0; i < p->record.n_mounts && reason == REASON_OK; i++)
		reason = check_apart_from_home(
			p,
			p->record.mounts[i].flags & RUN_MOUNT_PROGRAM ? "program" : "mount",
			p->record.mounts[i].target);
	if (reason != REASON_OK)
		return reason;
	if (p->home)
		p->record.mounts[p->record.n_mounts++] = (struct run_mount){
			.source = arena_copy(&p->arena, p->home),
			.target = arena_copy(&p->arena, RUN_HOME),
			.flags = RUN_MOUNT_WRITABLE | RUN_MOUNT_ASSIGNED,
		};
	p->policy.flags |= POLICY_UNIT;
	snprintf(p->policy.session, sizeof(p->policy.session), "%s", start->name.id);
	return REASON_OK;
}

/* From what is cheap to refuse to what makes something. */
static enum reason prepare(struct start *start)
{
	struct preparation *p = &start->preparation;
	enum reason reason;

	places_of_system(&p->places);
	reason = preparation_load(p, start->name.agent);
	if (reason == REASON_OK)
		retired_tell(&p->arena, &p->places, &p->config, "anet-prepare",
			     start->name.id, start->name.agent);
	if (reason == REASON_OK)
		reason = check_strategy(start);
	if (reason == REASON_OK)
		reason = check_account(start);
	if (reason == REASON_OK)
		reason = session_check_programs(
			p->strategy, (enum wire)p->runtime.wire,
			egress_kind(&p->agent.egress), &p->detail);
	if (reason == REASON_OK)
		reason = preparation_policy(p);
	if (reason == REASON_OK)
		reason = check_credential(start);
	if (reason == REASON_OK)
		reason = assign_workspace(start);
	if (reason == REASON_OK)
		reason = find_program(start);
	if (reason == REASON_OK)
		reason = assign_home(start);
	if (reason == REASON_OK)
		reason = build_record(start);
	return reason == REASON_OK ? claim_session(start) : reason;
}

/* For `anet sessions`, after the journal may have forgotten it. */
static void record_refusal(const struct start *start, enum reason reason)
{
	struct session_state state = {.reason = reason};

	/* The session that there is has not ended. */
	if (!start->name.id[0] || reason == REASON_SESSION_EXISTS)
		return;
	snprintf(state.detail, sizeof(state.detail), "%.*s", LIMIT_DETAIL,
		 start->preparation.detail.text);
	/* Where it cannot be written, /run is full: the journal has it. */
	(void)session_outcome_write(start->name.id, &state);
}

static int refuse_start(const struct start *start, enum reason reason)
{
	const char *detail = start->preparation.detail.text;
	const struct record record = {
		.reason = reason,
		.session = start->name.id,
		.agent = start->name.agent,
		.helper = "anet-prepare",
		.detail = detail,
	};

	record_refusal(start, reason);
	(void)notify_status("refused: %s [%s]", detail, reason_code(reason));
	report_tell(&record);
	return reason_exit_status(reason);
}

static enum reason check_call(int argc, char *argv[], struct start *start)
{
	struct detail *detail = &start->preparation.detail;

	if (!session_unit_arguments(argc, argv, &start->template, &start->instance) ||
	    geteuid() != 0)
		return explain(detail, REASON_USAGE,
			       "anet-prepare is started by systemd, as root, with the "
			       "instance name of its unit");
	if (!session_name_parse(start->instance, &start->name))
		return explain(detail, REASON_SESSION_NAME_INVALID,
			       "\"%s\" is not the name of a session",
			       SHOW(start->instance));
	return REASON_OK;
}

int main(int argc, char *argv[])
{
	static struct start start;
	enum reason reason;
	int status = EX_OK;

	process_harden();
	process_reset_signals();
	if (process_pin_stdio() < 0)
		return reason_exit_status(REASON_SYSTEM);
	reason = check_call(argc, argv, &start);
	if (reason == REASON_OK) {
		/* From here on what is there is of this start: anet-outcome. */
		(void)session_outcome_forget(start.name.id);
		reason = prepare(&start);
	}
	if (reason != REASON_OK)
		status = refuse_start(&start, reason);
	arena_free(&start.preparation.arena);
	return status;
}
