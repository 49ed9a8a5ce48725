/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a path leads that an operator wrote down once.  Links are followed, but who
 * owns one, or a directory on the way, can lead it anywhere later, and so can whoever
 * may rename what is in such a directory; root would then give somebody else's
 * directory to a run, with the rights of its owner.  So whatever is not root's on the
 * way must belong to whom the directory at its end belongs, and no directory on the way
 * may be one in which others can put another one in its place.
 */
#include "config/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "os/cleanup.h"

/* As many as the kernel follows, path_resolution(7). */
#define MAX_LINKS 40

/* Who is not root, and what of him was on the way. */
struct guide {
	uid_t owner;
	const char *path;
};

struct walk {
	struct arena *arena;
	int fd;		  /* the directory that was reached */
	const char *rest; /* what is still to go */
	unsigned int links;
	/* The first two that differ: one of them is not the owner of the end. */
	struct guide guides[2];
	size_t n_guides;
	/* The first directory that is not its owner's alone; NULL if there is none. */
	const char *shared;
};

/* The kernel's name for an open directory; NULL if it has none. */
static const char *path_of(struct arena *arena, int fd)
{
	char path[PATH_MAX];

	if (!realpath(arena_format(arena, "/proc/self/fd/%d", fd), path))
		return NULL;
	return arena_copy(arena, path);
}

/* `name`, if not NULL, is a link in the directory that was reached. */
static void note_owner(struct walk *walk, uid_t owner, const char *name)
{
	const char *path;

	if (owner == 0 || walk->n_guides == 2 ||
	    (walk->n_guides == 1 && walk->guides[0].owner == owner))
		return;
	path = path_of(walk->arena, walk->fd);
	walk->guides[walk->n_guides++] = (struct guide){
		.owner = owner,
		.path = arena_format(walk->arena, "%s%s%s", path ? path : "?",
				     name ? "/" : "", name ? name : ""),
	};
}

/* acl(5): the bits of the group are then the most that anybody in the list has. */
static bool has_list(struct arena *arena, int fd)
{
	return getxattr(arena_format(arena, "/proc/self/fd/%d", fd),
			"system.posix_acl_access", NULL, 0) > 0;
}

/* The group that an account has to itself, as distributions make it; those who work
 * with umask 002 then share nothing. */
static bool is_private_group(uid_t uid, gid_t gid)
{
	const struct passwd *owner = getpwuid(uid);
	const struct group *group = getgrgid(gid);

	return owner && group && owner->pw_gid == gid && !group->gr_mem[0] &&
	       strcmp(owner->pw_name, group->gr_name) == 0;
}

static void note_shared(struct walk *walk, const struct stat *status)
{
	const char *path;

	/* Where it is sticky, a name is its owner's, who is noted as well. */
	if (walk->shared || !(status->st_mode & (S_IWGRP | S_IWOTH)) ||
	    (status->st_mode & S_ISVTX))
		return;
	if (!(status->st_mode & S_IWOTH) && !has_list(walk->arena, walk->fd) &&
	    is_private_group(status->st_uid, status->st_gid))
		return;
	path = path_of(walk->arena, walk->fd);
	walk->shared = path ? path : "?";
}

static int restart(struct walk *walk)
{
	close_fd(&walk->fd);
	walk->fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return walk->fd < 0 ? -errno : 0;
}

static int follow(struct walk *walk, int link, const char *name)
{
	char target[PATH_MAX];
	struct stat status;
	ssize_t length = readlinkat(link, "", target, sizeof(target) - 1);

	if (length < 0 || fstat(link, &status) < 0)
		return -errno;
	if (++walk->links > MAX_LINKS)
		return -ELOOP;
	target[length] = 0;
	note_owner(walk, status.st_uid, name);
	walk->rest = arena_format(walk->arena, "%s/%s", target, walk->rest);
	return target[0] == '/' ? restart(walk) : 0;
}

/* One name further, away from the directory that was reached. */
static int step(struct walk *walk, const char *name)
{
	auto_fd int fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat status, before;

	if (fd < 0 || fstat(fd, &status) < 0 || fstat(walk->fd, &before) < 0)
		return -errno;
	note_owner(walk, before.st_uid, NULL);
	note_shared(walk, &before);
	if (S_ISLNK(status.st_mode))
		return follow(walk, fd, name);
	if (!S_ISDIR(status.st_mode) && *walk->rest)
		return -ENOTDIR;
	close_fd(&walk->fd);
	walk->fd = take_fd(&fd);
	return 0;
}

static int walk_path(struct walk *walk)
{
	int r = restart(walk);

	while (r == 0) {
		const char *name;
		size_t length;

		walk->rest += strspn(walk->rest, "/");
		length = strcspn(walk->rest, "/");
		if (length == 0)
			break;
		name = arena_copy_bytes(walk->arena, walk->rest, length);
		walk->rest += length;
		r = step(walk, name);
	}
	return r;
}

enum reason resolve_owned(struct arena *arena, const char *path,
			  const struct resolve_words *words, const char **ret_path,
			  struct detail *ret_detail)
{
	struct walk walk = {.arena = arena, .fd = -1, .rest = path};
	int r = walk_path(&walk);
	auto_fd int fd = walk.fd;
	struct stat status;

	if (r == 0 && fstat(fd, &status) < 0)
		r = -errno;
	if (r == 0 && words->directory && !S_ISDIR(status.st_mode))
		r = -ENOTDIR;
	if (r == 0 && !(*ret_path = path_of(arena, fd)))
		r = -errno;
	if (r < 0)
		return explain(ret_detail, words->reason, "%s: %s", words->what,
			       strerror(-r));
	for (size_t i = 0; i < walk.n_guides; i++)
		if (walk.guides[i].owner != status.st_uid)
			return explain(ret_detail, words->reason,
				       "%s belongs to user %u, but %s on the way to it "
				       "to user %u, who could lead it to any other "
				       "directory",
				       words->what, status.st_uid,
				       SHOW(walk.guides[i].path), walk.guides[i].owner);
	if (walk.shared)
		return explain(
			ret_detail, words->reason,
			"others than its owner can write %s, which is on the way "
			"to %s, and so could put any other directory in its place: "
			"`chmod g-w,o-w` or `chmod +t` ends that",
			SHOW(walk.shared), words->what);
	return REASON_OK;
}
