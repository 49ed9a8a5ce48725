/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the supervisor says of a run while it lasts: to the journal, or to the
 * caller, but never into a full-screen program and never as fast as a run can
 * make it.
 */
#include "session/session.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/hostname.h"
#include "os/report.h"

/* Refusals that are told at once; what comes faster is counted. */
#define EVENT_BURST 200
/* How long the last messages of a run that was ended may take. */
#define MESSAGES_MS 2000

static struct record record_of(const struct session *s, enum reason reason,
			       const char *helper, const char *detail)
{
	return (struct record){
		.reason = reason,
		.session = s->policy.session,
		.agent = s->policy.agent,
		.helper = helper,
		.detail = detail,
	};
}

static void hold(struct session *s, enum reason reason, const char *helper,
		 const char *detail)
{
	if (s->n_held < sizeof(s->held) / sizeof(s->held[0])) {
		struct held *held = &s->held[s->n_held];

		held->reason = reason;
		held->helper = helper;
		snprintf(held->detail, sizeof(held->detail), "%s", detail);
	}
	s->n_held++;
}

bool session_may_print(const struct session *s)
{
	struct pollfd polled = {.fd = STDERR_FILENO, .events = POLLOUT};

	/* A run that ended by itself waits for its caller like any program. */
	return poll(&polled, 1, s->end_signal || s->reason ? MESSAGES_MS : -1) > 0;
}

void session_print_held(const struct session *s)
{
	size_t places = sizeof(s->held) / sizeof(s->held[0]);

	for (size_t i = 0; i < s->n_held && i < places && session_may_print(s); i++) {
		const struct record record = record_of(
			s, s->held[i].reason, s->held[i].helper, s->held[i].detail);

		report_print(&record);
	}
	if ((s->n_held > places || s->events_hidden) && session_may_print(s))
		fprintf(stderr, "anet: and %" PRIu64 " more events like these\n",
			(s->n_held > places ? s->n_held - places : 0) +
				s->events_hidden);
}

/* A burst is told whole, then one in a second. */
static bool may_tell(struct session *s)
{
	uint64_t now = monotonic_ms(), seconds = (now - s->events_at) / 1000;

	s->events = seconds > s->events ? 0 : s->events - (unsigned int)seconds;
	s->events_at += seconds * 1000;
	if (s->events >= EVENT_BURST) {
		s->events_hidden++;
		return false;
	}
	s->events++;
	return true;
}

void session_count(struct session *s, enum reason reason, const char *helper,
		   const char *detail)
{
	refusals_keep(s, reason, helper, detail);
	if (!reason_is_refusal(reason))
		return;
	s->refused++;
	atomic_store(&s->ledger->session.refused, s->refused);
	report_count(s, reason, detail);
}

/* `detail` is a sentence for whoever reads one record alone. */
static void tell(struct session *s, enum reason reason, const char *helper,
		 const char *detail, const char *destination)
{
	struct record record = record_of(s, reason, helper, detail);

	record.destination = destination;
	if (!may_tell(s))
		return;
	/* Refused requests are for the journal, where there is one; what befalls
	 * the run as a whole, its caller has to know as well. */
	if (journal_send(&record) == 0 &&
	    (reason_is_refusal(reason) || report_goes_to_journal()))
		return;
	/* A full-screen program must not be written into, and a caller who does
	 * not read must not keep the limits from being watched. */
	if (s->tty_raw || !stream_writable(STDERR_FILENO))
		hold(s, reason, helper, detail);
	else
		report_print(&record);
}

void session_event(struct session *s, enum reason reason, const char *helper,
		   const char *detail)
{
	session_count(s, reason, helper, detail);
	tell(s, reason, helper, detail, NULL);
}

void session_tell_death(struct session *session, const char *helper)
{
	char text[160];

	snprintf(text, sizeof(text), "%s ended in the middle of a connection", helper);
	if (session->policy.flags & POLICY_UNIT)
		snprintf(text, sizeof(text),
			 "%s ended without a report: `journalctl -u '%s@*'` may say why",
			 helper, helper);
	session_event(session, REASON_HELPER_DIED, helper, text);
}

/* A helper says what it saw; who reads the record wants to know what it means. */
void session_tell_report(struct session *session, const struct report *report,
			 const char *helper)
{
	static const char *const whats[2][2] = {
		{"refused a request of the agent", "a request of the agent failed"},
		{"refused a tunnel", "a tunnel failed"},
	};
	enum reason reason = (enum reason)report->reason;
	bool tunnel = report->kind == HANDOVER_TUNNEL, named;
	bool failed = reason_http_status(reason) >= 500;
	char text[LIMIT_DETAIL + 1], host[LIMIT_HOST_NAME + 1];

	if (!reason_is_refusal(reason)) {
		session_event(session, reason, helper, report->detail);
		return;
	}
	named = tunnel && hostname_quoted(report->detail, host);
	if (named && reason == REASON_TUNNEL_HOST)
		report_host(session, host);
	snprintf(text, sizeof(text), "%s: %s%s%.120s%s", whats[tunnel][failed], reason_sentence(reason),
		 report->detail[0] ? " (" : "", report->detail, report->detail[0] ? ")" : "");
	session_count(session, reason, helper, report->detail);
	tell(session, reason, helper, text, named ? host : NULL);
}

/* Where the connection went to, NULL if to nobody.  A helper that was taken over could
 * write anything as its detail. */
static const char *destination_of(const struct session *s, const struct report *report)
{
	const char *host = report->detail, *ignored;

	if (report->kind == HANDOVER_UPSTREAM)
		return s->policy.host;
	if (report->kind != HANDOVER_TUNNEL ||
	    hostname_check((const uint8_t *)host, strlen(host), &ignored) != REASON_OK)
		return NULL;
	return host;
}

void session_tell_outcome(struct session *s, const struct report *report,
			  const char *helper)
{
	char detail[LIMIT_DETAIL + 1];
	const char *destination = destination_of(s, report), *said = report->detail;
	struct record record = record_of(s, REASON_OK, helper, detail);
	bool tunnel = report->kind == HANDOVER_TUNNEL;

	/* Of a tunnel that was refused its EVENT has told all there is. */
	if (tunnel && (!destination || !(report->bytes_in || report->bytes_out)))
		return;
	if (!may_tell(s))
		return;
	if (tunnel)
		said = "";
	snprintf(detail, sizeof(detail),
		 "%s has served connection %" PRIu64 "%s%.100s (%s): requests %" PRIu64
		 ", bytes sent %" PRIu64 ", received %" PRIu64 "%s%.60s",
		 helper, report->connection, destination ? " to " : "",
		 destination ? destination : "", reason_code(report->reason),
		 report->requests, report->bytes_in, report->bytes_out, *said ? "; " : "",
		 said);
	record.reason = (enum reason)report->reason;
	record.connection = report->connection;
	record.destination = destination;
	record.bytes_in = report->bytes_in;
	record.bytes_out = report->bytes_out;
	record.usec = report->usec;
	(void)journal_send(&record);
}

int session_refuse(const struct session *s, enum reason reason, const char *detail)
{
	const struct record record = record_of(s, reason, "anet-session", detail);

	report_tell(&record);
	return reason_exit_status(reason);
}

void session_print_end(const struct session *s)
{
	const struct record record = record_of(s, s->reason, "anet-session", s->detail);

	report_print(&record);
}

void session_tell_end(const struct session *s)
{
	const struct ledger_upstream *used = &s->ledger->upstream;
	char detail[LIMIT_DETAIL + 1], how[112] = "";
	struct record record;
	int length;

	if (s->report_fd >= 0)
		return; /* the probe is no run */
	if (s->agent_ended)
		snprintf(how, sizeof(how),
			 WIFSIGNALED(s->agent_status) ? " by signal %d"
						      : " with status %d",
			 WIFSIGNALED(s->agent_status) ? WTERMSIG(s->agent_status)
						      : WEXITSTATUS(s->agent_status));
	else
		snprintf(how, sizeof(how), ": %.108s",
			 s->reason == REASON_OK ? "it was stopped"
			 : *s->detail	      ? s->detail
					      : reason_sentence(s->reason));
	length = snprintf(detail, sizeof(detail),
			  "the run ended%s; limits %s; connections %" PRIu64
			  ", model requests %" PRIu64 ", token counts %" PRIu64
			  ", refused %" PRIu64,
			  how, s->have_scope ? "full" : reason_code(REASON_NO_CGROUP_LIMITS),
			  s->connections, atomic_load(&used->requests),
			  atomic_load(&used->count_tokens), s->refused);
	if (s->policy.egress != EGRESS_NONE)
		length += snprintf(detail + length, sizeof(detail) - (size_t)length,
				   ", tunnels %" PRIu64, s->tunnels);
	if (s->events_hidden)
		(void)snprintf(detail + length, sizeof(detail) - (size_t)length,
			       ", not told %" PRIu64, s->events_hidden);
	record = record_of(s, s->agent_ended ? REASON_OK : s->reason, "anet-session",
			   detail);
	record.bytes_in = atomic_load(&used->request_bytes);
	record.bytes_out = atomic_load(&used->response_bytes);
	record.usec = (monotonic_ms() - s->started_at) * 1000;
	if (s->policy.flags & POLICY_UNIT)
		(void)journal_send_last(&record);
	else
		(void)journal_send(&record);
}
