/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/protected-record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/private-dir.h"

_Static_assert(PROTECTED_COUNT <= 64, "struct protected_record");

/* Each directory on the way; those that are there may be anybody's. */
static int make_parents(const char *path)
{
	char parent[PATH_MAX];

	for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
		snprintf(parent, sizeof(parent), "%.*s", (int)(end - path), path);
		if (mkdir(parent, 0755) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

int protected_directory(const char *home)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s", home ? home : "",
			 home ? PROTECTED_BELOW_HOME : PROTECTED_ROOT);
	int r;

	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	r = private_dir_open(path);
	if (r != -ENOENT)
		return r;
	r = make_parents(path);
	return r < 0 ? r : private_dir_open(path);
}

/* Whoever has opened a file holds a lock on it; one that nobody locks and that has
 * nothing in it is of no use. */
static void remove_if_unused(int directory, const char *name)
{
	auto_fd int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &status) == 0 &&
	    S_ISREG(status.st_mode) && status.st_size == 0)
		(void)unlinkat(directory, name, 0);
}

static void remove_unused(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!entries) {
		close_fd(&fd);
		return;
	}
	while ((entry = readdir(entries)))
		if (entry->d_name[0] != '.')
			remove_if_unused(directory, entry->d_name);
	closedir(entries);
}

int protected_record_name(int workspace, char ret_name[PROTECTED_NAME])
{
	struct stat status;

	if (fstat(workspace, &status) < 0)
		return -errno;
	snprintf(ret_name, PROTECTED_NAME, "%llx-%llx",
		 (unsigned long long)status.st_dev, (unsigned long long)status.st_ino);
	return 0;
}

int protected_record_open(int directory, int workspace)
{
	struct stat status;
	char name[PROTECTED_NAME];
	int r = protected_record_name(workspace, name);

	if (r < 0)
		return r;
	remove_unused(directory);
	/* Another session may remove it between the two calls. */
	for (int tries = 0; tries < 8; tries++) {
		auto_fd int fd = openat(
			directory, name,
			O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);

		if (fd < 0 || flock(fd, LOCK_SH) < 0 || fstat(fd, &status) < 0)
			return -errno;
		if (status.st_nlink > 0)
			return take_fd(&fd);
	}
	return -EAGAIN;
}

int protected_record_append(int fd, const struct protected_record *record)
{
	struct stat status;
	ssize_t written;

	if (fstat(fd, &status) < 0)
		return -errno;
	if ((uint64_t)status.st_size >= PROTECTED_MAX_RECORDS * sizeof(*record))
		return -EFBIG;
	/* One call, so that records of two sessions do not mix. */
	written = write(fd, record, sizeof(*record));
	if (written < 0)
		return -errno;
	return (size_t)written == sizeof(*record) ? 0 : -ENOSPC;
}

int protected_record_read(int fd, struct protected_record *ret_record)
{
	struct protected_record record;
	ssize_t n = read(fd, &record, sizeof(record));

	if (n <= 0)
		return n < 0 ? -errno : 0;
	if ((size_t)n != sizeof(record) || record.magic != PROTECTED_MAGIC ||
	    record.version != PROTECTED_VERSION || record.workspace[0] != '/' ||
	    !memchr(record.workspace, 0, sizeof(record.workspace)) ||
	    !memchr(record.session, 0, sizeof(record.session)))
		return -EBADMSG;
	*ret_record = record;
	return 1;
}
