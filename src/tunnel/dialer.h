/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TUNNEL_DIALER_H
#define ANET_TUNNEL_DIALER_H

#include "core/policy.h"

/*
 * Starts the process that looks a name up and connects (dialer.c), to be done before
 * the first untrusted byte is read.  It has nothing of the caller's but its end of a
 * socketpair, of which the other is given (dial-record.h), and ends with the caller or
 * with its answer.  0 or -errno.
 */
int dialer_start(const struct policy *policy, int *ret_socket);

#endif
