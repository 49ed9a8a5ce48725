/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connections to other hosts (SPEC S8): each gets a tunnel helper of its own.  One
 * waits ahead once there was a first: most runs that may reach hosts reach none.
 */
#include "session/session.h"

#include <errno.h>
#include <stddef.h>

#include "os/handover.h"

static void tunnel_free(struct session *session, struct tunnel *tunnel)
{
	bool served = tunnel->number != 0;

	watch_close(session, &tunnel->helper);
	if (session->warm_tunnel == tunnel)
		session->warm_tunnel = NULL;
	tunnel->used = false;
	if (served)
		endpoint_connection_ended(session, ENDPOINT_TUNNEL);
}

static void handle_helper(struct session *session, struct watch *watch, uint32_t events)
{
	struct tunnel *tunnel =
		(struct tunnel *)((char *)watch - offsetof(struct tunnel, helper));

	(void)events;
	if (!helper_hear(session, watch, HANDOVER_TUNNEL, tunnel->number,
			 &tunnel->told))
		tunnel_free(session, tunnel);
}

static int start(struct session *session)
{
	const int fds[] = {session->policy_fd, session->ledger_fd};
	struct tunnel *tunnel = session->tunnel_places;
	int r;

	while (tunnel->used)
		if (++tunnel == session->tunnel_places + MAX_PLACES)
			return 0; /* as pairs_warm_up() */
	*tunnel = (struct tunnel){
		.helper = {.fd = -1, .handle = handle_helper},
		.used = true,
	};
	r = helper_prepare(session, &tunnel->helper, HANDOVER_TUNNEL, fds, 2);
	if (r < 0)
		tunnel_free(session, tunnel);
	else
		session->warm_tunnel = tunnel;
	return r;
}

int tunnels_warm_up(struct session *session)
{
	if (session->warm_tunnel || session->stage != STAGE_RUNNING ||
	    session->tunnels == 0)
		return 0;
	return start(session);
}

int tunnels_hand_over(struct session *session, int fd, uint64_t number)
{
	struct tunnel *tunnel;
	int r = tunnels_warm_up(session);

	if (r < 0)
		return r;
	tunnel = session->warm_tunnel;
	if (!tunnel)
		return -EBUSY;
	session->warm_tunnel = NULL;
	tunnel->number = number;
	r = handover_send(tunnel->helper.fd, HANDOVER_TUNNEL, HANDOVER_CONNECTION,
			  number, &fd, 1);
	if (r < 0)
		tunnel_free(session, tunnel);
	return 0;
}

void tunnels_close(struct session *session)
{
	for (size_t i = 0; i < MAX_PLACES; i++)
		if (session->tunnel_places[i].used)
			tunnel_free(session, &session->tunnel_places[i]);
}
