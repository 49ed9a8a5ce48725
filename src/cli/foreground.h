/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_FOREGROUND_H
#define ANET_CLI_FOREGROUND_H

#include "config/preparation.h"

/*
 * What `anet run` would run, from the caller's own configuration and environment:
 * agent, strategy, workspace, program and policy, without key, session name and uids.  Shared
 * by who starts it and by who only says what would come of it.  `agent` NULL: the
 * runtime `command`; `workspace` NULL: the agent's, else the current directory.
 * REASON_OK, or the reason with its sentence in run->detail.
 */
enum reason foreground_load(struct preparation *run, const char *agent,
			    const char *workspace, char *const *words);

/* The agent and the policy alone: what needs neither workspace nor program. */
enum reason foreground_load_policy(struct preparation *run, const char *agent);

/* Whether the strategy can be had here now: by the cached probe, or one that takes
 * its time.  With the sentence of SPEC S1.6. */
enum reason foreground_probe(struct preparation *run);

/* Makes the home that the run keeps, if its agent has one. */
enum reason foreground_home(struct preparation *run);

#endif
