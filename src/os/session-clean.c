/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/session-clean.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/session-dir.h"

#define LOCK_FILE RUN_ANET "/lock"

/* A supervisor makes one file and its successor there. */
#define MAX_LIVE_ENTRIES 64

int session_lock(const char *id)
{
	/* Not the directory itself, which members of the group may open and lock. */
	auto_fd int fd =
		open(LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

	if (fd < 0)
		return -errno;
	/* One byte of the file, which stays empty, for each name; two names that
	 * share one only wait for each other. */
	for (; *id; id++)
		lock.l_start = (lock.l_start * 131 + (unsigned char)*id) & INT32_MAX;
	while (fcntl(fd, F_OFD_SETLKW, &lock) < 0)
		if (errno != EINTR)
			return -errno;
	return take_fd(&fd);
}

static int open_root(void)
{
	int fd = open(SESSION_ROOT, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int open_name(int root, const char *name, int flags)
{
	int fd = openat(root, name, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int remove_live(int directory)
{
	int fd = open_name(directory, SESSION_LIVE_DIRECTORY, O_RDONLY);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	unsigned int n = 0;

	if (!entries) {
		int r = fd < 0 ? fd : -errno;

		close_fd(&fd);
		return r == -ENOENT ? 0 : r;
	}
	while (n < MAX_LIVE_ENTRIES && (entry = readdir(entries))) {
		n++;
		/* Of directories only those that are empty: the names `.` and `..`
		 * are refused like any that is not. */
		if (unlinkat(fd, entry->d_name, 0) < 0 && errno == EISDIR)
			(void)unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	}
	closedir(entries);
	return unlinkat(directory, SESSION_LIVE_DIRECTORY, AT_REMOVEDIR) < 0 ? -errno
									     : 0;
}

int session_dir_find(const char *id)
{
	auto_fd int root = open_root();

	return root < 0 ? root : open_name(root, id, O_PATH);
}

static int remove_directory(int root, const char *name)
{
	static const char *const files[] = {SESSION_POLICY_FILE, SESSION_RUN_FILE,
					    SESSION_UNIT_FILE};
	auto_fd int fd = open_name(root, name, O_PATH);
	int r;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (unlinkat(fd, files[i], 0) < 0 && errno != ENOENT)
			return -errno;
	r = remove_live(fd);
	if (r < 0)
		return r;
	return unlinkat(root, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

void session_dir_scratch(const char *id, char ret_name[SESSION_SCRATCH_NAME])
{
	/* No session has a name with a dot. */
	snprintf(ret_name, SESSION_SCRATCH_NAME, ".%s", id);
}

int session_dir_remove(const char *id)
{
	auto_fd int root = open_root();
	char scratch[SESSION_SCRATCH_NAME];
	int r;

	if (root < 0)
		return root == -ENOENT ? 0 : root;
	session_dir_scratch(id, scratch);
	r = remove_directory(root, scratch);
	if (r < 0)
		return r;
	if (renameat(root, id, root, scratch) < 0)
		return errno == ENOENT ? 0 : -errno;
	return remove_directory(root, scratch);
}
