/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_BWRAP_H
#define ANET_OS_BWRAP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The argument list of bwrap, built for `--args FD`: nothing of it stands in
 * /proc/PID/cmdline, and no argument is limited to 128 KiB.
 */
struct bwrap_arguments {
	char *bytes; /* NUL-terminated arguments, one after the other */
	size_t length, size;
	bool failed; /* out of memory: bwrap_arguments_seal() will say so */
};

/* Appends arguments up to a NULL. */
void bwrap_add(struct bwrap_arguments *arguments, ...) __attribute__((sentinel));

/* A sealed memfd with the list, its offset at the start; frees the list.
 * 0 or -errno. */
int bwrap_arguments_seal(struct bwrap_arguments *arguments, int *ret_fd);

/* A memfd with these bytes, sealed, its offset at the start.  0 or -errno. */
int memfd_sealed(const char *name, const void *bytes, size_t length, int *ret_fd);

#endif
