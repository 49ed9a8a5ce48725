/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "gateway/gateway.h"
#include "os/cleanup.h"
#include "os/handover.h"
#include "os/run-record.h"

#define KNOWN_FLAGS (DONE_HEAD_SENT | DONE_CLOSE)

/* How many bytes have gone into the agent's connection, by whomever.  False
 * where the kernel does not say (before 4.19). */
static bool bytes_written(const struct gateway *g, uint64_t *ret_bytes)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof(info);

	if (getsockopt(g->conn, IPPROTO_TCP, TCP_INFO, &info, &size) < 0 ||
	    size < offsetof(struct tcp_info, tcpi_bytes_retrans) +
			    sizeof(info.tcpi_bytes_retrans))
		return false;
	*ret_bytes = info.tcpi_bytes_sent - info.tcpi_bytes_retrans +
		     info.tcpi_notsent_bytes;
	return true;
}

static bool receive_done(struct gateway *g, struct upstream_done *ret_done)
{
	size_t n_fds;

	if (record_receive(g->pair, ret_done, sizeof(*ret_done), NULL, 0, &n_fds) < 0)
		return false;
	return ret_done->magic == UPSTREAM_MAGIC &&
	       ret_done->version == UPSTREAM_VERSION &&
	       ret_done->size == sizeof(*ret_done) && ret_done->reason < REASON_COUNT &&
	       !(ret_done->flags & ~KNOWN_FLAGS) &&
	       memchr(ret_done->detail, 0, sizeof(ret_done->detail));
}

/* The upstream ended, or said what it must not: whether the agent can still be
 * answered depends on whether it has got a byte. */
static enum reason upstream_gone(struct gateway *g, bool knew, uint64_t before,
				 struct forwarded *ret,
				 char ret_detail[LIMIT_DETAIL + 1])
{
	uint64_t after;

	ret->close = true;
	ret->answered = !knew || !bytes_written(g, &after) || after != before;
	if (ret->answered)
		return REASON_HELPER_DIED;
	snprintf(ret_detail, LIMIT_DETAIL + 1, "anet-upstream ended without an answer");
	return REASON_UPSTREAM_UNREACHABLE;
}

static enum reason use_done(struct gateway *g, const struct upstream_done *done,
			    struct forwarded *ret, char ret_detail[LIMIT_DETAIL + 1])
{
	enum reason reason = (enum reason)done->reason;

	g->report.bytes_out += done->response_bytes;
	ret->close = done->flags & DONE_CLOSE;
	ret->answered = done->flags & DONE_HEAD_SENT;
	ret->told = reason_is_upstream(reason);
	if (reason == REASON_OK)
		return REASON_OK;
	memcpy(ret_detail, done->detail, sizeof(done->detail));
	if (ret->answered || reason == REASON_CLIENT_GONE ||
	    reason == REASON_SUPERVISOR_GONE || reason_http_status(reason) != 0)
		return reason;
	/* The agent has to get an answer, and this reason has none. */
	ret->close = true;
	return REASON_UPSTREAM_UNREACHABLE;
}

enum reason gateway_forward(struct gateway *g, const struct upstream_request *record,
			    struct judgement *judgement, struct forwarded *ret,
			    char ret_detail[LIMIT_DETAIL + 1])
{
	struct upstream_done done;
	uint64_t before = 0;
	bool knew = bytes_written(g, &before);
	auto_fd int body = -1;
	enum reason reason;
	int r;

	r = sealed_memfd("anet-body", judgement->text, judgement->length, &body);
	free(take_ptr(judgement->text));
	if (r < 0) {
		snprintf(ret_detail, LIMIT_DETAIL + 1, "no memory for the body");
		return REASON_INTERNAL;
	}
	r = record_send(g->pair, record, sizeof(*record), &body, 1);
	if (r == -ETOOMANYREFS || r == -ENOBUFS || r == -ENOMEM) {
		snprintf(ret_detail, LIMIT_DETAIL + 1, "too much is in flight");
		return REASON_INTERNAL;
	}
	if (r < 0)
		return upstream_gone(g, knew, before, ret, ret_detail);
	close_fd(&body);
	judgement_clear(judgement);
	reason = gateway_wait_for_upstream(g);
	if (reason != REASON_OK)
		return reason;
	if (!receive_done(g, &done))
		return upstream_gone(g, knew, before, ret, ret_detail);
	return use_done(g, &done, ret, ret_detail);
}
