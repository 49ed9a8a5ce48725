/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/protected.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"

#define NSEC_PER_SEC INT64_C(1000000000)

/* As many as the kernel follows, path_resolution(7). */
#define MAX_LINKS 40

/* A way that begins in the workspace and does not leave it. */
struct walk {
	int workspace;
	const char *root; /* the workspace's path */
	int fd;		  /* of the directory that was reached; -1: the workspace */
	unsigned int depth, links;
	char rest[PATH_MAX]; /* what is still to go */
};

static int place_of(const struct walk *walk)
{
	return walk->fd >= 0 ? walk->fd : walk->workspace;
}

static int enter(struct walk *walk, const char *name)
{
	int fd = openat(place_of(walk), name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close_fd(&walk->fd);
	walk->fd = fd;
	return 0;
}

static int go_up(struct walk *walk)
{
	if (walk->depth == 0)
		return -EXDEV;
	walk->depth--;
	return enter(walk, "..");
}

/* Goes on with what a link says; one that is absolute may name the workspace. */
static int follow(struct walk *walk, const char *link)
{
	char target[PATH_MAX], joined[2 * PATH_MAX + 1];
	ssize_t length = readlinkat(place_of(walk), link, target, sizeof(target) - 1);
	size_t root = strlen(walk->root);
	const char *from = target;
	int n;

	if (length < 0)
		return -errno;
	target[length] = 0;
	if (++walk->links > MAX_LINKS)
		return -ELOOP;
	if (target[0] == '/') {
		if (strncmp(target, walk->root, root) != 0 ||
		    (target[root] != '/' && target[root]))
			return -EXDEV;
		from += root + strspn(target + root, "/");
		close_fd(&walk->fd);
		walk->depth = 0;
	}
	n = snprintf(joined, sizeof(joined), "%s/%s", from, walk->rest);
	if ((size_t)n >= sizeof(walk->rest))
		return -ENAMETOOLONG;
	memcpy(walk->rest, joined, (size_t)n + 1);
	return 0;
}

/* Takes the next name from what is to go: "." at its end.  False: too long. */
static bool next_name(struct walk *walk, char ret_name[NAME_MAX + 1])
{
	char *rest = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(rest, "/");

	if (length > NAME_MAX)
		return false;
	memcpy(ret_name, length ? rest : ".", length ? length : 1);
	ret_name[length ? length : 1] = 0;
	rest += length + strspn(rest + length, "/");
	memmove(walk->rest, rest, strlen(rest) + 1);
	return true;
}

/* Up to the last name of what is to go, links on the way followed; and where it is a
 * link itself, that too, unless `ret_own` wants to know of that first.  The name is to
 * be found in place_of(). */
static int walk_to_last(struct walk *walk, char ret_name[NAME_MAX + 1],
			struct statx *ret_found, struct statx *ret_own)
{
	for (;;) {
		int r = 0;

		if (!next_name(walk, ret_name))
			return -ENAMETOOLONG;
		if (statx(place_of(walk), ret_name,
			  AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
			  STATX_TYPE | STATX_INO | STATX_NLINK | STATX_CTIME |
				  STATX_BTIME,
			  ret_found) < 0)
			return -errno;
		if (ret_own && !walk->rest[0]) {
			*ret_own = *ret_found;
			ret_own = NULL;
		}
		if (S_ISLNK(ret_found->stx_mode))
			r = follow(walk, ret_name);
		else if (strcmp(ret_name, "..") == 0)
			r = go_up(walk);
		else if (!walk->rest[0])
			return 0;
		else if (strcmp(ret_name, ".") != 0) {
			r = enter(walk, ret_name);
			walk->depth++;
		}
		if (r < 0)
			return r;
	}
}

static int begin(struct walk *walk, int workspace, const char *root, const char *path)
{
	*walk = (struct walk){.workspace = workspace, .root = root, .fd = -1};
	/* The longest of the table is shorter. */
	return snprintf(walk->rest, sizeof(walk->rest), "%s", path) < PATH_MAX
		       ? 0
		       : -ENAMETOOLONG;
}

int protected_open(int workspace, const char *root, const char *path)
{
	char name[NAME_MAX + 1];
	struct statx found;
	struct walk walk;
	int r = begin(&walk, workspace, root, path);

	if (r == 0)
		r = walk_to_last(&walk, name, &found, NULL);
	if (r == 0)
		r = openat(place_of(&walk), name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (r == -1)
		r = -errno;
	close_fd(&walk.fd);
	return r;
}

static bool is_absent(int error)
{
	/* Nothing, or what no program reaches by this name in the workspace. */
	return error == -ENOENT || error == -ENOTDIR || error == -ELOOP ||
	       error == -EXDEV || error == -ENAMETOOLONG;
}

static uint64_t device_of(const struct statx *found)
{
	return (uint64_t)found->stx_dev_major << 32 | found->stx_dev_minor;
}

static int64_t nsec_of(const struct statx_timestamp *time)
{
	return time->tv_sec * NSEC_PER_SEC + (int64_t)time->tv_nsec;
}

static int64_t change_of(const struct statx *found)
{
	if (!S_ISREG(found->stx_mode) || found->stx_nlink < 2)
		return 0;
	return nsec_of(&found->stx_ctime);
}

static void look(int workspace, const char *root, const char *path,
		 struct protected_state *ret_state)
{
	struct statx found = {0}, own = {0};
	char name[NAME_MAX + 1];
	struct walk walk;
	int r = begin(&walk, workspace, root, path);

	*ret_state = (struct protected_state){.kind = PROTECTED_HIDDEN};
	if (r == 0)
		r = walk_to_last(&walk, name, &found, &own);
	close_fd(&walk.fd);
	if (!own.stx_mask) {
		if (is_absent(r))
			ret_state->kind = PROTECTED_ABSENT;
		return;
	}
	ret_state->kind = S_ISDIR(own.stx_mode) ? PROTECTED_DIRECTORY : PROTECTED_OTHER;
	ret_state->dev = device_of(&own);
	ret_state->ino = own.stx_ino;
	ret_state->changed = change_of(&own);
	if (own.stx_mask & STATX_BTIME)
		ret_state->born = nsec_of(&own.stx_btime);
	if (!S_ISLNK(own.stx_mode) || is_absent(r))
		return;
	/* Where that cannot be looked at, it is not the same as anything. */
	ret_state->end_dev = r == 0 ? device_of(&found) : UINT64_MAX;
	ret_state->end_ino = r == 0 ? found.stx_ino : UINT64_MAX;
	ret_state->changed = change_of(&found);
}

static bool exists(int workspace, const char *root, const char *name)
{
	struct protected_state state;

	look(workspace, root, name, &state);
	return state.kind != PROTECTED_ABSENT;
}

void protected_look(int workspace, const char *root,
		    struct protected_states *ret_states)
{
	*ret_states = (struct protected_states){0};
	for (size_t i = 0; i < PROTECTED_COUNT; i++)
		look(workspace, root, protected_path(i), &ret_states->rows[i]);
	/* gitrepository-layout(5): objects and refs, or where they are to be found. */
	ret_states->repository = exists(workspace, root, "HEAD") &&
				 (exists(workspace, root, "commondir") ||
				  (exists(workspace, root, "objects") &&
				   exists(workspace, root, "refs")));
}

void protected_names(uint64_t rows, char *ret_text, size_t size)
{
	unsigned int left = (unsigned int)__builtin_popcountll(rows);
	size_t length = 0;

	ret_text[0] = 0;
	for (size_t i = 0; i < PROTECTED_COUNT; i++) {
		/* Room for what is said of those that find none. */
		size_t need = strlen(protected_path(i)) + sizeof(", and 63 more");

		if (!(rows >> i & 1))
			continue;
		if (length + need > size) {
			snprintf(ret_text + length, size - length, " and %u more",
				 left);
			return;
		}
		length += (size_t)snprintf(ret_text + length, size - length, "%s%s",
					   length == 0 ? ""
					   : left == 1 ? " and "
						       : ", ",
					   protected_path(i));
		left--;
	}
}
