/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_MOUNTS_H
#define ANET_CONFIG_MOUNTS_H

#include "config/preparation.h"

/*
 * The mounts of `sandbox.mounts` and of an agent.  SPEC S9.
 *
 * Refused is also what a run could lead elsewhere before the next one starts: a
 * source inside what another agent may write, and one that is reached by a link in
 * what any run may write.
 */

/* Whether a strategy can make the mounts of an agent (NULL: of any agent), as they
 * are now.  REASON_OK; MOUNT_UNSUPPORTED for what this strategy cannot do at all;
 * MOUNT_INVALID for what none can; or TOO_MANY_MOUNTS. */
enum reason mounts_check(struct arena *arena, const struct places *places,
			 const struct config *config, const struct agent *agent,
			 enum policy_strategy strategy, struct detail *ret_detail);

/* How many mounts_resolve() adds at most. */
size_t mounts_count(const struct preparation *preparation);

/* Adds them to the record, which has room, sources resolved, with
 * RUN_MOUNT_CONFIGURED; in srt only.  The workspace of the record is set.  As
 * above. */
enum reason mounts_resolve(struct preparation *preparation);

#endif
