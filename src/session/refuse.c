/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connections that are not handed over.  The answer says why, in the form that the
 * clients of the endpoint understand; what they sent is not looked at.
 */
#include "session/session.h"

#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "os/cleanup.h"

/* The provider's own shape; clients of the other API take the message out of it, too.
 */
static int model_answer(char *ret_answer, size_t size, enum reason reason)
{
	char body[512];
	int length = snprintf(body, sizeof(body),
			      "{\"type\":\"error\",\"error\":{\"type\":"
			      "\"permission_error\",\"message\":\"anet: %s\"}}",
			      reason_sentence(reason));

	return snprintf(ret_answer, size,
			"HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\n"
			"x-should-retry: false\r\nanet-reason: %s\r\n"
			"content-length: %d\r\nconnection: close\r\n\r\n%s",
			reason_code(reason), length, body);
}

/* Of an answer to CONNECT most clients show nothing but its first line. */
static int tunnel_answer(char *ret_answer, size_t size, enum reason reason)
{
	char body[256];
	int length =
		snprintf(body, sizeof(body), "anet: %s\n", reason_sentence(reason));

	return snprintf(ret_answer, size,
			"HTTP/1.1 %d anet: %s\r\ncontent-type: text/plain\r\n"
			"anet-reason: %s\r\ncontent-length: %d\r\n"
			"connection: close\r\n\r\n%s",
			reason_http_status(reason), reason_sentence(reason),
			reason_code(reason), length, body);
}

/* Its request is there, or its end; closed before that, the answer could be lost to a
 * reset (RFC 9112 9.6). */
static void handle_lingering(struct session *session, struct watch *watch,
			     uint32_t events)
{
	char ignored[4096];

	(void)events;
	while (recv(watch->fd, ignored, sizeof(ignored), MSG_DONTWAIT) > 0)
		;
	watch_close(session, watch);
}

/* Told once for each limit that no end of a connection gives back: a run that goes on
 * asking would leave no room in the journal for anything else. */
static void tell(struct session *session, enum reason reason)
{
	if (reason == REASON_LIMIT_TUNNELS_OPEN || session->refusals[reason].n == 0)
		session_event(session, reason, "anet-session", "");
	else
		session_count(session, reason, "anet-session", "");
}

void refuse_connection(struct session *session, enum endpoint_kind kind, int fd,
		       enum reason reason)
{
	struct watch *place =
		&session->lingering[session->n_lingering++ % MAX_LINGERING];
	char answer[1024];
	int length = kind == ENDPOINT_MODEL
			     ? model_answer(answer, sizeof(answer), reason)
			     : tunnel_answer(answer, sizeof(answer), reason);

	(void)send(fd, answer, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
	(void)shutdown(fd, SHUT_WR);
	if (place->handle)
		watch_close(session, place);
	*place = (struct watch){.fd = fd, .handle = handle_lingering};
	(void)watch_set(session, place, EPOLLIN | EPOLLRDHUP);
	tell(session, reason);
}

void refuse_close(struct session *session)
{
	for (size_t i = 0; i < MAX_LINGERING; i++)
		if (session->lingering[i].handle)
			watch_close(session, &session->lingering[i]);
}
