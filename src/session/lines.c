/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The output of a unit's run, line by line, into the journal.
 *
 * It passes through here and not straight to journald: the stream of a service
 * takes a priority from the line itself (sd-daemon(3)), would be a socket of the
 * host inside the run, and would let a run drown what anet has to say of it.
 */
#include "session/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "os/report.h"

static bool may_log(struct session *s)
{
	uint64_t now = monotonic_ms();
	uint64_t more = (now - s->lines_at) * LIMIT_JOURNAL_RATE / 1000;

	if (more > 0) {
		s->lines_at = now;
		s->lines_left = more + s->lines_left > LIMIT_JOURNAL_BURST
					? LIMIT_JOURNAL_BURST
					: s->lines_left + (unsigned int)more;
	}
	if (s->lines_left == 0) {
		s->lines_dropped++;
		return false;
	}
	s->lines_left--;
	return true;
}

/* Once in a while: it would else be said for every second line. */
#define TELL_DROPPED_MS 10000

static void tell_dropped(struct session *s, bool at_last)
{
	uint64_t now = monotonic_ms();
	char text[96];

	if (s->lines_dropped == 0 ||
	    (!at_last && now - s->lines_told_at < TELL_DROPPED_MS))
		return;
	s->lines_told_at = now;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " lines of the run's output are left out here",
		 s->lines_dropped);
	s->lines_dropped = 0;
	session_event(s, REASON_OUTPUT_DROPPED, "anet-session", text);
}

static void end_line(struct session *s, struct lines *lines)
{
	if (may_log(s)) {
		const struct output_line line = {
			.session = s->policy.session,
			.agent = s->policy.agent,
			.stream = lines->name,
			.text = lines->text,
			.length = lines->length,
		};

		tell_dropped(s, false);
		if (journal_send_line(&line) < 0)
			s->lines_dropped++;
	}
	lines->length = 0;
}

void lines_take(struct session *s, struct lines *lines, const uint8_t *bytes,
		size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\n') {
			end_line(s, lines);
			continue;
		}
		if (lines->length == sizeof(lines->text))
			end_line(s, lines);
		lines->text[lines->length++] = (char)bytes[i];
	}
}

void lines_flush(struct session *s, struct lines *lines)
{
	if (lines->length > 0)
		end_line(s, lines);
	tell_dropped(s, true);
}
