/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_REPORTER_H
#define ANET_CLI_REPORTER_H

#include <stdio.h>

#include "config/preparation.h"
#include "core/seen-record.h"
#include "os/view.h"

/* What came of a run over the socket of its report, each string once. */
struct seen_host {
	const char *name;
	unsigned int port; /* 0: none is known */
};

struct seen_refusal {
	enum reason reason;
	uint64_t count;
	const char *detail;
};

struct seen {
	struct list paths;
	struct seen_host *hosts;
	size_t n_hosts;
	struct seen_refusal *refusals, *limits;
	size_t n_refusals, n_limits;
	uint64_t calls, lost;
	bool watched;	   /* anet-watch has said its last */
	const char *blind; /* why nothing was watched, or NULL */
};

/*
 * Starts a process of the caller's that waits for what is told of the run and prints
 * the report at its end: to `file`, which is opened now, or to standard error if that
 * is NULL.  The supervisor's end of the socket goes to *ret_fd.  To be called when
 * everything else is prepared.  REASON_OK, USAGE for a file that cannot be written,
 * or SYSTEM.
 */
enum reason reporter_start(struct preparation *run, const char *file, int *ret_fd);

/* reporter-print.c */
void reporter_print(struct preparation *run, const struct view *view,
		    const struct seen *seen, FILE *out);

#endif
