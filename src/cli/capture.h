/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_CAPTURE_H
#define ANET_CLI_CAPTURE_H

#include <stddef.h>

/* What a program said, as text: NUL at the end, cut to fit. */
struct capture {
	char out[32 * 1024];
	char err[1024];
	size_t out_length; /* as it came; what is longer did not fit */
};

/*
 * Runs a program of the system (argv[0] is its path) to its end, with `input`
 * (at most CAPTURE_INPUT bytes) through a pipe as its standard input and an environment
 * that says nothing of the caller.  After CAPTURE_SECONDS it is killed.
 * Returns its exit status, 128 + n when signal n ended it, or -errno.
 */
#define CAPTURE_SECONDS 60
#define CAPTURE_INPUT (16 * 1024)
int capture(char *const argv[], const void *input, size_t length,
	    struct capture *ret_capture);

#endif
