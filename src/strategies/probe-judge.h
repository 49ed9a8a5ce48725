/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_STRATEGIES_PROBE_JUDGE_H
#define ANET_STRATEGIES_PROBE_JUDGE_H

#include "core/handover.h"
#include "strategies/strategy.h"

/* A probe that has not ended by then has failed. */
#define PROBE_SECONDS 10

/*
 * What a probe's output means (SPEC S3.1).  `text` holds the lines of anet-probe,
 * and perhaps of a program that had to say something; it is changed.  `outcome`
 * is the supervisor's report, NULL if none came.  Fills result->checks and
 * result->detail; returns the reason.
 */
enum reason probe_judge(char *text, bool in_time, const struct report *outcome,
			struct probe_result *result);

#endif
