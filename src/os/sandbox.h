/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_SANDBOX_H
#define ANET_OS_SANDBOX_H

#include <linux/filter.h>
#include <stddef.h>

/* The CA certificates that anet-upstream reads may lie in so many places. */
#define SANDBOX_MAX_DIRECTORIES 4

/*
 * The sandbox that each helper enters by itself before it reads the first
 * untrusted byte.  The filter is generated at build time from
 * src/HELPER/HELPER.seccomp into HELPER-seccomp.h, which defines
 *   static const struct sock_filter HELPER_seccomp[];
 */
struct sandbox {
	const struct sock_filter *filter;
	size_t filter_length; /* instructions */
	/* Largest number of open descriptors, RLIMIT_NOFILE. */
	unsigned int max_fds;
	/* Address space in bytes, RLIMIT_AS; 0: not limited. */
	size_t max_memory;
	/* Directories below which files may be read, by Landlock where the
	 * kernel has it (landlock(7)); unused places are NULL, and one that does
	 * not exist is left out.  None: no file may be opened at all. */
	const char *read_only_directories[SANDBOX_MAX_DIRECTORIES];
};

/* Limits, no_new_privs, all capability sets and the bounding set emptied,
 * Landlock, then the filter.  Returns 0, or -errno: the helper must end. */
int sandbox_enter(const struct sandbox *sandbox) __attribute__((warn_unused_result));

#endif
