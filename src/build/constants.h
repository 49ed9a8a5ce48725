/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_BUILD_CONSTANTS_H
#define ANET_BUILD_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

/* The value of numbers and names of constants joined by `|`, "O_RDWR|0x40".
 * Changes `text`.  False: *ret_unknown is the part that is neither. */
bool constant_expression(char *text, uint64_t *ret_value, const char **ret_unknown);

/* The number of an errno name, e.g. "EPERM"; false if not in the table. */
bool errno_value(const char *name, int *ret_value);

/*
 * The number of a system call on the architecture that this is built for;
 * negative: libseccomp knows the name, the architecture has no such call.
 * Names newer than the libseccomp here are found too, so that a filter does not
 * depend on its version: since Linux 5.1 a new call has the same number on all
 * architectures that we build for.  Returns false for an unknown name.
 */
bool syscall_number(const char *name, int *ret_number);

#endif
