/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_MOUNTINFO_H
#define ANET_OS_MOUNTINFO_H

#include <stdbool.h>
#include <stdio.h>

/* The mounts that this process has, one after the other (mountinfo(5)). */
struct mountinfo {
	FILE *file;
	char *line;
	size_t size;
	/* Of the last one, until the next. */
	const char *point; /* absolute, unescaped */
	const char *type;  /* "ext4", "fuse.sshfs" */
};

/* 0 or -errno.  To be closed in either case. */
int mountinfo_open(struct mountinfo *ret_mountinfo);
bool mountinfo_next(struct mountinfo *mountinfo);
void mountinfo_close(struct mountinfo *mountinfo);

#endif
