/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_VISIBLE_INTERNAL_H
#define ANET_OS_VISIBLE_INTERNAL_H

#include <sys/types.h>

#include "os/visible.h"

/* What visible-paths.c looks up and visible.c compares with. */

/* Deeper than any project; a workspace below that is refused. */
#define MAX_ANCESTRY 128

struct place {
	dev_t dev;
	ino_t ino;
};

/* A file and the directories above it, up to the root. */
struct ancestry {
	struct place places[MAX_ANCESTRY];
	size_t n; /* MAX_ANCESTRY + 1: deeper than can be said */
};

/* A path that no run may see, looked up once for all subjects. */
struct hidden {
	char *path;
	bool exists; /* for this caller */
	bool any;    /* too deep to be told from anything */
	struct place place;
	/* What it leads to, where that was found, and what is above them. */
	struct place *above;
	size_t n_above;
};

struct hidden_list {
	struct hidden *items;
	size_t n, room;
};

struct home {
	struct hidden itself;
	bool listed; /* `list` has been made */
	struct hidden_list list;
};

struct visible {
	struct visible_homes homes;
	struct hidden_list system;
	struct home *known; /* the caller's own two, /root, those in /home */
	size_t n_known;
	bool failed; /* out of memory: nothing may be seen */
};

bool place_is_same(const struct place *one, const struct place *other);

void ancestry_find(int fd, struct ancestry *ret_ancestry);

/* What is hidden below a home, looked up when it is asked for first.  False without
 * memory. */
bool home_list(struct home *home);

/* The entry of the list of names below a home, NULL at its end. */
const char *home_path(size_t i);

#endif
