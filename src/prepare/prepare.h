/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_PREPARE_PREPARE_H
#define ANET_PREPARE_PREPARE_H

#include "config/preparation.h"
#include "core/session-name.h"

/* The preparation of one session under systemd.  Each step returns REASON_OK, or
 * the reason with its sentence in preparation.detail. */
struct start {
	/* As systemd gives them; the latter is checked by session_name_parse(). */
	const char *template, *instance;
	struct session_name name;
	struct preparation preparation;
	uid_t host_uid; /* of the strategy `host`: the account of the run */
};

/* assign.c: what the run keeps on disk.  The workspace into the run record, the
 * home into p->home; each is made if anet assigns it and it is not there. */
enum reason assign_workspace(struct start *start);
enum reason assign_home(struct start *start);

/* Whether `path`, which is mounted where it is, has nothing to do with RUN_HOME: a
 * mount point below a home that a run has had before would be made wherever a link of
 * that run leads to, and what is mounted before the home is hidden by it. */
enum reason check_apart_from_home(struct preparation *preparation, const char *what,
				  const char *path);

/* checks.c: the strategy, by the table of the boot probe, and whether this is its
 * unit; the account of a session without a boundary; the key. */
enum reason check_strategy(struct start *start);
enum reason check_account(struct start *start);
enum reason check_credential(struct start *start);

/* claim.c: takes the name and a pair of uids, and writes SESSION_ROOT/ID, or
 * leaves nothing.  What an earlier life of the session has left goes first. */
enum reason claim_session(struct start *start);

#endif
