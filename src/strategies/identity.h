/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_STRATEGIES_IDENTITY_H
#define ANET_STRATEGIES_IDENTITY_H

#include <sys/types.h>

#include "config/arena.h"
#include "config/config.h"

/* Seconds for which a probe's word holds, for what was probed (SPEC S3.2). */
#define PROBE_FRESH_SECONDS 300

/* What a probe was about, in one line: this version, the account, bubblewrap and
 * anet as files, which strategies are offered.  It keeps no secret. */
char *probe_identity(struct arena *arena, uid_t uid, const struct config *config);

#endif
