/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "os/cleanup.h"
#include "os/clock.h"
#include "os/handover.h"
#include "tunnel/dial-record.h"
#include "tunnel/tunnel.h"

/* A look-up, and a race in which each of 16 attempts begins 250 ms after the other. */
#define DIAL_MS ((LIMIT_RESOLVE_SECONDS + LIMIT_CONNECT_SECONDS + 4) * 1000)

/* Until the dialer has answered, or nobody waits for that any more. */
static enum reason wait_for_dialer(const struct tunnel *tunnel)
{
	uint64_t deadline = monotonic_ms() + DIAL_MS;
	struct pollfd set[] = {
		{.fd = HANDOVER_FD, .events = POLLIN},
		{.fd = tunnel->dialer, .events = POLLIN},
		{.fd = tunnel->conn}, /* POLLERR and POLLHUP only: it may have closed
					 half */
	};

	for (;;) {
		uint64_t now = monotonic_ms();
		int n = poll(set, 3, now < deadline ? (int)(deadline - now) : 0);

		if (n < 0 && errno != EINTR)
			return REASON_SYSTEM;
		if (n < 0)
			continue;
		if (set[0].revents)
			return REASON_SUPERVISOR_GONE;
		if (set[1].revents)
			return REASON_OK;
		if (set[2].revents)
			return REASON_CLIENT_GONE;
		if (monotonic_ms() >= deadline)
			return REASON_TUNNEL_LOOKUP;
	}
}

enum reason dial(struct tunnel *tunnel)
{
	const char *host = tunnel->request.host;
	struct dial_question question = {0};
	struct dial_answer answer;
	auto_fd int fd = -1;
	enum reason reason;
	size_t n_fds = 0;

	memcpy(question.host, host, strlen(host));
	if (record_send(tunnel->dialer, &question, sizeof(question), NULL, 0) < 0)
		return failure_set(&tunnel->failure, REASON_TUNNEL_LOOKUP,
				   "'%s': the process that looks names up has ended",
				   host);
	reason = wait_for_dialer(tunnel);
	if (reason == REASON_TUNNEL_LOOKUP)
		return failure_set(&tunnel->failure, reason,
				   "'%s': the look-up took too long", host);
	if (reason != REASON_OK)
		return reason;
	if (record_receive(tunnel->dialer, &answer, sizeof(answer), &fd, 1, &n_fds) < 0)
		return failure_set(&tunnel->failure, REASON_TUNNEL_LOOKUP,
				   "'%s': the look-up ended without an answer", host);
	close_fd(&tunnel->dialer);
	if (answer.reason == REASON_OK && fd >= 0) {
		tunnel->server = take_fd(&fd);
		return REASON_OK;
	}
	answer.detail[sizeof(answer.detail) - 1] = 0;
	reason = answer.reason < REASON_COUNT &&
				 reason_http_status((enum reason)answer.reason) != 0
			 ? (enum reason)answer.reason
			 : REASON_TUNNEL_UNREACHABLE;
	return failure_set(&tunnel->failure, reason, "%s", answer.detail);
}
