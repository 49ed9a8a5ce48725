/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_INIT_START_H
#define ANET_INIT_START_H

#include <stddef.h>

#include "core/init-record.h"
#include "core/reason.h"

/* What the supervisor's record says, in its own memory: for the process's life. */
struct start {
	const struct init_record *header;
	const struct init_check *checks;
	const char *text; /* what the checks point into */
	const char *directory;
	char **argv;
	char **env;
	const char *files; /* (path, text) of each, one behind the other */
};

/* Reads it from INIT_FD_RECORD.  The record is the supervisor's, but a wrong one
 * must not make PID 1 run off its end.  REASON_OK, POLICY_INVALID or
 * SANDBOX_START_FAILED. */
enum reason start_read(struct start *ret_start, char *ret_detail, size_t size);

#endif
