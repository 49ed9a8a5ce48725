/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_SESSION_DIR_H
#define ANET_OS_SESSION_DIR_H

#include <stddef.h>
#include <sys/types.h>

#include "core/session-state.h"

/*
 * The directory of a session under systemd, SESSION_ROOT/ID, made by its prepare
 * step and removed by its last one; root's, 0755:
 *
 *   policy    struct policy, root's, 0444: helpers get it as a descriptor
 *   run       the run record (os/run-record.h), root's, 0400
 *   unit      "INSTANCE\nCGROUP\n": the instance name as it was written, and the
 *             control group of its unit, root's, 0444
 *   live/     the supervisor's own, 0755: `state`, a struct session_state
 *
 * It is there as a whole or not at all: it is filled and emptied under another name,
 * which begins with a dot (os/session-clean.h).
 *
 * SESSION_ROOT is root's, 0750, group anet; /run/anet is root's, 0755.
 */
#define RUN_ANET "/run/anet"
#define SESSION_ROOT RUN_ANET "/sessions"
#define SESSION_POLICY_FILE "policy"
#define SESSION_RUN_FILE "run"
#define SESSION_UNIT_FILE "unit"
#define SESSION_LIVE_DIRECTORY "live"
#define SESSION_STATE_FILE "state"

/* The last outcome of each session that has ended, OUTCOME_ROOT/ID: a struct
 * session_state with stage SESSION_ENDED, root's, 0644, replaced as a whole. */
#define OUTCOME_ROOT RUN_ANET "/outcomes"

/* Where the units of the helpers listen; 0660, group anet-helpers. */
#define GATEWAY_SOCKET RUN_ANET "/gateway.socket"
#define UPSTREAM_SOCKET RUN_ANET "/upstream.socket"
#define TUNNEL_SOCKET RUN_ANET "/tunnel.socket"

/* What the boot probe found; root's, 0644. */
#define STRATEGIES_FILE RUN_ANET "/strategies.json"

/* Keys for anet-upstream@.service below the configuration directory; root's,
 * 0700.  systemd makes of KEYS_DIRECTORY/NAME the credential KEYS_PREFIX NAME,
 * of SEALED_DIRECTORY/NAME (encrypted by systemd-creds(1) under that very name)
 * the credential SEALED_PREFIX NAME. */
#define KEYS_NAME "credentials"
#define SEALED_NAME "credentials.sealed"
#define KEYS_DIRECTORY ANET_CONFIG_DIR "/" KEYS_NAME
#define SEALED_DIRECTORY ANET_CONFIG_DIR "/" SEALED_NAME
#define KEYS_PREFIX "key_"
#define SEALED_PREFIX "sealed_"

/* What runs keep: WORK_ROOT/AGENT/INTERACTION is the workspace of an agent that
 * names none, HOME_ROOT/ID its home.  Both roots are root's, 0700; what is below
 * belongs to the account WORK_ACCOUNT. */
#define WORK_ROOT "/var/cache/anet/work-sandbox"
/* The same for sessions without a boundary, which must never lie in the other; root's,
 * 0711, since they reach it by its path, and what is below belongs to the account that
 * they have. */
#define HOST_WORK_ROOT "/var/cache/anet/work"
#define HOME_ROOT "/var/lib/anet/homes"
#define WORK_ACCOUNT "anet"

/* Below a home: what runs of its owner keep, USER_HOME_ROOT/AGENT. */
#define USER_HOME_ROOT ".local/share/anet/homes"

/* Opens RUNTIME/anet, which belongs to this user and nobody else can write
 * (os/private-dir.h): /run/anet, which all may look into, or that of XDG_RUNTIME_DIR.
 * Made if it is not there.  The descriptor, or -errno. */
int runtime_dir_open(const char *runtime);

/* Opens SESSION_ROOT/ID (O_PATH, no link followed).  The descriptor, -EPERM if
 * it is not root's own or others may write it, or -errno. */
int session_dir_open(const char *id);

/* Opens a record for reading: a regular file of root's with exactly this mode
 * and one link, on a tmpfs.  The descriptor, -EPERM if it is not so, or -errno. */
int session_record_open(int directory, const char *name, mode_t mode);

/* Writes a record that did not exist.  0 or -errno. */
int session_record_write(int directory, const char *name, mode_t mode, const void *bytes,
			 size_t size);

/* Replaces a file of one of these directories as a whole.  0 or -errno. */
int session_record_replace(int directory, const char *name, mode_t mode,
			   const void *bytes, size_t size);

/* Reads a state and checks its header and text.  0, -EBADMSG, or -errno. */
int session_state_read(int directory, const char *name, struct session_state *ret_state);

/* Replaces a state as a whole.  0 or -errno. */
int session_state_write(int directory, const char *name, mode_t mode,
			const struct session_state *state);

#endif
