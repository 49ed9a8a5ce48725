/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_SESSIONS_LEFT_H
#define ANET_CLI_SESSIONS_LEFT_H

#include <stdbool.h>

#include "config/arena.h"
#include "os/explain.h"
#include "os/protected-record.h"

/* A row of core/protected.def that a session made or replaced. */
struct left_row {
	size_t row;
	const char *session;
	uint64_t usec;
	struct protected_state state; /* as the session left it */
	bool there;		      /* it is that very file still */
};

/* What runs left in one workspace. */
struct left_workspace {
	const char *path;
	const char *file; /* of the records, in their directory */
	int fd;		  /* O_PATH; -1: it is not there any more */
	struct left_row *rows;
	size_t n_rows, n_there;
};

struct left_list {
	int directory; /* of the records; -1: there are none */
	struct left_workspace *workspaces;
	size_t n;
};

/* Reads the records of this caller: all, or (`wanted` not NULL) those of a workspace
 * or of a session.  What is unreadable is left out and said on standard error. */
enum reason left_read(struct arena *arena, const char *wanted,
		      struct left_list *ret_list, struct detail *ret_detail);

/* Removes the rows that are there, as the owner of the workspace, and then the records.
 * How many could not be removed, each said on standard error; or -errno. */
int left_remove(struct arena *arena, const struct left_list *list,
		struct left_workspace *workspace);

/* `anet sessions clean`; argv[0] is `clean`. */
int sessions_clean(int argc, char **argv);

#endif
