/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_SESSION_UNIT_H
#define ANET_OS_SESSION_UNIT_H

#include <stdbool.h>

#include "core/limits.h"
#include "os/cgroup.h"

/*
 * Which unit a session belongs to: the record SESSION_UNIT_FILE of its directory
 * (os/session-dir.h).  AGENT and AGENT-main are one session and two units, so what
 * one of them finds there may be the other's.
 */
struct session_unit {
	/* What stands between `@` and `.service`. */
	char instance[LIMIT_SESSION_ID + 1];
	/* Below CGROUP_ROOT, with a leading slash: of version 2 where that is mounted,
	 * alone or as "/unified", else of systemd's own hierarchy, "/systemd".  "" if
	 * there is none. */
	char cgroup[CGROUP_PATH_MAX];
};

#define SESSION_UNIT_NAME "anet-session@%s.service"

/* The calling process' own. */
void session_unit_self(const char *instance, struct session_unit *ret_unit);

/* 0 or -errno. */
int session_unit_write(int directory, const struct session_unit *unit);

/* 0, -ENOENT, -EPERM (session_record_open()), -EBADMSG, or -errno. */
int session_unit_read(int directory, struct session_unit *ret_unit);

/* Whether its control group is there: systemd removes it when the unit has ended,
 * after its last step. */
bool session_unit_is_alive(const struct session_unit *unit);

#endif
