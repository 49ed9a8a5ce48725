/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/serve.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "os/cleanup.h"
#include "os/handover.h"

/* Takes the request and its bytes out of what the session may use. */
static enum reason reserve(struct server *server, struct failure *failure)
{
	const struct upstream_request *record = &server->exchange.request.record;
	const struct policy_limits *limits = &server->policy->limits;
	struct ledger_upstream *used = &server->ledger->upstream;
	bool counting = record->endpoint == ENDPOINT_COUNT_TOKENS;
	_Atomic uint64_t *counter = counting ? &used->count_tokens : &used->requests;
	uint64_t limit = counting ? limits->count_tokens : limits->requests;

	if (!ledger_reserve(counter, 1, limit))
		return failure_set(failure,
				   counting ? REASON_LIMIT_COUNT_TOKENS
					    : REASON_LIMIT_REQUESTS,
				   "all %ju are used", (uintmax_t)limit);
	if (!ledger_reserve(&used->request_bytes, record->body_bytes,
			    limits->request_bytes)) {
		atomic_fetch_sub(counter, 1);
		return failure_set(failure, REASON_LIMIT_REQUEST_BYTES,
				   "%u more bytes would pass the limit of %ju",
				   record->body_bytes,
				   (uintmax_t)limits->request_bytes);
	}
	return REASON_OK;
}

/* Tells the supervisor and the gateway what became of a request.  Returns
 * false when the gateway is gone. */
static bool finish(struct server *server, enum reason reason,
		   const struct failure *failure)
{
	const struct relay *relay = &server->exchange.relay;
	struct upstream_done done = {
		.magic = UPSTREAM_MAGIC,
		.version = UPSTREAM_VERSION,
		.size = sizeof(done),
		.reason = reason,
		.http_status = relay->head.done ? relay->head.status : 0,
		.flags = relay->head_sent ? DONE_HEAD_SENT : 0,
		.response_bytes = relay->body_bytes,
	};

	memcpy(done.detail, failure->detail, sizeof(done.detail));
	server->report.bytes_out += relay->body_bytes;
	atomic_fetch_add(&server->ledger->upstream.response_bytes, relay->body_bytes);
	/* An answer that was announced as the last, or broke off, cannot be
	 * followed by another; and a name that leads nowhere is looked up anew
	 * only for another connection. */
	if (relay->head_sent ? reason != REASON_OK || relay->last
			     : reason == REASON_UPSTREAM_UNREACHABLE)
		done.flags |= DONE_CLOSE;
	if (relay->head_sent && reason != REASON_OK)
		(void)shutdown(relay->conn, SHUT_RDWR);
	if (reason_is_upstream(reason)) {
		struct report event = server->report;

		report_send(&event, REPORT_EVENT, reason, "%s", failure->detail);
	}
	return record_send(server->exchange.watch.pair, &done, sizeof(done), NULL, 0) ==
	       0;
}

static enum reason serve_one(struct server *server, struct failure *failure)
{
	struct exchange *exchange = &server->exchange;
	struct request *request = &exchange->request;
	auto_fd int body = -1;
	size_t n_fds = 0;
	enum reason reason;
	int r;

	r = record_receive(exchange->watch.pair, &request->record,
			   sizeof(request->record), &body, 1, &n_fds);
	if (r < 0 || n_fds != 1)
		return failure_set(failure, REASON_HANDOVER_INVALID,
				   "the gateway's record: %s",
				   r < 0 ? strerror(-r) : "no body");
	reason = request_check(&request->record, server->policy, body, failure);
	if (reason != REASON_OK)
		return reason;
	request->body = body;
	server->report.requests++;
	relay_begin(&exchange->relay, false);
	reason = reserve(server, failure);
	if (reason == REASON_OK) {
		server->report.bytes_in += request->record.body_bytes;
		reason = exchange_run(exchange, failure);
	}
	if (reason == REASON_SUPERVISOR_GONE || reason == REASON_HANDOVER_INVALID)
		return reason;
	return finish(server, reason, failure) ? REASON_OK : REASON_CLIENT_GONE;
}

enum reason serve(struct server *server, struct failure *failure)
{
	enum reason reason;

	do {
		*failure = (struct failure){""};
		reason = watch_idle(&server->exchange.watch);
		if (reason == REASON_OK)
			reason = serve_one(server, failure);
	} while (reason == REASON_OK);
	service_close(&server->exchange.service, true);
	/* The end of the pair is how a connection ends. */
	return reason == REASON_CLIENT_GONE ? REASON_OK : reason;
}
