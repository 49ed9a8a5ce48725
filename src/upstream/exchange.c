/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "upstream/exchange.h"

/* How long the next step may take, from now. */
static int64_t deadline(const struct exchange *exchange)
{
	int seconds = exchange->relay.head.done ? LIMIT_SILENCE_SECONDS
						: LIMIT_ANSWER_SECONDS;

	return watch_now() + (int64_t)seconds * 1000;
}

static enum reason late(const struct exchange *exchange, struct failure *failure)
{
	if (relay_pending(&exchange->relay))
		return failure_set(failure, REASON_CLIENT_GONE,
				   "the agent read nothing of the answer for %d s",
				   LIMIT_SILENCE_SECONDS);
	return failure_set(failure, REASON_UPSTREAM_TIMEOUT, "nothing %s for %d s",
			   exchange->relay.head.done ? "of the rest of the answer came"
						     : "was answered",
			   exchange->relay.head.done ? LIMIT_SILENCE_SECONDS
						     : LIMIT_ANSWER_SECONDS);
}

/* Takes what the service has sent: one piece, and what is left of a TLS record
 * that was longer, which poll(2) would not tell of. */
static enum reason receive(struct exchange *exchange, bool *ret_progress,
			   struct failure *failure)
{
	struct relay *relay = &exchange->relay;
	enum reason reason = REASON_OK;
	struct failure broken;

	do {
		size_t length;

		switch (service_read(&exchange->service, exchange->piece,
				     sizeof(exchange->piece), &length, &broken)) {
		case IO_BYTES:
			*ret_progress = true;
			reason = relay_feed(relay, exchange->piece, length, failure);
			break;
		case IO_AGAIN:
			return REASON_OK;
		case IO_END:
			return relay_end(relay, failure);
		case IO_BROKEN:
			return failure_set(failure, REASON_UPSTREAM_PROTOCOL,
					   "the connection broke: %s", broken.detail);
		}
	} while (reason == REASON_OK && !relay->complete && !relay_pending(relay) &&
		 service_pending(&exchange->service));
	return reason;
}

/* One round: waits, then moves what can be moved.  *ret_progress tells whether
 * the deadline begins anew. */
static enum reason step(struct exchange *exchange, struct wait *wait,
			bool *ret_progress, struct failure *failure)
{
	struct service *service = &exchange->service;
	struct request *request = &exchange->request;
	struct relay *relay = &exchange->relay;
	bool answering = relay->head.done;
	enum reason reason;

	wait->service = service->fd;
	wait->agent = relay_pending(relay);
	/* While the agent is behind, the service has to wait, too. */
	wait->service_events = wait->agent ? 0 : service->read_wants;
	if (!request->done)
		wait->service_events |= service->write_wants;
	reason = watch_wait(&exchange->watch, wait);
	if (reason == REASON_UPSTREAM_TIMEOUT)
		return late(exchange, failure);
	if (reason != REASON_OK)
		return reason;
	*ret_progress = wait->agent_ready;
	if (wait->agent_ready)
		reason = relay_flush(relay);
	/* Reading comes first: an answer that comes before the request has been
	 * sent is often followed by a reset. */
	if (reason == REASON_OK && wait->service_ready && !relay_pending(relay) &&
	    !relay->complete)
		reason = receive(exchange, ret_progress, failure);
	/* Bytes of a head do not count: it has one deadline as a whole. */
	if (!answering && !relay->head.done)
		*ret_progress = false;
	if (reason != REASON_OK)
		return reason;
	/* Nobody needs the rest of a request that has been refused. */
	if (!request->done && relay->head.done && relay->head.status >= 300)
		request_give_up(request);
	if (!request->done && wait->service_ready) {
		bool sent = false;

		reason = request_send(request, service, &sent, failure);
		*ret_progress |= sent;
	}
	return reason;
}

static enum reason carry(struct exchange *exchange, struct failure *failure)
{
	struct relay *relay = &exchange->relay;
	struct wait wait = {.deadline = deadline(exchange)};

	while (!relay->complete || relay_pending(relay)) {
		bool progress = false;
		enum reason reason = step(exchange, &wait, &progress, failure);

		if (reason != REASON_OK)
			return reason;
		if (progress)
			wait.deadline = deadline(exchange);
	}
	return REASON_OK;
}

/* The service had closed a connection that it kept for us. */
static bool was_stale(const struct exchange *exchange, enum reason reason)
{
	const struct http1_response *head = &exchange->relay.head;

	return exchange->service.used && reason == REASON_UPSTREAM_PROTOCOL &&
	       head->length + head->skipped == 0;
}

static enum reason run_once(struct exchange *exchange, bool *ret_again,
			    struct failure *failure)
{
	struct service *service = &exchange->service;
	struct relay *relay = &exchange->relay;
	enum reason reason;

	*ret_again = false;
	relay_begin(relay, exchange->request.record.flags & UPSTREAM_LAST);
	if (!service_reusable(service)) {
		service_close(service, false);
		reason = service_connect(service, &exchange->watch, failure);
		if (reason != REASON_OK)
			return reason;
	}
	request_begin(&exchange->request);
	reason = carry(exchange, failure);
	if (reason == REASON_CLIENT_GONE && relay_said_all(relay)) {
		relay->last = true;
		reason = REASON_OK;
	}
	request_give_up(&exchange->request);
	*ret_again = was_stale(exchange, reason);
	service->used = true;
	if (reason != REASON_OK)
		service_close(service, false);
	else if (!relay->head.keep_alive || relay->surplus || !relay->complete ||
		 !exchange->request.whole)
		service_close(service, true);
	return reason;
}

enum reason exchange_run(struct exchange *exchange, struct failure *failure)
{
	enum reason reason;
	bool again;

	reason = run_once(exchange, &again, failure);
	if (again)
		reason = run_once(exchange, &again, failure);
	return reason;
}
