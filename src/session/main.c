/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-session: the supervisor of one run.
 *
 * Job: does what needs the caller's rights first (opens what is mounted, puts
 * the run into a scope, maps ids), drops them, then lets the run begin; copies
 * its standard streams, hands its connections to helpers, watches its limits,
 * ends it, and says how it ended.
 *
 * Trusts: the policy and run records on its descriptors, made by whoever
 * started it.  From the run it reads nothing but the bytes that it copies to
 * the caller; from its helpers, which do read hostile bytes, records of fixed
 * size.
 *
 * Descriptors: enum session_fd (os/run-record.h).  In the foreground the key
 * passes through it as a sealed memfd that it never reads.  Under systemd it has
 * arguments, which name its unit, and no descriptor: it opens the records
 * in the directory of the session (os/session-dir.h), and has no key at all.
 *
 * A process of its own for each session: a fault in one ends one, and the
 * kernel's own notions of a process (uid, cgroup, descriptors) are the limits
 * of what it may do.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/cgroup.h"
#include "os/cleanup.h"
#include "os/handover.h"
#include "os/ledger.h"
#include "os/notify.h"
#include "os/process.h"
#include "os/report.h"
#include "os/sandbox.h"
#include "os/session-unit.h"
#include "session/session-seccomp.h"
#include "session/session.h"


static struct session session;

/* To who asked for the probe; nobody else wants it. */
static void report_probe(enum reason reason, const char *detail)
{
	struct report report = {
		.magic = HANDOVER_MAGIC,
		.version = HANDOVER_VERSION,
		.size = sizeof(report),
		.type = REPORT_OUTCOME,
		.reason = reason,
	};

	snprintf(report.detail, sizeof(report.detail), "%s", detail);
	(void)record_send(session.report_fd, &report, sizeof(report), NULL, 0);
}

void refuse_start(enum reason reason, const char *detail)
{
	/* Also of a unit whose records are not good enough to know it by. */
	(void)notify_status("%s [%s]", *detail ? detail : reason_sentence(reason),
			    reason_code(reason));
	if (session.policy.flags & POLICY_UNIT)
		unit_ended(&session, reason, detail);
	if (session.report_fd < 0)
		exit(session_refuse(&session, reason, detail));
	report_probe(reason, detail);
	exit(reason_exit_status(reason));
}

static void refuse_errno(enum reason reason, const char *what, int r)
{
	char detail[LIMIT_DETAIL + 1];

	if (r >= 0)
		return;
	snprintf(detail, sizeof(detail), "%s: %s", what, strerror(-r));
	refuse_start(reason, detail);
}

static int open_program(const char *name)
{
	char path[sizeof(ANET_HELPER_DIR) + 32], detail[LIMIT_DETAIL + 1];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", ANET_HELPER_DIR, name);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd >= 0 && faccessat(fd, "", X_OK, AT_EMPTY_PATH) == 0)
		return fd;
	snprintf(detail, sizeof(detail), "the helper %.160s: %s", path, strerror(errno));
	refuse_start(REASON_HELPER_MISSING, detail);
}

static void open_programs(void)
{
	session.null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (session.null_fd < 0)
		refuse_errno(REASON_SYSTEM, "/dev/null", -errno);
	session.init_program = open_program("anet-init");
	session.files_program = open_program("anet-files");
	session.scope_program = open_program("anet-scope");
	session.gateway_program = session.upstream_program = session.watch_program = -1;
	session.tunnel_program = -1;
	if (session.policy.flags & POLICY_REPORT)
		session.watch_program = open_program("anet-watch");
	/* A unit's helpers are started by systemd. */
	if (session.policy.flags & POLICY_UNIT)
		return;
	if (session.policy.egress != EGRESS_NONE)
		session.tunnel_program = open_program("anet-tunnel");
	if (session.policy.wire == WIRE_NONE)
		return;
	session.gateway_program = open_program("anet-gateway");
	session.upstream_program = open_program("anet-upstream");
}

/* Whether a session of a unit may go on without: where the machine cannot limit
 * anything, not where it could and has not. */
static bool may_lack_scope(void)
{
	char missing[LIMIT_DETAIL + 1];

	return !(session.policy.flags & POLICY_UNIT) ||
	       cgroup_probe(missing, sizeof(missing)) < 0;
}

static void enter_scope(void)
{
	const struct scope_manager manager = { ask_scope, session.scope_program };
	char missing[LIMIT_DETAIL + 1], description[LIMIT_SESSION_ID + 16];
	const struct scope_request request = {
		.pid = session.bwrap_pid,
		.session = session.policy.session,
		.description = description,
		.bound_to = session.policy.flags & POLICY_UNIT ? session.unit : NULL,
		.limits = &session.policy.limits,
	};

	if (session.policy.flags & POLICY_PROBE)
		return; /* it ends within seconds and is anet's own program */
	snprintf(description, sizeof(description), "anet run %s", session.policy.session);
	session.scope = SCOPE_NONE;
	if (scope_start(&manager, &request, &session.scope, missing, sizeof(missing)) < 0) {
		if (!may_lack_scope())
			refuse_start(REASON_SCOPE_FAILED, missing);
		session_event(&session, REASON_NO_CGROUP_LIMITS, "anet-session", missing);
		return;
	}
	session.have_scope = true;
	session_watch_scope(&session);
}

/* As many descriptors in flight as the caller may have, see set_limits(), and one for
 * each mount. */
static void raise_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	session.soft_files = files.rlim_cur;
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
}

static int drop_rights(void)
{
	uid_t uid = session.policy.supervisor_uid;
	size_t groups = session.policy.flags & POLICY_UNIT ? 1 : 0;

	/* From root to another uid all capabilities go (capabilities(7)).  Of a unit
	 * it keeps the one group that may ask for helpers. */
	if (session.policy.flags & POLICY_SEPARATE_UIDS &&
	    (setgroups(groups, &session.helpers_group) < 0 ||
	     setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0))
		return -errno;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	process_harden(); /* a change of uid makes a process dumpable again */
	return sandbox_filter(session_seccomp, sizeof(session_seccomp) / sizeof(session_seccomp[0]));
}

/* The outcome of the unit: the limit that was hit, who ended it, or that it ended
 * by itself. */
static void tell_unit(enum reason hit)
{
	if (!session.agent_ended)
		unit_ended(&session, session.reason, session.detail);
	else if (hit == REASON_OK && session.end_signal)
		unit_ended(&session, REASON_INTERRUPTED, "it was stopped");
	else
		unit_ended(&session, hit, "");
}

static int finish(enum reason hit)
{
	int status = session.agent_status;

	streams_restore(&session);
	session_tell_end(&session);
	if (!session.agent_ended)
		refusals_keep(&session, session.reason, "anet-session", session.detail);
	if (hit == REASON_LIMIT_MEMORY)
		refusals_keep(&session, hit, "anet-session", "");
	if (session.policy.flags & POLICY_UNIT)
		tell_unit(hit);
	/* From here on the caller may end this program like any other. */
	process_inherit_signals();
	signal(SIGPIPE, SIG_IGN);
	session_print_held(&session);
	left_print(&session);
	if (hit == REASON_LIMIT_MEMORY && session_may_print(&session))
		(void)refuse(hit, "a process of the run was killed: it reached %" PRIu64
				  " MiB of memory",
			     session.policy.limits.memory_bytes >> 20);
	if (session.have_scope)
		scope_close(&session.scope);
	if (session.agent_ended && session.report_fd >= 0)
		report_probe(REASON_OK, "");
	/* `systemctl stop` is no failure of the unit, whatever the agent makes of it. */
	if (session.end_signal && session.policy.flags & POLICY_UNIT)
		return 0;
	if (session.agent_ended)
		return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (session.end_signal)
		return 128 + session.end_signal;
	if (session.report_fd >= 0)
		report_probe(session.reason, session.detail);
	else if (!report_goes_to_journal() && session_may_print(&session))
		session_print_end(&session);
	return reason_exit_status(session.reason);
}

/* All that needs the rights of whoever started it. */
static void begin(void)
{
	char detail[LIMIT_DETAIL + 1] = "";
	enum reason reason = REASON_OK;

	raise_files();
	open_programs();
	if (session.policy.flags & POLICY_UNIT)
		reason = unit_find_sockets(&session, detail, sizeof(detail));
	if (reason)
		refuse_start(reason, detail);
	refuse_errno(REASON_SYSTEM, "the ledger",
		     ledger_create(&session.ledger, &session.ledger_fd,
				   &session.ledger_read_fd));
	refuse_errno(REASON_SYSTEM, "the event loop", session_open_watches(&session));
	if (session.policy.strategy == STRATEGY_HOST) {
		reason = host_prepare(&session, detail, sizeof(detail));
	} else {
		reason = mounts_prepare(&session, detail, sizeof(detail));
		if (!reason)
			reason = staging_prepare(&session, detail, sizeof(detail));
	}
	if (!reason)
		reason = measured_open(&session, detail, sizeof(detail));
	if (!reason) {
		refuse_errno(REASON_SYSTEM, "what the run will leave", left_open(&session));
		refusals_open(&session);
		reason = run_start(&session, detail, sizeof(detail));
	}
	if (reason)
		refuse_start(reason, detail);
	enter_scope();
	if (session.policy.strategy == STRATEGY_HOST)
		session_event(&session, REASON_NO_BOUNDARY, "anet-session", "");
	refuse_errno(REASON_SYSTEM, "anet-files", files_start(&session));
	refuse_errno(REASON_SYSTEM, "anet-watch", report_start(&session));
	refuse_errno(REASON_SYSTEM, "dropping root's rights", drop_rights());
	if (session.policy.flags & POLICY_UNIT)
		refuse_errno(REASON_SYSTEM, "the state of the session", unit_begin(&session));
	refuse_errno(REASON_SYSTEM, "the run's first process", run_release(&session));
}

int main(int argc, char *argv[])
{
	const char *template, *instance;
	enum reason hit;
	int status;

	process_harden();
	process_inherit_signals();
	report_set_program("anet-session");
	session.policy_fd = session.credential_fd = session.report_fd = session.live = -1;
	session.host_listener = session.endpoint_key_fd = session.kept_fd = -1;
	session.seen_fd = session.notifications = session.watcher.fd = -1;
	if (process_pin_stdio() < 0)
		return reason_exit_status(REASON_SYSTEM);
	session.started_at = monotonic_ms();
	if (argc == 1)
		records_from_descriptors(&session);
	else if (session_unit_arguments(argc, argv, &template, &instance))
		records_of_unit(&session, template, instance);
	else
		refuse_start(REASON_USAGE,
			     "anet-session is started by `anet run` or by a unit");
	begin();
	while (session.stage != STAGE_GONE || !streams_done(&session))
		refuse_errno(REASON_SYSTEM, "the event loop", watch_dispatch(&session));
	hit = session.have_scope ? scope_limit_hit(&session.scope) : REASON_OK;
	status = finish(hit);
	report_finish(&session, hit);
	return status;
}
