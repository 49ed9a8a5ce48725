/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_WHY_TRIAL_H
#define ANET_CLI_WHY_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#include "core/policy.h"
#include "core/reason.h"
#include "core/upstream-record.h"
#include "os/explain.h"

enum trial_end {
	TRIAL_REFUSED = 1, /* `reason` and `text` say why */
	TRIAL_FORWARDED,   /* `record` and `body` would go to the upstream */
	TRIAL_ANSWERED,	   /* by the gateway itself: `http_status` */
	TRIAL_INCOMPLETE,  /* it waits for the rest of the request */
};

struct trial {
	enum trial_end end;
	enum reason reason;
	int http_status;
	char text[LIMIT_DETAIL + 1]; /* untrusted, to be escaped */
	struct upstream_request record;
	char *body; /* allocated; record.body_bytes long, and a NUL */
};

/*
 * Starts the gateway of ANET_HELPER_DIR under this policy, whose supervisor is the
 * caller, gives it the bytes of one request and sees what it makes of them: nothing
 * goes to any service.  REASON_OK, HELPER_MISSING, HELPER_DIED or SYSTEM.
 */
enum reason trial_run(const struct policy *policy, const uint8_t *request,
		      size_t length, struct trial *ret_trial,
		      struct detail *ret_detail);

#endif
