/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TESTS_TEMPORARY_H
#define ANET_TESTS_TEMPORARY_H

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory of the test's own, and files in it.  What goes wrong here is no
 * finding: the test ends. */
static char temporary[] = "/tmp/anet-unit-XXXXXX";

static inline int temporary_make(void **state)
{
	(void)state;
	memcpy(temporary, "/tmp/anet-unit-XXXXXX", sizeof(temporary));
	umask(022);
	return mkdtemp(temporary) ? 0 : -1;
}

static inline int temporary_remove_one(const char *path, const struct stat *status,
				       int type, struct FTW *position)
{
	(void)status;
	(void)type;
	(void)position;
	return remove(path);
}

static inline int temporary_remove(void **state)
{
	(void)state;
	return nftw(temporary, temporary_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Its path below the directory; in a place that the next calls use again. */
static inline const char *temporary_path(const char *name)
{
	static char paths[8][512];
	static unsigned int next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", temporary, name);
	return path;
}

static inline void temporary_directories(const char *name)
{
	char *path = strdup(temporary_path(name));

	assert(path);
	for (char *slash = path + strlen(temporary) + 1; (slash = strchr(slash, '/'));
	     *slash++ = '/') {
		*slash = 0;
		mkdir(path, 0755);
	}
	free(path);
}

static inline void temporary_file(const char *name, mode_t mode, const char *text)
{
	const char *path = temporary_path(name);
	int fd;

	temporary_directories(name);
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert(fd >= 0);
	assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	assert(fchmod(fd, mode) == 0);
	close(fd);
}

static inline void temporary_link(const char *name, const char *target)
{
	temporary_directories(name);
	assert(symlink(target, temporary_path(name)) == 0);
}

#endif
