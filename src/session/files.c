/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/handover.h"

/* Of the directory with this number, as files_begin() has sent them. */
static const char *measured_source(const struct session *session, uint64_t number)
{
	for (size_t i = 0; i < session->view.n; i++)
		if (session->mounts[i].measured >= 0 && number-- == 0)
			return session->view.entries[i].source;
	return "the workspace"; /* anet-files has the run's uid: it may be wrong */
}

static void handle_report(struct session *session, struct watch *watch, uint32_t events)
{
	const struct policy_limits *limits = &session->policy.limits;
	struct report report;

	(void)events;
	if (!report_receive(session, watch->fd, &report)) {
		watch_close(session, watch);
		/* Nobody would see the workspace grow any more. */
		if (session->stage == STAGE_RUNNING)
			session_end(session, REASON_HELPER_DIED,
				    "anet-files ended in the run");
		return;
	}
	if (report.type == REPORT_MEASURE) {
		atomic_store(&session->ledger->session.growth_bytes, report.bytes_in);
		atomic_store(&session->ledger->session.growth_entries,
			     report.bytes_out);
	}
	if (report.reason == REASON_LIMIT_GROWTH)
		session_end(session, REASON_LIMIT_GROWTH,
			    "%.110s has grown by more than %" PRIu64
			    " MiB, or cannot be measured: %.80s",
			    measured_source(session, report.connection),
			    limits->growth_bytes >> 20, report.detail);
	else if (report.reason == REASON_LIMIT_ENTRIES)
		session_end(session, REASON_LIMIT_ENTRIES,
			    "%.110s has got more than %" PRIu64
			    " new files and directories, or cannot be measured: %.80s",
			    measured_source(session, report.connection),
			    limits->growth_entries, report.detail);
	else if (report.type == REPORT_OUTCOME && report.reason != REASON_OK &&
		 report.reason != REASON_SUPERVISOR_GONE)
		session_end(session, (enum reason)report.reason, "anet-files: %s",
			    report.detail);
}

int files_start(struct session *session)
{
	const struct policy_limits *limits = &session->policy.limits;
	bool as_run = session->policy.flags & POLICY_SEPARATE_UIDS;
	int fds[2], r;

	if (!limits->growth_bytes && !limits->growth_entries)
		return 0;
	r = helper_socketpair(session, fds);
	if (r < 0)
		return r;
	session->files = (struct watch){.fd = fds[0], .handle = handle_report};
	session->files_pid = helper_start(session, session->files_program, "anet-files",
					  fds[1], as_run);
	close(fds[1]);
	return session->files_pid < 0 ? session->files_pid : 0;
}

int files_begin(struct session *session)
{
	int fds[HANDOVER_MAX_FDS] = {session->policy_fd}, r;
	size_t n = 1;

	if (session->files.fd < 0)
		return 0;
	for (size_t i = 0; i < session->view.n && n < HANDOVER_MAX_FDS; i++)
		if (session->mounts[i].measured >= 0)
			fds[n++] = session->mounts[i].measured;
	r = handover_send(session->files.fd, HANDOVER_FILES, HANDOVER_PREPARE, 0, fds,
			  n);
	return r < 0 ? r : watch_set(session, &session->files, EPOLLIN);
}
