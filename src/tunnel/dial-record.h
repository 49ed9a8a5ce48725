/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TUNNEL_DIAL_RECORD_H
#define ANET_TUNNEL_DIAL_RECORD_H

#include <stdint.h>

#include "core/limits.h"

/*
 * What the two processes of anet-tunnel say to each other, over a SOCK_SEQPACKET
 * socketpair: one question, one answer.
 */
struct dial_question {
	char host[LIMIT_HOST_NAME + 1];
};

/* REASON_OK comes with one descriptor, the connected socket. */
struct dial_answer {
	uint32_t reason;
	char detail[LIMIT_DETAIL + 1]; /* for the operator: it may name addresses */
};

#endif
