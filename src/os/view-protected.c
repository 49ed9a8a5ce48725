/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What programs outside execute of a workspace is mounted over itself, read-only, and
 * each directory that leads there over itself as it is: a mount point can be neither
 * renamed nor removed by the run.  Nothing is made on the host for what is not there.
 */
#include "os/view-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/protected.h"

/* Links are followed as far as they stay in the workspace: what git finds there,
 * protection must find.  Others lead to what the run does not see. */
static int open_beneath(int workspace, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};
	int fd = (int)syscall(SYS_openat2, workspace, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

static bool is_there(const struct view *view, const char *target)
{
	for (size_t i = view->n; i > 0; i--)
		if (strcmp(view->entries[i - 1].target, target) == 0)
			return true;
	return false;
}

/* Of a mount of the configuration at the same place the mode counts. */
static enum reason add(struct view_builder *builder, const char *path, bool read_only,
		       const char *rule)
{
	auto_fd int fd = open_beneath(builder->workspace, path);
	char canonical[PATH_MAX];
	struct stat status;
	int r;

	/* Gone meanwhile, or beyond the workspace. */
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -EXDEV || fd == -ELOOP)
		return REASON_OK;
	r = fd < 0 ? fd : view_canonical(fd, canonical, sizeof(canonical));
	if (r == 0 && fstat(fd, &status) < 0)
		r = -errno;
	if (r < 0)
		return view_refuse(builder, REASON_SYSTEM,
				   "protecting %.60s in %.110s: %s", path,
				   builder->run->workspace, strerror(-r));
	if ((!read_only && !S_ISDIR(status.st_mode)) ||
	    is_there(builder->view, canonical))
		return REASON_OK;
	if (!view_add(builder->view,
		      &(struct view_entry){
			      .kind = VIEW_PROTECTED,
			      .way = VIEW_BIND,
			      .target = canonical,
			      .source = canonical,
			      .writable = !read_only,
			      .flags = read_only ? 0 : RUN_MOUNT_WRITABLE,
			      .rule = rule,
		      },
		      &fd))
		return view_refuse(builder, REASON_SYSTEM, "protecting %.110s: %s",
				   canonical, strerror(errno));
	return REASON_OK;
}

/* The directories on the way, also to what is not there. */
static enum reason add_parents(struct view_builder *builder, const char *path)
{
	enum reason reason = REASON_OK;
	char parent[64];

	for (const char *end = strchr(path, '/'); end && !reason;
	     end = strchr(end + 1, '/')) {
		/* The longest of the table is shorter. */
		memcpy(parent, path, (size_t)(end - path));
		parent[end - path] = 0;
		reason = add(builder, parent, false,
			     "it leads to what programs outside execute, and stays "
			     "where it is");
	}
	return reason;
}

enum reason view_add_protected(struct view_builder *builder)
{
	enum reason reason = REASON_OK;

	protected_look(builder->workspace, &builder->view->protected);
	for (size_t i = 0; i < PROTECTED_COUNT && !reason; i++) {
		reason = add_parents(builder, protected_path(i));
		if (!reason && protected_is_read_only(&builder->view->protected, i))
			reason = add(builder, protected_path(i), true,
				     protected_reader(i));
	}
	return reason;
}
