/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a run sees besides the system: program, home, mounts of the configuration and
 * workspace.  Each source is opened once; what was checked is what is mounted.
 */
#include "os/view-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/path.h"
#include "os/cleanup.h"
#include "os/session-dir.h"

/* What is mounted below a directory comes along with it. */
static enum reason check_submounts(const struct view_builder *builder,
				   const char *directory)
{
	enum reason reason = REASON_OK;

	for (size_t i = 0; i < builder->n_points && !reason; i++) {
		const char *point = builder->points[i];
		auto_fd int fd = -1;

		if (!path_is_inside(point, directory) || strcmp(directory, point) == 0)
			continue;
		fd = open(point, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			reason = visible_look(builder->visible, fd, point, false,
					      builder->detail, builder->size);
	}
	return reason;
}

/* The system's own directories are read-only for a run; those inside them that
 * belong to somebody's work (/usr/src/x) are not meant. */
static enum reason check_system(const struct view_builder *builder,
				const char *canonical)
{
	for (size_t i = 0; i < builder->view->n; i++) {
		const struct view_entry *entry = &builder->view->entries[i];

		if (entry->kind == VIEW_SYSTEM &&
		    path_is_inside(entry->target, canonical))
			return view_refuse(builder, REASON_WORKSPACE_INVALID,
					   "the workspace %.160s is or contains the "
					   "system's %.60s",
					   canonical, entry->target);
	}
	return REASON_OK;
}

/* The homes that agents keep of this caller's, below his own. */
static bool is_kept_home(const struct view_builder *builder, int fd,
			 const char *canonical)
{
	struct stat status;

	for (size_t i = 0; i < 2; i++) {
		char root[PATH_MAX];
		const char *home = builder->homes->own[i];

		if (!home || snprintf(root, sizeof(root), "%s" VIEW_KEPT_HOMES, home) >=
				     (int)sizeof(root))
			continue;
		if (path_is_inside(canonical, root) && strcmp(root, canonical) != 0)
			return fstat(fd, &status) == 0 && status.st_uid == getuid();
	}
	return false;
}

/* What anet made for this session lies where runs see nothing else, and is no
 * link to anywhere. */
static enum reason check_assigned(const struct view_builder *builder, int fd,
				  const char *path, const char *canonical)
{
	if (strcmp(path, canonical) == 0 && (path_is_inside(canonical, WORK_ROOT) ||
					     path_is_inside(canonical, HOME_ROOT) ||
					     is_kept_home(builder, fd, canonical)))
		return REASON_OK;
	return view_refuse(builder, REASON_MOUNT_CHANGED,
			   "%.110s, made for this session, has become %.110s", path,
			   canonical);
}

static enum reason check_workspace(const struct view_builder *builder, int fd,
				   const char *canonical)
{
	const struct run_record *run = builder->run;
	enum reason reason;

	/* Whoever prepared the session has resolved it, and checked who could lead
	 * it elsewhere. */
	if (strcmp(run->workspace, canonical) != 0)
		return view_refuse(builder, REASON_MOUNT_CHANGED,
				   "the workspace %.110s has become %.110s",
				   run->workspace, canonical);
	if (run->workspace_flags & RUN_MOUNT_ASSIGNED)
		reason = check_assigned(builder, fd, run->workspace, canonical);
	else
		reason = visible_look(builder->visible, fd, canonical, false,
				      builder->detail, builder->size);
	if (!reason)
		reason = check_system(builder, canonical);
	return reason ? reason : check_submounts(builder, canonical);
}

static enum reason add_workspace(struct view_builder *builder)
{
	const char *path = builder->run->workspace;
	char canonical[PATH_MAX];
	auto_fd int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat status;
	enum reason reason;
	int r;

	if (fd < 0)
		return view_refuse(builder, REASON_WORKSPACE_INVALID,
				   "the workspace %.160s: %s", path, strerror(errno));
	r = view_canonical(fd, canonical, sizeof(canonical));
	if (r < 0 || fstat(fd, &status) < 0 || status.st_nlink == 0)
		return view_refuse(builder, REASON_WORKSPACE_INVALID,
				   "the workspace %.160s: %s", path,
				   r < 0 ? strerror(-r) : "it has been removed");
	reason = check_workspace(builder, fd, canonical);
	if (reason)
		return reason;
	builder->workspace = fd;
	if (!view_add(
		    builder->view,
		    &(struct view_entry){
			    .kind = VIEW_WORKSPACE,
			    .way = VIEW_BIND,
			    .target = canonical,
			    .source = canonical,
			    .writable = true,
			    .flags = RUN_MOUNT_WRITABLE | builder->run->workspace_flags,
			    .rule = "the workspace of the session",
		    },
		    &fd))
		return view_refuse(builder, REASON_SYSTEM, "the workspace %.160s: %s",
				   path, strerror(errno));
	return REASON_OK;
}

/* It may neither hide what is the run's own nor give more of the system than the
 * run has.  *ret_seen: it is in the view already, in the same way. */
static enum reason check_place(const struct view_builder *builder,
			       const struct run_mount *asked, const char *canonical,
			       bool *ret_seen)
{
	bool writable = asked->flags & RUN_MOUNT_WRITABLE;

	for (size_t i = 0; i < builder->n_fixed; i++) {
		const struct view_entry *entry = &builder->view->entries[i];

		if (entry->kind == VIEW_SYSTEM && !writable &&
		    path_is_inside(canonical, entry->target)) {
			*ret_seen = true;
			return REASON_OK;
		}
		if (path_is_inside(entry->target, canonical))
			return view_refuse(
				builder, REASON_MOUNT_INVALID,
				"the mount %.110s is or contains %.60s, which is there "
				"for every run: %.60s",
				canonical, entry->target, entry->rule);
	}
	return REASON_OK;
}

/* SPEC S9. */
static enum reason check_configured(const struct view_builder *builder,
				    const struct run_mount *asked, int fd,
				    const char *canonical, bool *ret_seen)
{
	enum reason reason;

	if (strcmp(asked->source, canonical) != 0)
		return view_refuse(builder, REASON_MOUNT_CHANGED,
				   "the mount %.110s has become %.110s", asked->source,
				   canonical);
	reason = view_check_source(fd, canonical, asked->flags & RUN_MOUNT_WRITABLE,
				   builder->detail, builder->size);
	if (!reason)
		reason = visible_look(builder->visible, fd, canonical, false,
				      builder->detail, builder->size);
	if (!reason)
		reason = check_place(builder, asked, canonical, ret_seen);
	return reason || *ret_seen ? reason : check_submounts(builder, canonical);
}

static enum reason check_asked(const struct view_builder *builder,
			       const struct run_mount *asked, int fd,
			       const char *canonical, bool *ret_seen)
{
	/* Same path twice: the workspace is writable already. */
	*ret_seen = strcmp(canonical, builder->run->workspace) == 0;
	if (*ret_seen)
		return REASON_OK;
	if (asked->flags & RUN_MOUNT_CONFIGURED)
		return check_configured(builder, asked, fd, canonical, ret_seen);
	/* What the run writes in its workspace is its own. */
	*ret_seen = path_is_inside(canonical, "/usr") ||
		    path_is_inside(canonical, builder->run->workspace);
	if (*ret_seen)
		return REASON_OK;
	if (asked->flags & RUN_MOUNT_ASSIGNED)
		return check_assigned(builder, fd, asked->source, canonical);
	return visible_look(builder->visible, fd, canonical,
			    asked->flags & RUN_MOUNT_PROGRAM, builder->detail,
			    builder->size);
}

static struct view_entry describe(const struct run_mount *asked, const char *canonical)
{
	struct view_entry entry = {
		.kind = VIEW_MOUNT,
		.way = VIEW_BIND,
		.target = asked->target,
		.source = canonical,
		.writable = asked->flags & RUN_MOUNT_WRITABLE,
		.flags = asked->flags,
		.rule = "`mounts` of the configuration",
	};

	if (asked->flags & RUN_MOUNT_PROGRAM) {
		entry.kind = VIEW_PROGRAM;
		entry.rule = "the program of the runtime, read-only";
	} else if (asked->flags & RUN_MOUNT_ASSIGNED) {
		entry.kind = VIEW_HOME;
		entry.rule = "the home that the agent keeps";
	}
	return entry;
}

static enum reason add_asked(struct view_builder *builder,
			     const struct run_mount *asked)
{
	char canonical[PATH_MAX];
	auto_fd int fd = open(asked->source, O_PATH | O_CLOEXEC);
	int r = fd < 0 ? -errno : view_canonical(fd, canonical, sizeof(canonical));
	struct view_entry entry;
	enum reason reason;
	bool seen;

	if (r < 0)
		return view_refuse(builder,
				   asked->flags & RUN_MOUNT_CONFIGURED
					   ? REASON_MOUNT_INVALID
					   : REASON_WORKSPACE_INVALID,
				   "the mount %.160s: %s", asked->source, strerror(-r));
	reason = check_asked(builder, asked, fd, canonical, &seen);
	if (reason || seen)
		return reason;
	entry = describe(asked, canonical);
	if (!view_add(builder->view, &entry, &fd))
		return view_refuse(builder, REASON_SYSTEM, "the mount %.160s: %s",
				   asked->source, strerror(errno));
	return REASON_OK;
}

enum reason view_check_source(int fd, const char *path, bool writable, char *ret_detail,
			      size_t size)
{
	const char *what = NULL;
	struct statvfs filesystem;
	struct stat status;

	if (fstat(fd, &status) < 0 || fstatvfs(fd, &filesystem) < 0) {
		snprintf(ret_detail, size, "the mount %.160s: %s", path,
			 strerror(errno));
		return REASON_MOUNT_INVALID;
	}
	/* A read-only mount keeps nobody from connecting to a socket, and a device
	 * or a FIFO is as open as before. */
	if (S_ISSOCK(status.st_mode))
		what = "a socket: a run that sees it can connect to it, read-only or "
		       "not";
	else if (S_ISFIFO(status.st_mode))
		what = "a FIFO: a run that sees it can talk through it";
	else if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
		what = "a device";
	else if (writable && filesystem.f_flag & ST_RDONLY)
		what = "on a filesystem that is mounted read-only, and the mode is "
		       "writable";
	if (!what)
		return REASON_OK;
	snprintf(ret_detail, size, "the mount %.110s is %.100s", path, what);
	return REASON_MOUNT_INVALID;
}

static int compare_places(const void *one, const void *other)
{
	const struct view_entry *a = one, *b = other;

	return strcmp(a->target, b->target);
}

/* Same path twice: one mount, which is writable if one of them is. */
static void join_same(struct view *view, size_t first)
{
	size_t kept = first;

	for (size_t i = first + 1; i < view->n; i++) {
		struct view_entry *last = &view->entries[kept];
		struct view_entry *entry = &view->entries[i];

		if (strcmp(last->target, entry->target) != 0) {
			view->entries[++kept] = *entry;
			continue;
		}
		if (entry->writable && !last->writable) {
			struct view_entry swapped = *last;

			*last = *entry;
			*entry = swapped;
		}
		view_entry_free(entry);
	}
	view->n = kept + 1;
}

enum reason view_add_sources(struct view_builder *builder)
{
	struct view *view = builder->view;
	enum reason reason = REASON_OK;

	builder->n_fixed = view->n;
	for (size_t i = 0; i < builder->run->n_mounts && !reason; i++)
		reason = add_asked(builder, &builder->run->mounts[i]);
	if (!reason)
		reason = add_workspace(builder);
	if (!reason && builder->policy->flags & POLICY_PROTECT)
		reason = view_add_protected(builder);
	if (reason)
		return reason;
	/* What lies in a directory is mounted after that directory. */
	qsort(view->entries + builder->n_fixed, view->n - builder->n_fixed,
	      sizeof(*view->entries), compare_places);
	join_same(view, builder->n_fixed);
	return REASON_OK;
}
