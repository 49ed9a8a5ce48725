/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_DNS_QUESTION_H
#define ANET_CORE_DNS_QUESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/limits.h"

/*
 * Whether a datagram is a question of a resolver for the addresses of a host, and of
 * which: exactly one question of class IN (RFC 1035 4.1), no answer and no authority,
 * and behind it nothing but one OPT record where there is one (RFC 6891 6.1.2).
 * Labels of letters, digits, hyphens and underscores, at most 63 bytes each and
 * LIMIT_HOST_NAME with the dots; lower case comes out.  Anything else is none: most of
 * what a program sends is no question.
 */
bool dns_question(const uint8_t *bytes, size_t length,
		  char ret_name[LIMIT_HOST_NAME + 1]);

/* The smallest and the largest datagram that is looked at. */
#define DNS_QUESTION_MIN 18
#define DNS_QUESTION_MAX 512

#endif
