/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_UPSTREAM_SECRET_H
#define ANET_UPSTREAM_SECRET_H

#include <stddef.h>
#include <stdint.h>
#include "os/failure.h"

/* One TLS record's worth of plain text (RFC 8446 5.1). */
#define SECRET_BUFFER (16 * 1024)

/*
 * The key, and the only buffer that it is copied to: the one from which
 * requests are sent.  Both lie in one mapping that is never swapped out where
 * RLIMIT_MEMLOCK allows it, dumped or inherited by a child.  It lives as long
 * as the process.
 */
struct secret {
	uint8_t key[LIMIT_API_KEY + 2]; /* two more: a line's CR LF */
	size_t key_length;
	uint8_t buffer[SECRET_BUFFER];
};

/* The empty mapping.  0 or -errno. */
int secret_create(struct secret **ret_secret);

/*
 * Reads the key: one line of printable ASCII without spaces, quotes and
 * backslashes, from the beginning of the regular file `fd`.  REASON_OK, or
 * NO_API_KEY, CREDENTIAL_UNSAFE, SYSTEM.  `name` is for people.
 */
enum reason secret_read(struct secret *secret, int fd, const char *name,
			struct failure *failure) __attribute__((warn_unused_result));

/* The same from the credential of this name in $CREDENTIALS_DIRECTORY, the one
 * that was encrypted first (os/session-dir.h; systemd.exec(5), Credentials), never
 * through a symbolic link. */
enum reason secret_read_credential(struct secret *secret, const char *directory,
				   const char *name, struct failure *failure)
	__attribute__((warn_unused_result));

/* Overwrites everything. */
void secret_wipe(struct secret *secret);

#endif
