/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connections to the model service: each gets a gateway and an upstream of its own.
 * One pair waits ahead, since starting one takes longer than using it.
 */
#include "session/session.h"

#include <errno.h>
#include <stddef.h>

#include "os/cleanup.h"
#include "os/handover.h"

static void pair_free(struct session *session, struct pair *pair)
{
	bool served = pair->number != 0;

	watch_close(session, &pair->gateway);
	watch_close(session, &pair->upstream);
	if (session->warm_pair == pair)
		session->warm_pair = NULL;
	pair->used = false;
	if (served)
		endpoint_connection_ended(session, ENDPOINT_MODEL);
}

static void hear(struct session *session, struct pair *pair, struct watch *watch,
		 enum handover_kind kind, bool *told)
{
	if (helper_hear(session, watch, kind, pair->number, told))
		return;
	/* The other one sees the end of the socket between them. */
	if (pair->gateway.fd < 0 && pair->upstream.fd < 0)
		pair_free(session, pair);
	else if (session->warm_pair == pair)
		session->warm_pair = NULL;
}

static void handle_gateway(struct session *session, struct watch *watch,
			   uint32_t events)
{
	struct pair *pair =
		(struct pair *)((char *)watch - offsetof(struct pair, gateway));

	(void)events;
	hear(session, pair, watch, HANDOVER_GATEWAY, &pair->gateway_told);
}

static void handle_upstream(struct session *session, struct watch *watch,
			    uint32_t events)
{
	struct pair *pair =
		(struct pair *)((char *)watch - offsetof(struct pair, upstream));

	(void)events;
	hear(session, pair, watch, HANDOVER_UPSTREAM, &pair->upstream_told);
}

static struct pair *pair_take(struct session *session)
{
	for (size_t i = 0; i < MAX_PLACES; i++) {
		struct pair *pair = &session->pairs[i];

		if (pair->used)
			continue;
		*pair = (struct pair){
			.gateway = {.fd = -1, .handle = handle_gateway},
			.upstream = {.fd = -1, .handle = handle_upstream},
			.used = true,
		};
		return pair;
	}
	return NULL;
}

static int pair_start(struct session *session, struct pair *pair)
{
	auto_fd int one = -1, other = -1;
	int ends[2], r;

	r = helper_socketpair(session, ends);
	if (r < 0)
		return r;
	one = ends[0];
	other = ends[1];
	const int for_upstream[] = {session->policy_fd, session->ledger_fd, one,
				    session->credential_fd};
	const int for_gateway[] = {session->policy_fd, session->ledger_read_fd, other,
				   session->endpoint_key_fd};

	/* The slower one first: OpenSSL starts while the gateway does. */
	r = helper_prepare(session, &pair->upstream, HANDOVER_UPSTREAM, for_upstream,
			   session->credential_fd >= 0 ? 4 : 3);
	if (r < 0)
		return r;
	return helper_prepare(session, &pair->gateway, HANDOVER_GATEWAY, for_gateway,
			      session->endpoint_key_fd >= 0 ? 4 : 3);
}

int pairs_warm_up(struct session *session)
{
	struct pair *pair;
	int r;

	if (session->warm_pair || session->stage != STAGE_RUNNING)
		return 0;
	pair = pair_take(session);
	if (!pair)
		return 0; /* more are ending than places: the next connection tries
			     again */
	r = pair_start(session, pair);
	if (r < 0)
		pair_free(session, pair);
	else
		session->warm_pair = pair;
	return r;
}

int pairs_hand_over(struct session *session, int fd, uint64_t number)
{
	struct pair *pair;
	int r = pairs_warm_up(session);

	if (r < 0)
		return r;
	pair = session->warm_pair;
	if (!pair)
		return -EBUSY;
	session->warm_pair = NULL;
	pair->number = number;
	/* The upstream first: the gateway may ask it for something at once. */
	r = handover_send(pair->upstream.fd, HANDOVER_UPSTREAM, HANDOVER_CONNECTION,
			  number, &fd, 1);
	if (r == 0)
		r = handover_send(pair->gateway.fd, HANDOVER_GATEWAY,
				  HANDOVER_CONNECTION, number, &fd, 1);
	if (r < 0)
		pair_free(session, pair);
	return 0;
}

void pairs_close(struct session *session)
{
	for (size_t i = 0; i < MAX_PLACES; i++)
		if (session->pairs[i].used)
			pair_free(session, &session->pairs[i]);
}
