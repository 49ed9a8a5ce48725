/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_SANDBOX_H
#define ANET_OS_SANDBOX_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>

/* The CA certificates that anet-upstream reads may lie in so many places. */
#define SANDBOX_MAX_DIRECTORIES 4
/* What a hand-over to anet-files has room for. */
#define SANDBOX_MAX_LISTED 16

/*
 * The sandbox that each helper enters by itself before it reads the first
 * untrusted byte.  The filter is generated at build time from
 * src/HELPER/HELPER.seccomp into HELPER-seccomp.h, which defines
 *   static const struct sock_filter HELPER_seccomp[];
 * (src/build/local.mk).
 */
struct sandbox {
	const struct sock_filter *filter;
	size_t filter_length; /* instructions */
	/* Largest number of open descriptors, RLIMIT_NOFILE; 0: as it is.  Not for
	 * a program that sends descriptors: the kernel compares its limit with
	 * how many all processes of its uid have in flight (ETOOMANYREFS,
	 * unix(7)). */
	unsigned int max_fds;
	/* Address space in bytes, RLIMIT_AS; 0: not limited. */
	size_t max_memory;
	/* Largest file in bytes that may be written, RLIMIT_FSIZE; a memfd is a
	 * file.  Passing it kills by SIGXFSZ.  0: no file may be written. */
	size_t max_file_bytes;
	/* Directories below which files may be read (or such a file), by
	 * Landlock where the kernel has it (landlock(7), Linux 5.13); unused
	 * places are NULL, and one that does not exist is left out.  None: no
	 * file may be opened at all. */
	const char *read_only_directories[SANDBOX_MAX_DIRECTORIES];
	/* Descriptors of directories below which directories, and no files, may
	 * be opened and listed. */
	int list_directories[SANDBOX_MAX_LISTED];
	size_t n_list_directories;
	/* It has a child with PR_SET_PDEATHSIG and a Landlock domain of its own: that
	 * signal is sent with the rights of who dies, so it must be free to send some. */
	bool ends_child;
	/* It is to read the memory of processes of its uid, which the kernel refuses to
	 * whom Landlock holds: then no Landlock. */
	bool reads_processes;
};

/*
 * Limits, no_new_privs, all capability sets emptied (the bounding set where
 * CAP_SETPCAP is held), dumpable off, no new process, Landlock, then the
 * filter.  A kernel without Landlock is no error: it is a second layer, the
 * filter alone must do.  Returns 0, or -errno: the helper must end.
 */
int sandbox_enter(const struct sandbox *sandbox) __attribute__((warn_unused_result));

/* The filter alone, for the supervisor, whose children are helpers of their
 * own.  The caller has set no_new_privs.  Returns 0 or -errno. */
int sandbox_filter(const struct sock_filter *filter, size_t length)
	__attribute__((warn_unused_result));

#endif
