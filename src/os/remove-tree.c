/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/remove-tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"

/* Deeper than settings and hooks are. */
#define MAX_DEPTH 64

static int remove_at(int directory, const char *name, dev_t device, unsigned int depth);

static int empty(int fd, dev_t device, unsigned int depth)
{
	DIR *entries = fdopendir(fd);
	const struct dirent *entry;
	int r = 0;

	if (!entries) {
		r = -errno;
		close(fd);
		return r;
	}
	while (r == 0 && (entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = remove_at(dirfd(entries), entry->d_name, device, depth + 1);
	closedir(entries);
	return r;
}

static int remove_at(int directory, const char *name, dev_t device, unsigned int depth)
{
	auto_fd int fd = -1;
	struct stat status;
	int r;

	/* Of a directory it fails, whatever a name has become meanwhile. */
	if (unlinkat(directory, name, 0) == 0)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	if (depth == MAX_DEPTH)
		return -ELOOP;
	fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (status.st_dev != device)
		return -EXDEV;
	r = empty(take_fd(&fd), device, depth);
	if (r < 0)
		return r;
	return unlinkat(directory, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

int remove_tree(int directory, const char *name)
{
	struct stat status;

	if (fstat(directory, &status) < 0)
		return -errno;
	return remove_at(directory, name, status.st_dev, 0);
}
