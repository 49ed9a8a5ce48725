/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A gateway on trial: the same program that serves runs gets a request and is both
 * supervised and answered by this process, so that there is no second judge that
 * could be of another opinion.
 */
#include "cli/why-trial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/endpoint.h"
#include "core/handover.h"
#include "os/clock.h"
#include "os/cleanup.h"
#include "os/handover.h"
#include "os/helper.h"
#include "os/ledger.h"
#include "os/run-record.h"

#define GATEWAY ANET_HELPER_DIR "/anet-gateway"
/* Longer than any judgement takes on a busy machine. */
#define PATIENCE_MS 60000
#define MAX_STATUS_LINE 512

struct gateway {
	int supervisor, pair, conn;
	pid_t pid;
};

static void gateway_end(struct gateway *gateway)
{
	close_fd(&gateway->supervisor);
	close_fd(&gateway->pair);
	close_fd(&gateway->conn);
	if (gateway->pid > 0) {
		/* It ends by itself, but nobody is to wait for that. */
		(void)kill(gateway->pid, SIGKILL);
		(void)waitpid(gateway->pid, NULL, 0);
	}
}

static enum reason failed(struct detail *ret_detail, const char *what)
{
	return explain(ret_detail, REASON_SYSTEM, "%s: %s", what, strerror(errno));
}

static enum reason gateway_start(struct gateway *gateway, struct detail *ret_detail)
{
	auto_fd int program = open(GATEWAY, O_PATH | O_CLOEXEC);
	auto_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	auto_fd int theirs = -1;
	int ends[2];

	if (program < 0 || faccessat(program, "", X_OK, AT_EMPTY_PATH) < 0)
		return explain(ret_detail, REASON_HELPER_MISSING,
			       "the helper " GATEWAY " cannot be executed: %s",
			       strerror(errno));
	if (null < 0)
		return failed(ret_detail, "/dev/null");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return failed(ret_detail, "a socket for the gateway");
	gateway->supervisor = ends[0];
	theirs = ends[1];
	gateway->pid = helper_spawn(program, "anet-gateway", theirs, null, (uid_t)-1);
	if (gateway->pid < 0)
		return failed(ret_detail, "starting the gateway");
	return REASON_OK;
}

static enum reason gateway_prepare(struct gateway *gateway, const struct policy *policy,
				   struct detail *ret_detail)
{
	auto_fd int policy_fd = -1, ledger_fd = -1, read_fd = -1;
	auto_fd int pair = -1, conn = -1;
	struct ledger *ledger;
	int ends[2], r;

	r = ledger_create(&ledger, &ledger_fd, &read_fd);
	if (r < 0) {
		errno = -r;
		return failed(ret_detail, "the ledger");
	}
	(void)munmap(ledger, LEDGER_BYTES);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return failed(ret_detail, "a socket for the gateway");
	gateway->pair = ends[0];
	pair = ends[1];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) <
	    0)
		return failed(ret_detail, "a connection to the gateway");
	gateway->conn = ends[0];
	conn = ends[1];
	r = policy_write(policy, &policy_fd);
	if (r == 0)
		r = handover_send(gateway->supervisor, HANDOVER_GATEWAY,
				  HANDOVER_PREPARE, 0, (int[]){policy_fd, read_fd, pair},
				  3);
	if (r == 0)
		r = handover_send(gateway->supervisor, HANDOVER_GATEWAY,
				  HANDOVER_CONNECTION, 1, &conn, 1);
	errno = -r;
	return r == 0 ? REASON_OK : failed(ret_detail, "handing over to the gateway");
}

/* What would go to the upstream. */
static bool take_forwarded(struct gateway *gateway, struct trial *ret)
{
	struct upstream_request *record = &ret->record;
	auto_free char *body = NULL;
	int fds[1] = {-1};
	size_t n_fds = 0;

	if (record_receive(gateway->pair, record, sizeof(*record), fds, 1, &n_fds) < 0)
		return false;
	auto_fd int fd = fds[0];
	if (record->magic != UPSTREAM_MAGIC ||
	    record->body_bytes > LIMIT_BODY_BYTES ||
	    !endpoint_path((enum endpoint)record->endpoint))
		return false;
	body = calloc(1, record->body_bytes + 1ul);
	if (!body || pread(fd, body, record->body_bytes, 0) != record->body_bytes)
		return false;
	ret->body = take_ptr(body);
	ret->end = TRIAL_FORWARDED;
	return true;
}

/* Of the helper's reports only a refusal and the last one say something here. */
static bool take_report(struct gateway *gateway, struct trial *ret, bool *ret_over)
{
	struct report report;
	size_t n_fds;

	if (record_receive(gateway->supervisor, &report, sizeof(report), NULL, 0,
			   &n_fds) < 0 ||
	    report.magic != HANDOVER_MAGIC || report.reason >= REASON_COUNT)
		return false;
	report.detail[LIMIT_DETAIL] = 0;
	ret->reason = (enum reason)report.reason;
	memcpy(ret->text, report.detail, sizeof(ret->text));
	if (report.type == REPORT_EVENT && reason_http_status(ret->reason)) {
		ret->http_status = reason_http_status(ret->reason);
		ret->end = TRIAL_REFUSED;
	} else if (report.type == REPORT_OUTCOME) {
		*ret_over = true;
		if (ret->reason == REASON_CLIENT_GONE)
			ret->end = TRIAL_INCOMPLETE;
	}
	return true;
}

/* The status of a final answer (RFC 9110 15.2: 1xx are not), 0 before it is there.
 * What a refusal answers is known from its report. */
static int take_status(struct gateway *gateway, char *line, size_t *length)
{
	ssize_t got = recv(gateway->conn, line + *length, MAX_STATUS_LINE - *length,
			   MSG_DONTWAIT);
	char *end;

	if (got <= 0)
		return 0;
	*length += (size_t)got;
	line[*length] = 0;
	for (;;) {
		int status = 0;

		/* The gateway's own answers: three digits, always. */
		if (*length < 12 || memcmp(line, "HTTP/1.1 ", 9) != 0)
			return 0;
		for (int i = 9; i < 12; i++)
			status = status * 10 + (line[i] - '0');
		if (status >= 200)
			return status;
		end = strstr(line, "\r\n\r\n");
		if (!end)
			return 0;
		*length -= (size_t)(end + 4 - line);
		memmove(line, end + 4, *length + 1);
	}
}

/* Sends what fits; at the end tells that no more comes, so that a gateway that
 * waits for more says so at once. */
static bool feed(struct gateway *gateway, const uint8_t *request, size_t length,
		 size_t *sent)
{
	ssize_t got = send(gateway->conn, request + *sent, length - *sent,
			   MSG_DONTWAIT | MSG_NOSIGNAL);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	*sent += (size_t)got;
	return *sent < length || shutdown(gateway->conn, SHUT_WR) == 0;
}

static enum reason watch(struct gateway *gateway, const uint8_t *request, size_t length,
			 struct trial *ret, struct detail *ret_detail)
{
	struct pollfd polled[] = {
		{.fd = gateway->pair, .events = POLLIN},
		{.fd = gateway->supervisor, .events = POLLIN},
		{.fd = gateway->conn, .events = POLLIN | POLLOUT},
	};
	uint64_t end = monotonic_ms() + PATIENCE_MS;
	char line[MAX_STATUS_LINE + 1];
	size_t sent = 0, line_length = 0;
	bool over = false;
	int status;

	while (!ret->end && !over && monotonic_ms() < end) {
		if (poll(polled, 3, PATIENCE_MS) < 0 && errno != EINTR)
			return failed(ret_detail, "waiting for the gateway");
		/* At its end too: what it has said before is in the other socket. */
		if (polled[0].revents && !take_forwarded(gateway, ret))
			polled[0].fd = -1;
		if (!ret->end && polled[1].revents && !take_report(gateway, ret, &over))
			break;
		if (polled[2].revents & POLLOUT && sent < length &&
		    !feed(gateway, request, length, &sent))
			sent = length; /* it has answered and does not read on */
		if (sent == length)
			polled[2].events = POLLIN;
		/* It has closed: only its last report is to come. */
		if (polled[2].revents & (POLLHUP | POLLERR) &&
		    !(polled[2].revents & POLLIN))
			polled[2].fd = -1;
		if (ret->end || !(polled[2].revents & POLLIN))
			continue;
		status = take_status(gateway, line, &line_length);
		if (status && status < 400) {
			ret->http_status = status;
			ret->end = TRIAL_ANSWERED;
		} else if (status || line_length == MAX_STATUS_LINE) {
			polled[2].events &= POLLOUT; /* its report follows */
		}
	}
	if (ret->end)
		return REASON_OK;
	return explain(ret_detail, REASON_HELPER_DIED,
		       "anet-gateway did not decide%s%s", over ? ": " : "",
		       over ? reason_sentence(ret->reason) : "");
}

enum reason trial_run(const struct policy *policy, const uint8_t *request,
		      size_t length, struct trial *ret_trial, struct detail *ret_detail)
{
	struct gateway gateway = {.supervisor = -1, .pair = -1, .conn = -1};
	struct trial trial = {.end = 0};
	enum reason reason = gateway_start(&gateway, ret_detail);

	if (reason == REASON_OK)
		reason = gateway_prepare(&gateway, policy, ret_detail);
	if (reason == REASON_OK)
		reason = watch(&gateway, request, length, &trial, ret_detail);
	gateway_end(&gateway);
	if (reason == REASON_OK)
		*ret_trial = trial;
	return reason;
}
