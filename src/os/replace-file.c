/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/replace-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"

/* Hidden: readers pass over names with a dot in front, and so does systemd when it
 * loads a directory of credentials (systemd.exec(5), LoadCredential=). */
static int temporary_name(const char *name, char ret_name[NAME_MAX + 1])
{
	int length = snprintf(ret_name, NAME_MAX + 1, ".%s.new", name);

	return length > NAME_MAX ? -ENAMETOOLONG : 0;
}

static int write_whole(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		length -= (size_t)n;
	}
	return 0;
}

static int write_new(int directory, const char *temporary, mode_t mode, uid_t uid,
		     gid_t gid, const void *bytes, size_t length)
{
	auto_fd int fd =
		openat(directory, temporary,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r;

	if (fd < 0)
		return -errno;
	r = write_whole(fd, bytes, length);
	if (r < 0)
		return r;
	if ((uid != (uid_t)-1 || gid != (gid_t)-1) && fchown(fd, uid, gid) < 0)
		return -errno;
	/* A umask may have taken away the owner's own rights. */
	return fchmod(fd, mode) < 0 || fsync(fd) < 0 ? -errno : 0;
}

static int replace(int directory, const char *name, mode_t mode, uid_t uid, gid_t gid,
		   const void *bytes, size_t length)
{
	char temporary[NAME_MAX + 1];
	int r = temporary_name(name, temporary);

	if (r == 0)
		r = replace_file_clear(directory, name);
	if (r < 0)
		return r;
	r = write_new(directory, temporary, mode, uid, gid, bytes, length);
	if (r == 0 && renameat(directory, temporary, directory, name) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(directory, temporary, 0);
	else if (fsync(directory) < 0)
		r = -errno;
	return r;
}

int replace_file(int directory, const char *name, mode_t mode, uid_t uid, gid_t gid,
		 const void *bytes, size_t length)
{
	sigset_t all, before;
	int r;

	/* Ctrl-C either comes before this or changes nothing any more. */
	sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	r = replace(directory, name, mode, uid, gid, bytes, length);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

int replace_file_clear(int directory, const char *name)
{
	char temporary[NAME_MAX + 1];
	int r = temporary_name(name, temporary);

	if (r < 0)
		return r;
	return unlinkat(directory, temporary, 0) < 0 && errno != ENOENT ? -errno : 0;
}

int lock_whole(int fd)
{
	int r;

	do
		r = flock(fd, LOCK_EX);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

int make_parents(const char *path, mode_t mode)
{
	char copy[PATH_MAX];

	if (strlen(path) >= sizeof(copy))
		return -ENAMETOOLONG;
	memcpy(copy, path, strlen(path) + 1);
	for (char *slash = copy + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}
