/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OUTCOME_DECIDE_H
#define ANET_OUTCOME_DECIDE_H

#include <stdbool.h>

#include "core/reason.h"
#include "core/session-state.h"

/* What is known of a session's end.  The words are those of systemd.exec(5),
 * "Environment Variables Set or Propagated by the Service Manager"; NULL or "" where
 * there is none. */
struct outcome_facts {
	const char *service_result; /* $SERVICE_RESULT: "success", "oom-kill", … */
	const char *exit_code;	    /* $EXIT_CODE, of the supervisor: "exited", … */
	const char *exit_status;    /* $EXIT_STATUS: "0", "KILL", … */
	/* Its preparation had come to its end: the records were there. */
	bool prepared;
	const struct session_state *state; /* the supervisor's last; NULL: none */
};

struct outcome {
	enum reason reason;
	/* The supervisor, or the preparation, has said so itself: it stands in the
	 * journal. */
	bool told;
	/* The preparation refused, and its own record of that stays. */
	bool keep;
	char detail[LIMIT_DETAIL + 1];
};

/* Pure. */
void outcome_decide(const struct outcome_facts *facts, struct outcome *ret_outcome);

#endif
