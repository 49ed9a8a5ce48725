/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_INIT_MOUNT_CHECK_H
#define ANET_INIT_MOUNT_CHECK_H

#include <stddef.h>
#include "core/init-record.h"
#include "core/reason.h"

/* Compares each mounted target with the source that the supervisor checked.
 * Names race during bwrap's setup, on every version of it; what is mounted now
 * can no longer change.  OK or MOUNT_CHANGED with the target in ret_detail. */
enum reason mount_check(const struct init_check *checks, size_t n_checks, const char *text,
			char *ret_detail, size_t size);

#endif
