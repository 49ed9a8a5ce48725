/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/assigned.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/private-dir.h"

/* A directory on the way to what anet assigns. */
struct place {
	struct arena *arena;
	struct detail *detail;
	const char *path; /* so far, for people */
	int fd;
};

static enum reason unusable(const struct place *place, const char *why)
{
	return explain(place->detail, REASON_DIRECTORY_UNSAFE,
		       "the session gets no directory to keep its files in: %s %s",
		       SHOW(place->path), why);
}

static enum reason failed(const struct place *place)
{
	return explain(place->detail, REASON_SYSTEM,
		       "the session gets no directory to keep its files in: %s: %s",
		       SHOW(place->path), strerror(errno));
}

/* Into the directory `name`, which is made when it is not there.  Nobody but root
 * can write the one above, so that what is looked at here stays as it is. */
static enum reason enter(struct place *place, const char *name, mode_t mode)
{
	struct arena *arena = place->arena;
	int fd;

	place->path = arena_format(arena, "%s/%s", place->path, name);
	if (mkdirat(place->fd, name, mode) < 0 && errno != EEXIST)
		return failed(place);
	fd = openat(place->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return unusable(place, "is a symbolic link or no directory");
	if (fd < 0)
		return failed(place);
	close_fd(&place->fd);
	place->fd = fd;
	return REASON_OK;
}

static enum reason check_root_owns(const struct place *place)
{
	struct stat status;

	if (fstat(place->fd, &status) < 0)
		return failed(place);
	if (status.st_uid != 0)
		return unusable(place, "does not belong to root");
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return unusable(place, "can be written by others than root");
	return REASON_OK;
}

/* What the system has (/var/cache), possibly by a link of root's, then anet's own
 * directory and one root in it. */
static enum reason enter_root(struct place *place, const char *root, mode_t mode)
{
	struct arena *arena = place->arena;
	char *path = arena_copy(arena, root);
	char *last = strrchr(path, '/'), *middle;
	enum reason reason;

	*last++ = 0;
	middle = strrchr(path, '/');
	*middle++ = 0;
	place->path = path;
	place->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->fd < 0)
		return failed(place);
	reason = check_root_owns(place);
	if (reason == REASON_OK)
		reason = enter(place, middle, 0755);
	if (reason == REASON_OK)
		reason = check_root_owns(place);
	if (reason == REASON_OK)
		reason = enter(place, last, mode);
	return reason == REASON_OK ? check_root_owns(place) : reason;
}

/* The directory itself: the account's, as it was made; or root's, when whoever
 * made it was interrupted. */
static enum reason own(const struct place *place, const struct passwd *account)
{
	struct stat status;

	if (fstat(place->fd, &status) < 0)
		return failed(place);
	if (status.st_uid != account->pw_uid && status.st_uid != 0)
		return unusable(place, "belongs neither to its account nor to root");
	/* A run may have changed the mode of its own. */
	if (fchown(place->fd, account->pw_uid, account->pw_gid) < 0 ||
	    fchmod(place->fd, 0700) < 0)
		return failed(place);
	return REASON_OK;
}

/* The name that the kernel has for it: no link in it. */
static enum reason name_of(const struct place *place, const char **ret_path)
{
	struct arena *arena = place->arena;
	char path[PATH_MAX];

	if (!realpath(arena_format(arena, "/proc/self/fd/%d", place->fd), path))
		return failed(place);
	*ret_path = arena_copy(arena, path);
	return REASON_OK;
}

enum reason assigned_make(struct arena *arena, const struct assigned *assigned,
			  const char **ret_path, struct detail *ret_detail)
{
	struct place place = {arena, ret_detail, assigned->root, -1};
	const struct passwd *account = getpwnam(assigned->account);
	auto_fd int end = -1;
	enum reason reason;

	if (!account || account->pw_uid == 0)
		return explain(ret_detail, REASON_ACCOUNT_MISSING,
			       account ? "the account `%s`, to which files of sessions "
					 "belong, is root"
				       : "there is no account `%s`, to which files of "
					 "sessions belong",
			       SHOW(assigned->account));
	reason = enter_root(&place, assigned->root, assigned->mode);
	for (size_t i = 0; assigned->names[i] && reason == REASON_OK; i++) {
		if (i > 0)
			reason = check_root_owns(&place);
		if (reason == REASON_OK)
			reason = enter(&place, assigned->names[i], assigned->mode);
	}
	end = place.fd;
	if (reason == REASON_OK)
		reason = own(&place, account);
	return reason == REASON_OK ? name_of(&place, ret_path) : reason;
}

enum reason assigned_make_own(struct arena *arena, const char *home, const char *agent,
			      const char **ret_path, struct detail *ret_detail)
{
	const char *const steps[] = {".local", "share", "anet", "homes", agent};
	struct place last = {arena, ret_detail, home, -1};
	auto_fd int end = -1;

	if (!home)
		return explain(ret_detail, REASON_DIRECTORY_UNSAFE,
			       "the session gets no home that is kept: you have no "
			       "home directory");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		last.path = arena_format(arena, "%s/%s", last.path, steps[i]);
		close_fd(&end);
		end = private_dir_open(last.path);
		if (end == -EPERM || end == -ENOTDIR || end == -ELOOP)
			return unusable(&last, "is no directory of yours that only you "
					       "can write");
		if (end < 0) {
			errno = -end;
			return failed(&last);
		}
	}
	last.fd = end;
	return name_of(&last, ret_path);
}
