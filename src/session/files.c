/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/handover.h"

/* For some dozen names and the walk that it leaves; a filesystem that hangs does not
 * keep the caller. */
#define LAST_WORD_MS 3000

/* Of the directory with this number, as files_begin() has sent them. */
static const char *measured_source(const struct session *session, uint64_t number)
{
	/* anet-files has the run's uid: it may be wrong. */
	if (number >= session->n_measured)
		number = 0;
	return session->view.entries[session->measured[number].entry].source;
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

	if (!limits->growth_bytes && !limits->growth_entries && session->share_fd < 0)
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
	if (session->share_fd >= 0)
		fds[n++] = session->share_fd;
	for (size_t i = 0; i < session->n_measured; i++)
		fds[n++] = session->measured[i].fd;
	r = handover_send(session->files.fd, HANDOVER_FILES, HANDOVER_PREPARE, 0, fds,
			  n);
	session->files_begun = r == 0;
	return r < 0 ? r : watch_set(session, &session->files, EPOLLIN);
}

/* Its reports up to the last one, or to the end of its time. */
static bool wait_for_last_word(struct session *session)
{
	uint64_t end = monotonic_ms() + LAST_WORD_MS, now;
	struct pollfd polled = {.fd = session->files.fd, .events = POLLIN};
	struct report report;

	while ((now = monotonic_ms()) < end && poll(&polled, 1, (int)(end - now)) >= 0) {
		if (!(polled.revents & (POLLIN | POLLHUP)))
			continue;
		if (!report_receive(session, session->files.fd, &report))
			return false;
		if (report.type == REPORT_OUTCOME)
			return session->share->done;
	}
	return false;
}

void files_end(struct session *session)
{
	/* End of file is what it waits for; it can answer still. */
	if (session->share && session->files_begun && session->files.fd >= 0 &&
	    shutdown(session->files.fd, SHUT_WR) == 0) {
		if (wait_for_last_word(session))
			left_found(session);
		else
			session_event(session, REASON_HELPER_DIED, "anet-files",
				      "anet-files did not say what the run left in its "
				      "workspace for programs outside");
	}
	watch_close(session, &session->files);
}
