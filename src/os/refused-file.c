/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/refused-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/private-dir.h"
#include "os/session-dir.h"

/* A read that meets a write is tried again. */
#define READS 8

static int path_of(const char *runtime, char ret_path[PATH_MAX])
{
	int n = snprintf(ret_path, PATH_MAX, "%s/anet/" REFUSED_NAME, runtime);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* One that nobody holds; removed by its own name only if it is older than `oldest`,
 * which it becomes. */
static void look_at(int directory, const char *name, char *oldest, size_t size,
		    struct timespec *when)
{
	auto_fd int fd =
		openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	if (*oldest && (status.st_mtim.tv_sec > when->tv_sec ||
			(status.st_mtim.tv_sec == when->tv_sec &&
			 status.st_mtim.tv_nsec >= when->tv_nsec)))
		return;
	snprintf(oldest, size, "%s", name);
	*when = status.st_mtim;
}

/* Removes one if there are too many: each session that comes makes one. */
static void make_room(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	char oldest[NAME_MAX + 1] = "";
	struct timespec when = {0};
	const struct dirent *entry;
	size_t n = 0;

	if (!entries) {
		close_fd(&fd);
		return;
	}
	while ((entry = readdir(entries)))
		n += entry->d_name[0] != '.';
	if (n >= REFUSED_FILES)
		rewinddir(entries);
	while (n >= REFUSED_FILES && (entry = readdir(entries)))
		if (entry->d_name[0] != '.')
			look_at(directory, entry->d_name, oldest, sizeof(oldest),
				&when);
	closedir(entries);
	if (*oldest)
		(void)unlinkat(directory, oldest, 0);
}

int refused_file_make(const char *runtime, const char *session)
{
	auto_fd int above = -1, directory = -1, fd = -1;
	char path[PATH_MAX];
	int r = path_of(runtime, path);

	if (r < 0)
		return r;
	above = runtime_dir_open(runtime);
	directory = above < 0 ? above : private_dir_open(path);
	if (directory < 0)
		return directory;
	if (unlinkat(directory, session, 0) < 0 && errno != ENOENT)
		return -errno;
	make_room(directory);
	/* The group is the directory's, where that has the bit for it. */
	fd = openat(directory, session,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
	if (fd < 0 || fchmod(fd, 0640) < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	return take_fd(&fd);
}

#define AT(field) offsetof(struct refused_record, field)

static int write_at(int fd, size_t offset, const void *bytes, size_t size)
{
	ssize_t written = pwrite(fd, bytes, size, (off_t)offset);

	if (written < 0)
		return -errno;
	return (size_t)written == size ? 0 : -ENOSPC;
}

int refused_file_write(int fd, struct refused_record *record)
{
	uint64_t number = record->begun + 1;
	int r;

	/* First that one is under way, last that it is done: a reader looks at these in
	 * the other order. */
	record->begun = number;
	r = write_at(fd, AT(begun), &number, sizeof(number));
	if (r == 0)
		r = write_at(fd, 0, record, sizeof(*record));
	if (r == 0)
		r = write_at(fd, AT(done), &number, sizeof(number));
	if (r == 0)
		record->done = number;
	return r;
}

int refused_directory_open(const char *runtime)
{
	char path[PATH_MAX];
	int r = path_of(runtime, path);
	int fd;

	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* 0, -EAGAIN when a write was met, -EBADMSG, or -errno. */
static int read_once(int fd, struct refused_record *ret_record)
{
	uint64_t done = 0, begun = 0;
	struct refused_record record;
	ssize_t n;

	(void)!pread(fd, &done, sizeof(done), AT(done));
	n = pread(fd, &record, sizeof(record), 0);
	if (n < 0)
		return -errno;
	if (n == 0) {
		*ret_record = (struct refused_record){0};
		return 0;
	}
	(void)!pread(fd, &begun, sizeof(begun), AT(begun));
	if (begun != done)
		return -EAGAIN;
	if ((size_t)n != sizeof(record) || !refused_record_is_valid(&record))
		return -EBADMSG;
	*ret_record = record;
	return 0;
}

int refused_file_read(int directory, const char *session,
		      struct refused_record *ret_record, bool *ret_lives)
{
	auto_fd int fd = openat(directory, session,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int r = -EAGAIN;

	if (fd < 0)
		return -errno;
	*ret_lives = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	for (int i = 0; i < READS && r == -EAGAIN; i++)
		r = read_once(fd, ret_record);
	return r == -EAGAIN ? -EBADMSG : r;
}
