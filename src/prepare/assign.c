/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a run keeps on disk: a directory that the operator chose, or those that
 * anet makes, below roots that only root can enter.
 */
#include "prepare/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/resolve.h"
#include "core/run.h"
#include "os/cleanup.h"
#include "os/session-dir.h"

/* A directory on the way to what anet assigns. */
struct place {
	struct preparation *preparation;
	const char *path; /* so far, for people */
	int fd;
};

static enum reason unusable(const struct place *place, const char *why)
{
	return explain(&place->preparation->detail, REASON_DIRECTORY_UNSAFE,
		       "the session gets no directory to keep its files in: %s %s",
		       SHOW(place->path), why);
}

static enum reason failed(const struct place *place)
{
	return explain(&place->preparation->detail, REASON_SYSTEM,
		       "the session gets no directory to keep its files in: %s: %s",
		       SHOW(place->path), strerror(errno));
}

/* Into the directory `name`, which is made when it is not there.  Nobody but root
 * can write the one above, so that what is looked at here stays as it is. */
static enum reason enter(struct place *place, const char *name, mode_t mode)
{
	struct arena *arena = &place->preparation->arena;
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
static enum reason enter_root(struct place *place, const char *root)
{
	struct arena *arena = &place->preparation->arena;
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
		reason = enter(place, last, 0700);
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
		return unusable(place, "belongs neither to the account `" WORK_ACCOUNT
				       "` nor to root");
	/* A run may have changed the mode of its own. */
	if (fchown(place->fd, account->pw_uid, account->pw_gid) < 0 ||
	    fchmod(place->fd, 0700) < 0)
		return failed(place);
	return REASON_OK;
}

/* The name that the kernel has for it: no link in it. */
static enum reason name_of(const struct place *place, const char **ret_path)
{
	struct arena *arena = &place->preparation->arena;
	char path[PATH_MAX];

	if (!realpath(arena_format(arena, "/proc/self/fd/%d", place->fd), path))
		return failed(place);
	*ret_path = arena_copy(arena, path);
	return REASON_OK;
}

/* ROOT/NAMES…, the last of them for the account. */
static enum reason assign(struct start *start, const char *root,
			  const char *const names[], const char **ret_path)
{
	struct preparation *p = &start->preparation;
	auto_fd int end = -1;
	struct place place = {p, root, -1};
	const struct passwd *account = getpwnam(WORK_ACCOUNT);
	enum reason reason;

	if (!account || account->pw_uid == 0)
		return explain(&p->detail, REASON_ACCOUNT_MISSING,
			       account ? "the account `" WORK_ACCOUNT
					 "`, to which files of sessions belong, is root"
				       : "there is no account `" WORK_ACCOUNT
					 "`, to which files of sessions belong");
	reason = enter_root(&place, root);
	for (size_t i = 0; names[i] && reason == REASON_OK; i++) {
		if (i > 0)
			reason = check_root_owns(&place);
		if (reason == REASON_OK)
			reason = enter(&place, names[i], 0700);
	}
	end = place.fd;
	if (reason == REASON_OK)
		reason = own(&place, account);
	return reason == REASON_OK ? name_of(&place, ret_path) : reason;
}

/* ProtectSystem=full of the unit: what would fail at the run's first write. */
static enum reason check_writable(struct preparation *p, const char *path)
{
	static const char *const system[] = {"/usr", "/boot", "/efi", "/etc"};

	for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++)
		if (path_is_inside(path, system[i]))
			return explain(&p->detail, REASON_WORKSPACE_INVALID,
				       "the workspace %s of agent \"%s\" lies in %s, "
				       "which no session that systemd starts can write",
				       SHOW(path), p->agent.name, system[i]);
	return REASON_OK;
}

enum reason check_apart_from_home(struct preparation *p, const char *what,
				  const char *path)
{
	if (!path_is_inside(path, RUN_HOME) && !path_is_inside(RUN_HOME, path))
		return REASON_OK;
	return explain(&p->detail, REASON_WORKSPACE_INVALID,
		       "the %s %s of agent \"%s\" is, contains or lies inside " RUN_HOME
		       ", where each session has the home that it keeps: "
		       "move it elsewhere",
		       what, SHOW(path), p->agent.name);
}

/* The roots of what anet assigns are no place for what an operator chooses: what
 * is there belongs to one session. */
static enum reason check_chosen(struct preparation *p, const char *path)
{
	static const char *const roots[] = {WORK_ROOT, HOME_ROOT};
	enum reason reason;

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		char resolved[PATH_MAX];
		const char *root = realpath(roots[i], resolved) ? resolved : roots[i];

		if (path_is_inside(path, root) || path_is_inside(root, path))
			return explain(&p->detail, REASON_NEVER_VISIBLE,
				       "the workspace %s of agent \"%s\" is, contains "
				       "or lies inside %s, where anet keeps the files "
				       "of sessions apart from each other",
				       SHOW(path), p->agent.name, root);
	}
	reason = check_apart_from_home(p, "workspace", path);
	return reason == REASON_OK ? check_writable(p, path) : reason;
}

static enum reason choose_workspace(struct preparation *p, const char *path)
{
	struct resolve_words words = {.reason = REASON_WORKSPACE_INVALID, .directory = true};
	const char *resolved = NULL;
	enum reason reason;

	if (path[0] == '~')
		return explain(
			&p->detail, REASON_WORKSPACE_INVALID,
			"the workspace %s of agent \"%s\" begins with `~`, and a "
			"session that systemd starts has no home directory: "
			"write the whole path",
			SHOW(path), p->agent.name);
	if (path[0] != '/')
		return explain(&p->detail, REASON_WORKSPACE_INVALID,
			       "the workspace \"%s\" of agent \"%s\" does not begin "
			       "with `/`: write the whole path",
			       SHOW(path), p->agent.name);
	words.what = arena_format(&p->arena, "the workspace %s of agent \"%s\"", SHOW(path),
				  p->agent.name);
	reason = resolve_owned(&p->arena, path, &words, &resolved, &p->detail);
	if (reason != REASON_OK)
		return reason;
	p->record.workspace = arena_copy(&p->arena, resolved);
	return check_chosen(p, resolved);
}

enum reason assign_workspace(struct start *start)
{
	const char *const names[] = {start->name.agent, start->name.interaction, NULL};
	struct preparation *p = &start->preparation;
	const char *path = NULL;
	enum reason reason;

	if (p->agent.workspace)
		return choose_workspace(p, p->agent.workspace);
	reason = assign(start, WORK_ROOT, names, &path);
	if (reason != REASON_OK)
		return reason;
	p->record.workspace = arena_copy(&p->arena, path);
	p->record.workspace_flags = RUN_MOUNT_ASSIGNED;
	return REASON_OK;
}

enum reason assign_home(struct start *start)
{
	const char *const names[] = {start->name.id, NULL};

	return assign(start, HOME_ROOT, names, &start->home);
}
