/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_LEDGER_H
#define ANET_OS_LEDGER_H

#include <stdbool.h>

#include "core/ledger.h"
#include "core/policy.h"

/* An empty one, mapped for its supervisor, and two descriptors: all may be done with
 * one but to change its size, only reading with the other.  0 or -errno. */
int ledger_create(struct ledger **ret_ledger, int *ret_fd, int *ret_read_fd);

/* Maps a session's ledger that was handed over, for as long as the process lives;
 * reading only unless `writable`.  -EBADMSG when it has not the size, the seals, the
 * magic or the version of one, or can be written although it must not; else 0 or
 * -errno. */
int ledger_map(int fd, bool writable, struct ledger **ret_ledger);

/* Two lines of a header, or none, with their ends: names of 26 bytes, numbers of 20. */
#define LEDGER_FIELDS 128

/* What an agent may still send, as fields of an answer's header, where its policy
 * limits it: `anet-requests-left` and `anet-request-bytes-left`.  A string. */
void ledger_fields(const struct ledger *ledger, const struct policy_limits *limits,
		   char ret_fields[LEDGER_FIELDS]);

#endif
