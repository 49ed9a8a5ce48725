/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_SESSION_UNIT_H
#define ANET_OS_SESSION_UNIT_H

#include <stdbool.h>

#include "core/limits.h"
#include "core/session-name.h"
#include "os/cgroup.h"

/*
 * Which unit a session belongs to: the record SESSION_UNIT_FILE of its directory
 * (os/session-dir.h).  AGENT and AGENT-main are one session and two units, and so
 * are anet-session@ and anet-host@: what one of them finds there may be another's.
 */
struct session_unit {
	/* What stands before `.service`. */
	char name[LIMIT_UNIT_NAME + 1];
	/* Below CGROUP_ROOT, with a leading slash: of version 2 where that is mounted,
	 * alone or as "/unified", else of systemd's own hierarchy, "/systemd".  "" if
	 * there is none. */
	char cgroup[CGROUP_PATH_MAX];
};

/* Of sessions in a sandbox, and of those without one. */
#define SESSION_UNIT_TEMPLATE "anet-session"
#define HOST_UNIT_TEMPLATE "anet-host"

/* The calling process' own: `template`@`instance`. */
void session_unit_self(const char *template, const char *instance,
		       struct session_unit *ret_unit);

/* The template and the instance that the programs of a unit are started with:
 * "INSTANCE", of anet-host@.service "--host INSTANCE".  False if it is neither. */
bool session_unit_arguments(int argc, char *const argv[], const char **ret_template,
			    const char **ret_instance);

/* 0 or -errno. */
int session_unit_write(int directory, const struct session_unit *unit);

/* 0, -ENOENT, -EPERM (session_record_open()), -EBADMSG, or -errno. */
int session_unit_read(int directory, struct session_unit *ret_unit);

/* The session that a unit of this name belongs to; false if it is neither
 * template's. */
bool session_unit_session(const struct session_unit *unit,
			  struct session_name *ret_session);

/* Whether its control group is there: systemd removes it when the unit has ended,
 * after its last step. */
bool session_unit_is_alive(const struct session_unit *unit);

#endif
