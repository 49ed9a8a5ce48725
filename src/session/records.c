/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a supervisor has the records from that say what it is to run.
 */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/session-name.h"
#include "os/cleanup.h"
#include "os/handover.h"
#include "os/report.h"
#include "os/session-dir.h"
#include "os/session-unit.h"

__attribute__((noreturn)) static void refuse_record(enum reason reason,
						    const char *what, int r)
{
	char detail[LIMIT_DETAIL + 1];

	snprintf(detail, sizeof(detail), "%.180s: %s", what, strerror(-r));
	refuse_start(reason, detail);
}

static void check_limits(const struct session *session)
{
	if (session->policy.limits.connections_at_once > MAX_PLACES - 2)
		refuse_start(REASON_POLICY_INVALID,
			     "limits.connections_at_once is too large");
	/* Whoever runs without a boundary has the machine's network. */
	if (session->policy.strategy == STRATEGY_HOST &&
	    session->policy.egress != EGRESS_NONE)
		refuse_start(REASON_POLICY_INVALID,
			     "a session without a boundary has no egress to limit");
}

/* Whatever is not one of these two is no reason to choose one. */
static void check_strategy(const struct session *session)
{
	if (session->policy.strategy != STRATEGY_HOST &&
	    session->policy.strategy != STRATEGY_SRT)
		refuse_start(REASON_POLICY_INVALID,
			     "the policy has no strategy that this program knows");
}

void records_from_descriptors(struct session *session)
{
	int last = SESSION_FD_RUN, r;

	session->policy_fd = SESSION_FD_POLICY;
	r = policy_read(SESSION_FD_POLICY, &session->policy);
	if (r < 0)
		refuse_record(REASON_POLICY_INVALID, "the policy of the session", r);
	r = run_record_read(SESSION_FD_RUN, true, &session->run);
	if (r < 0)
		refuse_record(REASON_POLICY_INVALID, "the record of the run", r);
	close(SESSION_FD_RUN);
	if (session->policy.flags & POLICY_UNIT)
		refuse_start(REASON_POLICY_INVALID, "the policy is that of a unit");
	if (session->policy.flags & POLICY_CREDENTIAL_FD)
		session->credential_fd = last = SESSION_FD_EXTRA;
	if (session->policy.flags & POLICY_PROBE)
		session->report_fd = last = SESSION_FD_EXTRA;
	if (session->policy.flags & POLICY_SEPARATE_UIDS)
		last = SESSION_FD_UID_LOCK;
	if (session->policy.flags & POLICY_REPORT)
		session->seen_fd = last = SESSION_FD_REPORT;
	for (int fd = SESSION_FD_POLICY; fd <= last; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC); /* EBADF where there is none */
	(void)close_range((unsigned int)last + 1, ~0u, 0);
	check_strategy(session);
	if (geteuid() == 0 && !(session->policy.flags & POLICY_SEPARATE_UIDS))
		refuse_start(REASON_POLICY_INVALID,
			     "root started this session without a uid for its run");
	check_limits(session);
}

static int open_record(int directory, const struct session_name *name,
		       const char *record, mode_t mode)
{
	int fd = session_record_open(directory, record, mode);
	char detail[LIMIT_DETAIL + 1];

	if (fd >= 0)
		return fd;
	snprintf(detail, sizeof(detail),
		 fd == -EPERM
			 ? "%s/%s/%s is not root's own file with mode %04o"
			 : "%s/%s/%s, which anet-prepare has written, cannot be opened",
		 SESSION_ROOT, name->id, record, (unsigned int)mode);
	if (fd == -EPERM || fd == -ENOENT)
		refuse_start(REASON_RECORD_UNSAFE, detail);
	refuse_record(REASON_SYSTEM, detail, fd);
}

static int open_directory(const char *id)
{
	char path[sizeof(SESSION_ROOT) + LIMIT_SESSION_ID + 2];
	int fd = session_dir_open(id);

	snprintf(path, sizeof(path), SESSION_ROOT "/%s", id);
	if (fd == -EPERM || fd == -ENOTDIR || fd == -ELOOP || fd == -ENOENT)
		refuse_record(REASON_RECORD_UNSAFE, path, fd);
	if (fd < 0)
		refuse_record(REASON_SYSTEM, path, fd);
	return fd;
}

void records_of_unit(struct session *session, const char *template, const char *instance)
{
	bool host = strcmp(template, HOST_UNIT_TEMPLATE) == 0;
	struct session_name name;
	auto_fd int directory = -1, run = -1;
	int r;

	(void)close_range(SESSION_FD_POLICY, ~0u, 0);
	if (!session_name_parse(instance, &name))
		refuse_start(
			REASON_SESSION_NAME_INVALID,
			"the instance of this unit is not AGENT or AGENT-INTERACTION");
	if (geteuid() != 0)
		refuse_start(REASON_USAGE, "with the name of a session, anet-session "
					   "is started by its unit");
	snprintf(session->unit, sizeof(session->unit), "%s@%.128s.service", template,
		 instance);
	/* Each is opened once, checked, and used as what was opened. */
	directory = open_directory(name.id);
	session->policy_fd = open_record(directory, &name, SESSION_POLICY_FILE, 0444);
	run = open_record(directory, &name, SESSION_RUN_FILE, 0400);
	r = policy_read(session->policy_fd, &session->policy);
	if (r < 0)
		refuse_record(REASON_POLICY_INVALID, "the policy of the session", r);
	r = run_record_read(run, false, &session->run);
	if (r < 0)
		refuse_record(REASON_POLICY_INVALID, "the record of the run", r);
	check_strategy(session);
	/* Each template has its strategy: a record cannot change it. */
	if (strcmp(session->policy.session, name.id) != 0 ||
	    (session->policy.strategy == STRATEGY_HOST) != host ||
	    session->policy.run_uid == 0 ||
	    (session->policy.flags & ~(uint32_t)(POLICY_PLAIN_HTTP | POLICY_PROTECT)) !=
		    (POLICY_UNIT | POLICY_SEPARATE_UIDS))
		refuse_start(REASON_RECORD_UNSAFE,
			     "the policy is that of another session");
	session->live = openat(directory, SESSION_LIVE_DIRECTORY,
			       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (session->live < 0)
		refuse_record(REASON_SYSTEM, SESSION_LIVE_DIRECTORY, -errno);
	check_limits(session);
}
