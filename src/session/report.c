/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The report of a run (POLICY_REPORT): gives the notifications of the run's calls to
 * anet-watch, which tells what it sees to whoever prints, and adds at the end what
 * this program knows itself.
 */
#include "session/session.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/seen-record.h"
#include "os/cleanup.h"
#include "os/handover.h"

/* How long a run may wait for who prints; he does nothing but read meanwhile. */
#define SEND_MS 1000
/* How long the last words of anet-watch may take, and those of a report whose run was
 * ended by its caller. */
#define LAST_WORDS_MS 2000

static void send_record(const struct session *session, struct seen_record *record,
			const char *text)
{
	record->magic = SEEN_MAGIC;
	record->version = SEEN_VERSION;
	snprintf(record->text, sizeof(record->text), "%s", text);
	/* Who does not read any more gets no report. */
	(void)record_send(session->seen_fd, record,
			  offsetof(struct seen_record, text) + strlen(record->text) + 1,
			  NULL, 0);
}

static void tell_blind(const struct session *session, const char *why)
{
	struct seen_record record = {.kind = SEEN_BLIND};

	send_record(session, &record, why);
}

static void handle_watcher(struct session *session, struct watch *watch,
			   uint32_t events)
{
	struct report report;

	(void)events;
	if (report_receive(session, watch->fd, &report)) {
		if (report.type != REPORT_OUTCOME || report.reason == REASON_OK)
			return;
		session_end(session, (enum reason)report.reason, "anet-watch: %s",
			    *report.detail ? report.detail
					   : reason_sentence(report.reason));
		return;
	}
	watch_close(session, watch);
	/* The run's calls would wait for ever. */
	if (session->stage == STAGE_RUNNING && session->notifications >= 0)
		session_end(session, REASON_HELPER_DIED, "anet-watch ended in the run");
}

int report_start(struct session *session)
{
	const struct timeval patience = {.tv_sec = SEND_MS / 1000};
	bool as_run = session->policy.flags & POLICY_SEPARATE_UIDS;
	int fds[2], r;

	if (!(session->policy.flags & POLICY_REPORT))
		return 0;
	if (setsockopt(session->seen_fd, SOL_SOCKET, SO_SNDTIMEO, &patience,
		       sizeof(patience)) < 0)
		return -errno;
	r = helper_socketpair(session, fds);
	if (r < 0)
		return r;
	session->watcher = (struct watch){.fd = fds[0], .handle = handle_watcher};
	r = helper_start(session, session->watch_program, "anet-watch", fds[1], as_run);
	close(fds[1]);
	return r < 0 ? r : 0;
}

int report_begin(struct session *session, int notifications, int error)
{
	int fds[] = {session->policy_fd, notifications, session->seen_fd}, r;
	char text[160];

	if (!(session->policy.flags & POLICY_REPORT))
		return 0;
	if (notifications < 0) {
		snprintf(text, sizeof(text),
			 error == -EBUSY
				 ? "anet itself runs below a program that watches "
				   "system calls, and there can be one"
				 : "the kernel gives no notifications: %s",
			 strerror(-error));
		tell_blind(session, text);
		watch_close(session, &session->watcher);
		return 0;
	}
	/* Kept until the end: without any listener the calls would fail instead of
	 * waiting, and the run would go on with wrong answers. */
	session->notifications = notifications;
	r = handover_send(session->watcher.fd, HANDOVER_WATCH, HANDOVER_PREPARE, 0, fds,
			  3);
	return r < 0 ? r : watch_set(session, &session->watcher, EPOLLIN);
}

void report_count(struct session *session, enum reason reason, const char *detail)
{
	struct refusals *refusals = &session->refusals[reason];

	if (refusals->n++ == 0)
		snprintf(refusals->detail, sizeof(refusals->detail), "%s", detail);
}

/* The run's programs name it to the tunnel endpoint alone: anet-watch sees no question
 * for it and no connection to it. */
void report_host(struct session *session, const char *host)
{
	struct seen_record record = {.kind = SEEN_HOST, .port = 443};

	if (session->seen_fd >= 0)
		send_record(session, &record, host);
}

/* anet-watch tells its last, sees the end of its socket and ends. */
static void end_watcher(struct session *session)
{
	struct pollfd polled = {.fd = session->watcher.fd, .events = POLLIN};
	uint64_t end = monotonic_ms() + LAST_WORDS_MS;
	struct report report;

	if (session->watcher.fd < 0)
		return;
	(void)shutdown(session->watcher.fd, SHUT_WR);
	while (monotonic_ms() < end && poll(&polled, 1, LAST_WORDS_MS) > 0)
		if (!report_receive(session, session->watcher.fd, &report))
			break;
	watch_close(session, &session->watcher);
}

void report_finish(struct session *session, enum reason hit)
{
	struct pollfd polled = {.fd = session->seen_fd, .events = POLLIN};
	bool ended = session->end_signal || session->reason;

	if (!(session->policy.flags & POLICY_REPORT))
		return;
	end_watcher(session);
	for (unsigned int reason = 0; reason < REASON_COUNT; reason++) {
		struct seen_record record = {
			.kind = SEEN_REFUSED,
			.reason = reason,
			.count = session->refusals[reason].n,
		};

		if (record.count)
			send_record(session, &record, session->refusals[reason].detail);
	}
	for (int i = 0; i < 2; i++) {
		enum reason limit = i ? hit : session->reason;
		struct seen_record record = {.kind = SEEN_LIMIT, .reason = limit};

		if (limit != REASON_OK && (i || !session->agent_ended))
			send_record(session, &record, i ? "" : session->detail);
	}
	/* He prints now, and the caller's prompt comes after that. */
	(void)shutdown(session->seen_fd, SHUT_WR);
	(void)poll(&polled, 1, ended ? LAST_WORDS_MS : -1);
	close_fd(&session->seen_fd);
}
