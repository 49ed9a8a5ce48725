/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-outcome: the last step of a session under systemd.
 *
 * Job: `anet-outcome [--host] INSTANCE`, run whatever happened.  Ends what is left of the
 * session's processes, records how it ended, removes its directory, and gives its
 * uids back.
 *
 * Trusts: what root wrote.  The supervisor's last record is of fixed size, and
 * nothing in it is followed; its directory is emptied without following anything.
 * The instance name is what somebody typed.
 *
 * Descriptors: 0 to 2.  Environment: SERVICE_RESULT, EXIT_CODE, EXIT_STATUS
 * (systemd.exec(5)), NOTIFY_SOCKET.
 *
 * A process of its own, since the supervisor may be dead, and never had the rights.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "core/session-name.h"
#include "os/cleanup.h"
#include "os/notify.h"
#include "os/process.h"
#include "os/report.h"
#include "os/session-clean.h"
#include "os/session-dir.h"
#include "os/session-outcome.h"
#include "os/session-unit.h"
#include "os/uid-processes.h"
#include "outcome/decide.h"

/* SIGKILL takes a moment; what hangs in a disk or a network file system takes as
 * long as that, and then keeps its uids. */
#define END_PROCESSES_MS 3000

static struct session_name name;

static int fail(enum reason reason, const char *what, const char *why)
{
	char detail[512];
	const struct record record = {
		.reason = reason,
		.session = name.id,
		.agent = name.agent,
		.helper = "anet-outcome",
		.detail = detail,
	};

	snprintf(detail, sizeof(detail), "the end of session %s: %s: %s", name.id, what,
		 why);
	report_tell(&record);
	return reason_exit_status(reason);
}

/* Whether SESSION_ROOT/ID is of this unit: 1, 0 if it is another's, -ENOENT if it
 * is not there, or -errno.  The directory may have been changed, for which there was
 * no run: whose it was is told by the record, which only root can write. */
static int is_ours(const char *template, const char *instance)
{
	auto_fd int directory = session_dir_find(name.id);
	struct session_unit unit, self;
	int r;

	if (directory < 0)
		return directory;
	session_unit_self(template, instance, &self);
	r = session_unit_read(directory, &unit);
	if (r == -ENOENT)
		return -EPERM; /* a directory is there as a whole */
	return r < 0 ? r : strcmp(unit.name, self.name) == 0;
}

/* Nobody has these uids any more, or it is said why not: only then another session
 * may get them. */
static int end_processes(void)
{
	struct uid_pair pair;
	int r = uid_range_find(UID_DIRECTORY, name.id, &pair);

	if (r == 0)
		r = uid_end_processes(&pair, END_PROCESSES_MS);
	return r == -ENOENT ? 0 : r;
}

static bool read_state(struct session_state *ret_state)
{
	auto_fd int directory = session_dir_find(name.id), live = -1;

	if (directory < 0)
		return false;
	live = openat(directory, SESSION_LIVE_DIRECTORY,
		      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return live >= 0 &&
	       session_state_read(live, SESSION_STATE_FILE, ret_state) == 0;
}

/* One line in `systemctl status`, one record in the journal unless there is one,
 * and the outcome for `anet sessions`. */
static int tell(const struct outcome *outcome, struct session_state *state)
{
	const struct record record = {
		.reason = outcome->reason,
		.session = name.id,
		.agent = name.agent,
		.helper = "anet-outcome",
		.detail = outcome->detail,
		.bytes_in = state->request_bytes,
		.bytes_out = state->response_bytes,
	};
	int r;

	(void)notify_status("ended: %s [%s]", outcome->detail,
			    reason_code(outcome->reason));
	if (!outcome->told)
		report_tell(&record);
	state->reason = outcome->reason;
	snprintf(state->detail, sizeof(state->detail), "%s", outcome->detail);
	r = session_outcome_write(name.id, state);
	return r < 0 ? fail(REASON_SYSTEM, "cannot write " OUTCOME_ROOT, strerror(-r))
		     : EX_OK;
}

static int record_end(bool prepared)
{
	struct session_state state = {0};
	struct outcome outcome;
	bool has_state = prepared && read_state(&state);
	const struct outcome_facts facts = {
		.service_result = secure_getenv("SERVICE_RESULT"),
		.exit_code = secure_getenv("EXIT_CODE"),
		.exit_status = secure_getenv("EXIT_STATUS"),
		.prepared = prepared,
		.state = has_state ? &state : NULL,
	};

	outcome_decide(&facts, &outcome);
	if (outcome.keep && session_outcome_exists(name.id))
		return EX_OK;
	return tell(&outcome, &state);
}

/* The uids last: until then nobody else has them, and what is looked at here stays
 * what it is. */
static int clean_up(int ended)
{
	int r = session_dir_remove(name.id);

	if (r < 0 && r != -ENOENT)
		return fail(REASON_SYSTEM,
			    "cannot remove " SESSION_ROOT " and its name",
			    strerror(-r));
	if (ended < 0)
		return fail(REASON_SYSTEM,
			    "processes of its user ids are left, which stay reserved",
			    strerror(-ended));
	r = uid_range_release(UID_DIRECTORY, name.id);
	return r < 0 && r != -ENOENT
		       ? fail(REASON_SYSTEM,
			      "cannot give back user ids in " UID_DIRECTORY,
			      strerror(-r))
		       : EX_OK;
}

static int finish(const char *template, const char *instance)
{
	auto_fd int lock = session_lock(name.id);
	int ours, ended, status, cleaned;

	if (lock < 0)
		return fail(REASON_SYSTEM, "cannot lock " RUN_ANET "/lock",
			    strerror(-lock));
	ours = is_ours(template, instance);
	/* A start that was refused because the session runs under its other name. */
	if (ours == 0)
		return EX_OK;
	if (ours < 0 && ours != -ENOENT)
		return fail(REASON_RECORD_UNSAFE,
			    "its directory in " SESSION_ROOT " is not as root made it",
			    strerror(-ours));
	/* First, so that nobody changes any more what is read and removed. */
	ended = end_processes();
	status = record_end(ours == 1);
	cleaned = clean_up(ended);
	return status != EX_OK ? status : cleaned;
}

int main(int argc, char *argv[])
{
	const char *template, *instance;

	process_harden();
	process_reset_signals();
	report_set_program("anet-outcome");
	if (process_pin_stdio() < 0)
		return reason_exit_status(REASON_SYSTEM);
	if (!session_unit_arguments(argc, argv, &template, &instance) || geteuid() != 0)
		return refuse(REASON_USAGE,
			      "anet-outcome is started by systemd, as root, with the "
			      "instance name of its unit");
	/* What anet-prepare refused by its name has left nothing. */
	if (!session_name_parse(instance, &name))
		return EX_OK;
	return finish(template, instance);
}
