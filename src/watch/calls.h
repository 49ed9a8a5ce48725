/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_WATCH_CALLS_H
#define ANET_WATCH_CALLS_H

#include <linux/seccomp.h>
#include <stdint.h>

#include "core/limits.h"

/* One thing that a call was about. */
struct asked {
	unsigned int kind; /* enum seen_kind */
	unsigned int port;
	char text[LIMIT_SEEN_TEXT + 1];
};

/* The most that one call can ask for: sendmmsg(2) of a resolver has two questions. */
#define MAX_ASKED 4

/*
 * What a call of src/init/report.seccomp was about, read from the memory of the
 * process that waits in it.  Whether it still was that process, the caller has to ask
 * the kernel afterwards (SECCOMP_IOCTL_NOTIF_ID_VALID).  Returns how many, or -1 if its
 * memory cannot be read.
 */
int calls_read(const struct seccomp_notif *call, struct asked ret_asked[MAX_ASKED]);

#endif
