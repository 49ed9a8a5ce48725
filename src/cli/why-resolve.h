/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_WHY_RESOLVE_H
#define ANET_CLI_WHY_RESOLVE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "os/view.h"

enum presence {
	PRESENCE_NO, /* nothing of this name */
	PRESENCE_YES,
	PRESENCE_RUN, /* that is for the run to say: its own processes, its terminal */
};

/* What a path is inside of a run, links followed as the kernel would in there. */
struct resolved {
	char path[PATH_MAX];		/* canonical, inside; as far as it goes */
	char wanted[2 * PATH_MAX + 1];	/* with what was not reached any more */
	const struct view_entry *entry; /* that covers it; NULL: none does */
	/* No entry covers it, but it leads to one: an empty, read-only directory. */
	const struct view_entry *leads_to;
	enum presence presence;
	int error;	  /* errno of the lookup, with PRESENCE_NO */
	bool have_status; /* of what is mounted there */
	struct stat status;
	bool linked; /* a link was followed */
};

/* `path` is absolute.  Looks at the sources of mounts with the caller's rights. */
void view_resolve(const struct view *view, const char *path, struct resolved *ret);

#endif
