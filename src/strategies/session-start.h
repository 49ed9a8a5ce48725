/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_STRATEGIES_SESSION_START_H
#define ANET_STRATEGIES_SESSION_START_H

#include "core/policy.h"
#include "os/explain.h"
#include "os/run-record.h"

/* Reads "/etc/subuid", takes a pair of uids and puts it into the policy, when
 * this is root; else *ret_lock_fd is -1.  REASON_OK, UIDS_EXHAUSTED,
 * CONFIG_INVALID or SYSTEM. */
enum reason session_take_uids(struct policy *policy, int *ret_lock_fd,
			      struct detail *ret_detail);

/* As root, the same in the name of policy->session, until uid_range_release(). */
enum reason session_reserve_uids(struct policy *policy, struct detail *ret_detail);

/* A fresh id "AGENT-xxxxxxxx" for the policy. */
void session_name(struct policy *policy, const char *agent);

/* Whether the programs that a session starts are there.  REASON_OK, NO_BWRAP or
 * HELPER_MISSING. */
enum reason session_check_programs(enum policy_strategy strategy, enum wire wire,
				   enum policy_egress egress,
				   struct detail *ret_detail);

/*
 * Becomes the supervisor: os/run-record.h.  `extra_fd`, `lock_fd` and `report_fd` may
 * be -1.
 * Returns only when that fails: HELPER_MISSING, TOO_MANY_MOUNTS,
 * WORKSPACE_INVALID or SYSTEM.
 */
enum reason session_exec(const struct policy *policy, const struct run_record *run,
			 int extra_fd, int lock_fd, int report_fd,
			 struct detail *ret_detail);

#endif
