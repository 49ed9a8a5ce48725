/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_SESSION_NAME_H
#define ANET_CORE_SESSION_NAME_H

#include <stdbool.h>

#include "core/limits.h"

/*
 * The name of a session as the instance of its unit has it (SPEC S4.1):
 * AGENT-INTERACTION, or AGENT alone, which means AGENT-main.  AGENT is
 * [a-z][a-z0-9_]{0,31}, INTERACTION [a-z0-9_]{1,64}; `-` separates and is in
 * neither, so that no name of one session can be read as another's, as a path
 * with more than one component, or as a unit's escape.
 */
#define INTERACTION_MAIN "main"

struct session_name {
	char agent[LIMIT_AGENT_NAME + 1];
	char interaction[LIMIT_INTERACTION_NAME + 1];
	char id[LIMIT_SESSION_ID + 1]; /* AGENT-INTERACTION, always both */
};

/* False if it is no such name; then *ret_name is not touched. */
bool session_name_parse(const char *instance, struct session_name *ret_name);

#endif
