/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-watch: sees what a run with `anet run --report` asks for.
 *
 * Job: each call of src/init/report.seccomp waits until this program has let it go on.
 * It reads which path, address or host name the call is about, keeps the different
 * ones, tells them to whoever prints the report, and always lets the call go on as it
 * is: it decides nothing, and the run's own filter, whose refusals come first
 * (seccomp(2)), is in force as ever.
 *
 * Trusts: the policy record and the descriptors from the supervisor, whose uid the
 * policy names.  What it reads of the run's memory is the run's choice, and may change
 * while it reads: it is shown to the caller and used for nothing else.
 *
 *   fd 3       the supervisor: hand-over, lifetime, outcome (core/handover.h)
 *   listener   the notifications (seccomp_unotify(2))
 *   report     the socket for what was seen (core/seen-record.h)
 *
 * A process of its own because it must have the run's uid to read its memory, because
 * it reads bytes that the run chose, and because the run waits for it: when it ends, so
 * does the run.  No Landlock, under which memory of others cannot be read.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/seen-record.h"
#include "core/seen-set.h"
#include "os/cleanup.h"
#include "os/handover.h"
#include "os/report.h"
#include "os/sandbox.h"
#include "watch/calls.h"
#include "watch/watch-seccomp.h"

/* Newer kernels may have more to say; as much as any will. */
#define NOTIFICATION_BYTES 512

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS /* Linux 6.6 */
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

static struct {
	struct policy policy;
	int listener, report;
	bool report_gone; /* nobody reads any more */
	uint64_t calls, unreadable;
	struct seen_set seen;
} watch;

static int finish(enum reason reason, const char *detail)
{
	struct report report = {.kind = HANDOVER_WATCH, .requests = watch.calls};

	report_send(&report, REPORT_OUTCOME, reason, "%s", detail);
	return reason_exit_status(reason);
}

/* The socket has a time limit (SO_SNDTIMEO), so that the run does not wait for long
 * for a reader that does not read. */
static void tell(const struct seen_record *record)
{
	size_t size = offsetof(struct seen_record, text) + strlen(record->text) + 1;

	if (!watch.report_gone && record_send(watch.report, record, size, NULL, 0) < 0)
		watch.report_gone = true;
}

static struct seen_record record_of(enum seen_kind kind)
{
	return (struct seen_record){
		.magic = SEEN_MAGIC,
		.version = SEEN_VERSION,
		.kind = (uint16_t)kind,
	};
}

static void keep(const struct asked *asked)
{
	struct seen_record record = record_of((enum seen_kind)asked->kind);

	if (!seen_set_add(&watch.seen, asked->kind, asked->port, asked->text,
			  strlen(asked->text)))
		return;
	record.port = (uint16_t)asked->port;
	memcpy(record.text, asked->text, sizeof(record.text));
	tell(&record);
}

/* Takes a notification and lets the call go on. */
static enum reason serve_call(void)
{
	union {
		struct seccomp_notif call;
		char bytes[NOTIFICATION_BYTES];
	} taken = {.bytes = ""};
	union {
		struct seccomp_notif_resp answer;
		char bytes[NOTIFICATION_BYTES];
	} given = {.bytes = ""};
	struct asked asked[MAX_ASKED];
	int n;

	if (ioctl(watch.listener, SECCOMP_IOCTL_NOTIF_RECV, &taken.call) < 0)
		/* ENOENT: it was killed meanwhile. */
		return errno == ENOENT || errno == EINTR || errno == EAGAIN
			       ? REASON_OK
			       : REASON_SYSTEM;
	watch.calls++;
	n = calls_read(&taken.call, asked);
	/* Its process id may by now be another's, and so what was read. */
	if (n != 0 &&
	    ioctl(watch.listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &taken.call.id) < 0)
		return REASON_OK;
	if (n < 0)
		watch.unreadable++;
	for (int i = 0; i < n; i++)
		keep(&asked[i]);
	given.answer.id = taken.call.id;
	given.answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	(void)ioctl(watch.listener, SECCOMP_IOCTL_NOTIF_SEND, &given.answer);
	return REASON_OK;
}

/* Until nobody is left that could call, or the supervisor says that it is over. */
static enum reason serve(void)
{
	struct pollfd polled[] = {
		{.fd = watch.listener, .events = POLLIN},
		{.fd = HANDOVER_FD, .events = POLLIN | POLLRDHUP},
	};
	enum reason reason = REASON_OK;

	while (reason == REASON_OK) {
		if (poll(polled, 2, -1) < 0) {
			if (errno != EINTR)
				return REASON_SYSTEM;
			continue;
		}
		if (polled[0].revents & POLLIN)
			reason = serve_call();
		else if (polled[0].revents)
			polled[0].fd = -1;
		/* Nothing is ever sent there after the descriptors. */
		if (polled[1].revents)
			return REASON_OK;
	}
	return reason;
}

static enum reason prepare(const char **ret_detail)
{
	enum { FD_POLICY, FD_LISTENER, FD_REPORT, PREPARE_FDS };
	struct seccomp_notif_sizes sizes = {0};
	int fds[HANDOVER_MAX_FDS] = {-1, -1, -1};
	auto_fd int policy = -1;
	size_t n_fds = 0;
	uid_t peer = 0;

	if (handover_receive(HANDOVER_WATCH, HANDOVER_PREPARE, fds, PREPARE_FDS, 0,
			     &n_fds, NULL) < 0)
		return REASON_HANDOVER_INVALID;
	policy = fds[FD_POLICY];
	watch.listener = fds[FD_LISTENER];
	watch.report = fds[FD_REPORT];
	if (policy_read(policy, &watch.policy) < 0 ||
	    !(watch.policy.flags & POLICY_REPORT))
		return REASON_POLICY_INVALID;
	if (handover_peer_uid(HANDOVER_FD, &peer) < 0 ||
	    peer != watch.policy.supervisor_uid)
		return REASON_PEER_REFUSED;
	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0 ||
	    sizes.seccomp_notif > NOTIFICATION_BYTES ||
	    sizes.seccomp_notif_resp > NOTIFICATION_BYTES) {
		*ret_detail = "the kernel's notifications are of another size";
		return REASON_SYSTEM;
	}
	/* Faster, where the kernel can: the caller goes on on the same processor. */
	(void)ioctl(watch.listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
		    SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	return REASON_OK;
}

static int enter_sandbox(void)
{
	const struct sandbox sandbox = {
		.filter = watch_seccomp,
		.filter_length = sizeof(watch_seccomp) / sizeof(watch_seccomp[0]),
		.max_fds = HANDOVER_FD + 4,
		.reads_processes = true,
	};

	return sandbox_enter(&sandbox);
}

int main(void)
{
	struct seen_record last = record_of(SEEN_WATCHED);
	const char *detail = "";
	enum reason reason;

	report_set_program("anet-watch");
	/* Not telling: without the socket there is nobody to tell. */
	if (helper_begin() < 0)
		return reason_exit_status(REASON_HANDOVER_INVALID);
	reason = prepare(&detail);
	if (reason != REASON_OK)
		return finish(reason, detail);
	if (enter_sandbox() < 0)
		return finish(REASON_SYSTEM, "anet-watch cannot enter its sandbox");
	reason = serve();
	last.count = watch.calls;
	last.lost = watch.seen.lost + watch.unreadable;
	tell(&last);
	return finish(reason, "");
}
