/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_UPSTREAM_RELAY_HEAD_H
#define ANET_UPSTREAM_RELAY_HEAD_H

#include "upstream/relay.h"

/*
 * Writes the head that the agent gets into relay->text: the service's status,
 * those of its fields that are on the list (SPEC S6.9), and a framing of our
 * own.  REASON_OK, UPSTREAM_CREDENTIAL for 401 and 403, UPSTREAM_REDIRECT for 3xx,
 * UPSTREAM_KEY_ECHO, or UPSTREAM_PROTOCOL when the fields are too long.
 */
enum reason relay_head_write(struct relay *relay, struct failure *failure)
	__attribute__((warn_unused_result));

#endif
