/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_ASSIGNED_H
#define ANET_CONFIG_ASSIGNED_H

#include <sys/types.h>

#include "config/arena.h"
#include "os/explain.h"

/*
 * A directory that anet makes for a session and keeps: ROOT/NAMES…, the last of them
 * for an account, all above it root's.  ROOT is two levels below what the system has
 * ("/var/cache" of "/var/cache/anet/work").
 */
struct assigned {
	const char *root;
	const char *names[3]; /* NULL-terminated */
	const char *account;
	mode_t mode; /* of ROOT and what is made above the last one */
};

/* Makes it, as root, if it is not there; its path without links, in the arena.
 * REASON_OK, ACCOUNT_MISSING, DIRECTORY_UNSAFE or SYSTEM. */
enum reason assigned_make(struct arena *arena, const struct assigned *assigned,
			  const char **ret_path, struct detail *ret_detail);

/* The same for a run of a user in the foreground, his own: HOME/.local/share/anet
 * /homes/AGENT. */
enum reason assigned_make_own(struct arena *arena, const char *home, const char *agent,
			      const char **ret_path, struct detail *ret_detail);

#endif
