/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_WHY_SESSION_H
#define ANET_CLI_WHY_SESSION_H

#include <stdbool.h>

#include "config/arena.h"
#include "config/config.h"
#include "config/places.h"
#include "core/refused-record.h"
#include "os/explain.h"

/* What a session was refused lately, as its supervisor wrote it (os/refused-file.h). */
struct why_session {
	struct arena arena;
	struct places places;
	const char *id, *agent;
	struct refused_record record;
	bool lives;
	/* As its agent is now; `agent_is_known`: it is. */
	struct config config;
	struct agent configured;
	bool agent_is_known;
};

/* Finds the session that is meant: by its id; by the name of an agent, whose session
 * `main`, else whose last one it is.  `places` is set.  REASON_OK, SESSION_UNKNOWN,
 * NOT_PERMITTED or SYSTEM. */
enum reason why_session_find(struct why_session *session, const char *wanted,
			     struct detail *ret_detail);

/* What may be written in the file of the session's agent so that this is not refused.
 * False if nothing may. */
bool why_session_line(struct why_session *session, const struct refused_entry *entry,
		      const char **ret_file, const char **ret_line);

/* Whether the agent has got the host of this refusal since. */
bool why_session_is_allowed_now(const struct why_session *session,
				const struct refused_entry *entry);
/* The command that allows the host of this refusal, NULL if none does. */
const char *why_session_command(struct why_session *session,
				const struct refused_entry *entry);

/* `anet why ID`; the exit status. */
int why_session(const char *wanted, bool json);

#endif
