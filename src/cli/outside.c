/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/mountinfo.h"

/* As the kernel's own, path_resolution(7). */
#define MAX_LINKS 40

/* Those that answer from this machine's disks and memory. */
static bool is_local(const char *type)
{
	static const char *const local[] = {
		"bcachefs", "btrfs", "devtmpfs", "erofs", "exfat",   "ext2",  "ext3",
		"ext4",	    "f2fs",  "iso9660",	 "jfs",	  "overlay", "ramfs", "rootfs",
		"squashfs", "tmpfs", "vfat",	 "xfs",	  "zfs",
	};

	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if (strcmp(local[i], type) == 0)
			return true;
	return false;
}

int outside_read(struct arena *arena, struct outside *ret_outside)
{
	struct outside outside = {0};
	struct mountinfo mounts;
	int r = mountinfo_open(&mounts);

	while (r == 0 && mountinfo_next(&mounts))
		if (!is_local(mounts.type) && strcmp(mounts.point, "/") != 0)
			list_add(arena, &outside.foreign,
				 arena_copy(arena, mounts.point));
	mountinfo_close(&mounts);
	if (r == 0)
		*ret_outside = outside;
	return r;
}

static bool is_foreign(const struct outside *outside, const char *path)
{
	for (size_t i = 0; i < outside->foreign.n; i++)
		if (strcmp(outside->foreign.items[i], path) == 0)
			return true;
	return false;
}

/* The place that has been reached, and what is left to go. */
struct walk {
	int fd;
	char path[PATH_MAX]; /* of fd, canonical; "" is the root */
	char rest[PATH_MAX];
	unsigned int links;
};

static int go_up(struct walk *walk)
{
	int parent = openat(walk->fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *slash = strrchr(walk->path, '/');

	if (parent < 0)
		return -errno;
	close_fd(&walk->fd);
	walk->fd = parent;
	if (slash)
		*slash = 0;
	return 0;
}

static int follow(struct walk *walk, int link)
{
	char target[PATH_MAX], joined[2 * PATH_MAX + 1];
	ssize_t length = readlinkat(link, "", target, sizeof(target) - 1);
	int root;

	if (length < 0)
		return -errno;
	target[length] = 0;
	if (++walk->links > MAX_LINKS)
		return -ELOOP;
	snprintf(joined, sizeof(joined), "%s/%s", target, walk->rest);
	if (strlen(joined) >= sizeof(walk->rest))
		return -ENAMETOOLONG;
	memcpy(walk->rest, joined, strlen(joined) + 1);
	if (target[0] != '/')
		return 0;
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	close_fd(&walk->fd);
	walk->fd = root;
	walk->path[0] = 0;
	return 0;
}

static int step(const struct outside *outside, struct walk *walk, const char *name)
{
	size_t used = strlen(walk->path);
	auto_fd int next = -1;
	struct stat status;

	if (used + 1 + strlen(name) >= sizeof(walk->path))
		return -ENAMETOOLONG;
	snprintf(walk->path + used, sizeof(walk->path) - used, "/%s", name);
	if (is_foreign(outside, walk->path))
		return -EXDEV;
	/* O_PATH mounts nothing (open(2)), and no link is followed but by us. */
	next = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0 || fstat(next, &status) < 0)
		return -errno;
	if (S_ISLNK(status.st_mode)) {
		walk->path[used] = 0;
		return follow(walk, next);
	}
	close_fd(&walk->fd);
	walk->fd = take_fd(&next);
	return 0;
}

int outside_open(const struct outside *outside, const char *path,
		 char ret_canonical[PATH_MAX])
{
	struct walk walk = {.fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
	int r = walk.fd < 0 ? -errno : 0;

	if (strlen(path) >= sizeof(walk.rest))
		r = -ENAMETOOLONG;
	else
		memcpy(walk.rest, path, strlen(path) + 1);
	while (r == 0 && walk.rest[0]) {
		char name[NAME_MAX + 1];
		size_t length = strcspn(walk.rest, "/");
		size_t taken = length + (walk.rest[length] == '/');

		if (length > NAME_MAX) {
			r = -ENAMETOOLONG;
			break;
		}
		memcpy(name, walk.rest, length);
		name[length] = 0;
		memmove(walk.rest, walk.rest + taken, strlen(walk.rest + taken) + 1);
		if (strcmp(name, "..") == 0)
			r = go_up(&walk);
		else if (length > 0 && strcmp(name, ".") != 0)
			r = step(outside, &walk, name);
	}
	if (r < 0) {
		close_fd(&walk.fd);
		return r;
	}
	snprintf(ret_canonical, PATH_MAX, "%s", walk.path[0] ? walk.path : "/");
	return walk.fd;
}
