/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "init/home-files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/limits.h"
#include "os/cleanup.h"

/* The number of the mount since Linux 5.8, else of the filesystem (statx(2)).
 * openat2(2) would say it in one call; the run's filter refuses it. */
static int mount_of(int fd, uint64_t *ret_mount)
{
	struct statx status;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) < 0)
		return -errno;
	*ret_mount =
		status.stx_mask & STATX_MNT_ID
			? status.stx_mnt_id
			: (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor;
	return 0;
}

/* A directory of this name, made if there is none; on the mount of its parent. */
static int enter(int parent, const char *name, int *ret_fd)
{
	uint64_t outer = 0, inner = 0;
	auto_fd int fd = -1;
	int r;

	if (mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = mount_of(parent, &outer);
	if (r == 0)
		r = mount_of(fd, &inner);
	if (r == 0 && outer != inner)
		r = -EXDEV;
	if (r == 0)
		*ret_fd = take_fd(&fd);
	return r;
}

static int write_text(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t wrote = write(fd, text, left);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -errno;
		text += wrote;
		left -= (size_t)wrote;
	}
	return 0;
}

/* As a whole or not at all, and never into what has this name now. */
static int replace(int directory, const char *name, const char *text)
{
	char other[sizeof(".anet-") + 16];
	auto_fd int fd = -1;
	uint64_t number;
	int r;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return -errno;
	snprintf(other, sizeof(other), ".anet-%016" PRIx64, number);
	fd = openat(directory, other,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_text(fd, text);
	if (r == 0 && renameat(directory, other, directory, name) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(directory, other, 0);
	return r;
}

static int write_below(const char *home, const char *path, const char *text)
{
	auto_fd int directory =
		open(home, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char name[LIMIT_HOME_FILE_PATH + 1];
	size_t length;

	if (directory < 0)
		return -errno;
	while (path[length = strcspn(path, "/")]) {
		int below = -1, r;

		if (length >= sizeof(name))
			return -ENAMETOOLONG;
		memcpy(name, path, length);
		name[length] = 0;
		r = enter(directory, name, &below);
		if (r < 0)
			return r;
		close(directory);
		directory = below;
		path += length + 1;
	}
	return replace(directory, path, text);
}

static const char *why(int error)
{
	switch (error) {
	case -ELOOP:
	case -ENOTDIR:
		return "a link or a file is in the place of a directory";
	case -EISDIR:
	case -ENOTEMPTY:
	case -EEXIST:
		return "a directory is in its place";
	case -EXDEV:
		return "a mount lies on the way, and what it shows is not the run's";
	default:
		return strerror(-error);
	}
}

enum reason home_file_write(const char *home, const char *path, const char *text,
			    char *ret_detail, size_t size)
{
	int r = write_below(home, path, text);

	if (r == 0)
		return REASON_OK;
	snprintf(ret_detail, size, "%s/%.140s: %s", home, path, why(r));
	return REASON_HOME_FILES;
}
