/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_WATCH_PLACE_H
#define ANET_WATCH_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "core/limits.h"

/* Whether a path leads out of the directory that it is relative to: only then does it
 * matter which that is, since what a run stands in it sees. */
bool place_leaves(const char *path);

/* `path`, relative to `base` unless it is absolute, without ".", ".." and "//"; as a
 * text, no link is followed.  False: too long, or not absolute. */
bool place_clean(const char *base, const char *path,
		 char ret_path[LIMIT_SEEN_TEXT + 1]);

/* What a connect(2) was for: the path of a socket (*ret_port is 0), or an address
 * outside of the loopback and its port.  `size` as the caller of connect() gave it,
 * at most sizeof(struct sockaddr_storage).  The family, or AF_UNSPEC for neither. */
int place_of_address(const struct sockaddr_storage *address, size_t size,
		     char ret_text[LIMIT_SEEN_TEXT + 1], unsigned int *ret_port);

#endif
