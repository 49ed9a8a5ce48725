/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the run was refused, kept for `anet why ID`.
 */
#include "session/session.h"

#include <stdlib.h>
#include <unistd.h>

#include "os/refused-file.h"

void refusals_open(struct session *session)
{
	/* Of units and of root: /run, as places_find() has it for who asks. */
	const char *runtime =
		geteuid() == 0 ? "/run" : secure_getenv("XDG_RUNTIME_DIR");

	if (session->report_fd >= 0 || !runtime || runtime[0] != '/')
		return; /* the probe is no run */
	refused_record_begin(&session->kept, session->policy.session,
			     session->policy.agent, realtime_usec());
	/* An account without such a place has the journal. */
	session->kept_fd = refused_file_make(runtime, session->policy.session);
}

/* What has an answer to the agent, or a limit of the run, for its reason. */
static bool is_refusal(enum reason reason)
{
	static const enum reason limits[] = {
		REASON_LIMIT_WALL_CLOCK, REASON_LIMIT_GROWTH, REASON_LIMIT_ENTRIES,
		REASON_LIMIT_MEMORY,	 REASON_LIMIT_TASKS,
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (reason == limits[i])
			return true;
	return reason_is_refusal(reason);
}

void refusals_keep(struct session *session, enum reason reason, const char *helper,
		   const char *detail)
{
	if (session->kept_fd < 0 || !is_refusal(reason))
		return;
	refused_record_add(&session->kept, reason, helper, detail, realtime_usec());
	/* A full /run takes nothing; the next one has all. */
	(void)refused_file_write(session->kept_fd, &session->kept);
}
