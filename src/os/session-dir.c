/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/session-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/private-dir.h"

int runtime_dir_open(const char *runtime)
{
	char path[PATH_MAX];
	auto_fd int fd = -1;
	struct stat status;

	if (snprintf(path, sizeof(path), "%s/anet", runtime) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = private_dir_open(path);
	if (fd < 0)
		return fd;
	if (strcmp(path, RUN_ANET) == 0 &&
	    (fstat(fd, &status) < 0 ||
	     ((status.st_mode & 07777) != 0755 && fchmod(fd, 0755) < 0)))
		return -errno;
	return take_fd(&fd);
}

int session_dir_open(const char *id)
{
	auto_fd int root =
		open(SESSION_ROOT, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	auto_fd int fd = -1;
	struct stat status;

	if (root < 0)
		return -errno;
	fd = openat(root, id, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (status.st_uid != 0 || (status.st_mode & (S_IWGRP | S_IWOTH)))
		return -EPERM;
	return take_fd(&fd);
}

int session_record_open(int directory, const char *name, mode_t mode)
{
	/* O_NONBLOCK: a FIFO in its place must not hold anybody up. */
	auto_fd int fd =
		openat(directory, name,
		       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct statfs filesystem;
	struct stat status;

	if (fd < 0 && errno == ELOOP)
		return -EPERM; /* a link */
	if (fd < 0 || fstat(fd, &status) < 0 || fstatfs(fd, &filesystem) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_uid != 0 ||
	    (status.st_mode & 07777) != mode || status.st_nlink != 1 ||
	    filesystem.f_type != TMPFS_MAGIC)
		return -EPERM;
	return take_fd(&fd);
}

static int write_file(int directory, const char *name, mode_t mode, const void *bytes,
		      size_t size)
{
	auto_fd int fd =
		openat(directory, name,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ssize_t written;

	if (fd < 0)
		return -errno;
	written = write(fd, bytes, size);
	if (written == (ssize_t)size && fchmod(fd, mode) == 0)
		return 0;
	/* A file system that is full takes a part. */
	return written >= 0 && written < (ssize_t)size ? -ENOSPC : -errno;
}

int session_record_write(int directory, const char *name, mode_t mode,
			 const void *bytes, size_t size)
{
	int r = write_file(directory, name, mode, bytes, size);

	if (r < 0 && r != -EEXIST)
		(void)unlinkat(directory, name, 0);
	return r;
}

int session_state_read(int directory, const char *name, struct session_state *ret_state)
{
	auto_fd int fd =
		openat(directory, name,
		       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct session_state state;
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, &state, sizeof(state));
	if (got < 0)
		return -errno;
	if (got != (ssize_t)sizeof(state) || state.magic != SESSION_STATE_MAGIC ||
	    state.version != SESSION_STATE_VERSION || state.size != sizeof(state))
		return -EBADMSG;
	state.detail[sizeof(state.detail) - 1] = 0;
	*ret_state = state;
	return 0;
}

int session_record_replace(int directory, const char *name, mode_t mode,
			   const void *bytes, size_t size)
{
	char temporary[LIMIT_SESSION_ID + 8];
	int r;

	snprintf(temporary, sizeof(temporary), ".%s.new", name);
	/* What a writer that was killed has left. */
	(void)unlinkat(directory, temporary, 0);
	r = write_file(directory, temporary, mode, bytes, size);
	if (r == 0 && renameat(directory, temporary, directory, name) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(directory, temporary, 0);
	return r;
}

int session_state_write(int directory, const char *name, mode_t mode,
			const struct session_state *state)
{
	return session_record_replace(directory, name, mode, state, sizeof(*state));
}
