/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_HELPER_H
#define ANET_OS_HELPER_H

#include <sys/types.h>

/*
 * Starts a helper with `socket` as its descriptor 3 and an announcement as
 * sd_listen_fds(3) has it, like systemd from a socket unit (core/handover.h), in a
 * session of its own; `null` as 0, 1 and 2.  `program` is an open executable file
 * and `name` its argv[0], at most 15 bytes.  `uid`: the one to take, with no other
 * group, or (uid_t)-1.  The caller's other descriptors are closed if they are
 * O_CLOEXEC.  The process, or -errno; what fails later ends it with status 71.
 */
pid_t helper_spawn(int program, const char *name, int socket, int null, uid_t uid);

#endif
