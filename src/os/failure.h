/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_FAILURE_H
#define ANET_OS_FAILURE_H

#include "core/limits.h"
#include "core/reason.h"

/* Why something failed, for people: what, on which object, why.  May quote
 * what the service sent; never the key. */
struct failure {
	char detail[LIMIT_DETAIL + 1];
};

/* Writes the detail, cut to fit, and returns `reason`. */
enum reason failure_set(struct failure *failure, enum reason reason, const char *format,
			...) __attribute__((format(printf, 3, 4)));

#endif
