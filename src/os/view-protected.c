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
#include <string.h>
#include <sys/stat.h>

#include "core/path.h"
#include "os/cleanup.h"
#include "os/protected.h"

#define WAY "it leads to what programs outside execute, and stays where it is"
/* Of what a link leads to, below the workspace; each directory is a mount. */
#define MAX_DEPTH 16

static bool is_there(const struct view *view, const char *target)
{
	for (size_t i = view->n; i > 0; i--)
		if (strcmp(view->entries[i - 1].target, target) == 0)
			return true;
	return false;
}

/* Of a mount of the configuration at the same place the mode counts. */
static enum reason add_bind(struct view_builder *builder, const char *canonical,
			    bool read_only, const char *rule, int *fd)
{
	if (is_there(builder->view, canonical))
		return REASON_OK;
	if (view_add(builder->view,
		     &(struct view_entry){
			     .kind = VIEW_PROTECTED,
			     .way = VIEW_BIND,
			     .target = canonical,
			     .source = canonical,
			     .writable = !read_only,
			     .flags = read_only ? 0 : RUN_MOUNT_WRITABLE,
			     .rule = rule,
		     },
		     fd))
		return REASON_OK;
	return view_refuse(builder, REASON_SYSTEM, "protecting %.110s: %s", canonical,
			   strerror(errno));
}

/* The directories between the workspace and `canonical`, where a link has led: the run
 * could put others in their place. */
static enum reason add_between(struct view_builder *builder, const char *canonical)
{
	const char *root = builder->run->workspace;
	const char *at = canonical + strlen(root) + 1;
	enum reason reason = REASON_OK;
	unsigned int depth = 0;
	char path[PATH_MAX];

	while (!reason && (at = strchr(at, '/'))) {
		auto_fd int fd = -1;

		if (++depth > MAX_DEPTH)
			return view_refuse(builder, REASON_WORKSPACE_INVALID,
					   "a link in the workspace leads programs "
					   "outside to %.110s, "
					   "more than %d directories deep: "
					   "`\"protect\": false` in the "
					   "agent's file takes it as it is",
					   canonical, MAX_DEPTH);
		memcpy(path, canonical, (size_t)(at - canonical));
		path[at - canonical] = 0;
		fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			reason = add_bind(builder, path, false, WAY, &fd);
		at++;
	}
	return reason;
}

static enum reason add(struct view_builder *builder, const char *path, bool read_only,
		       const char *rule)
{
	const char *root = builder->run->workspace;
	auto_fd int fd = protected_open(builder->workspace, root, path);
	char canonical[PATH_MAX];
	struct stat status;
	enum reason reason;
	int r;

	/* Gone meanwhile, beyond the workspace, or in what is read-only as a whole. */
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -EXDEV || fd == -ELOOP ||
	    fd == -EACCES || fd == -ENAMETOOLONG)
		return REASON_OK;
	r = fd < 0 ? fd : view_canonical(fd, canonical, sizeof(canonical));
	if (r == 0 && fstat(fd, &status) < 0)
		r = -errno;
	if (r < 0)
		return view_refuse(builder, REASON_SYSTEM,
				   "protecting %.60s in %.110s: %s", path, root,
				   strerror(-r));
	if ((!read_only && !S_ISDIR(status.st_mode)) || S_ISLNK(status.st_mode) ||
	    strcmp(canonical, root) == 0 || !path_is_inside(canonical, root))
		return REASON_OK;
	reason = add_between(builder, canonical);
	return reason ? reason : add_bind(builder, canonical, read_only, rule, &fd);
}

/* The directories on the way, also to what is not there.  One that cannot be looked
 * into, which its owner can change, is read-only with all that is in it. */
static enum reason add_parents(struct view_builder *builder, const char *path,
			       bool hidden)
{
	enum reason reason = REASON_OK;
	char parent[64];

	for (const char *end = strchr(path, '/'); end && !reason;
	     end = strchr(end + 1, '/')) {
		/* The longest of the table is shorter. */
		memcpy(parent, path, (size_t)(end - path));
		parent[end - path] = 0;
		reason = add(builder, parent, hidden,
			     hidden ? "it cannot be looked into" : WAY);
	}
	return reason;
}

enum reason view_add_protected(struct view_builder *builder)
{
	struct protected_states *found = &builder->view->protected;
	enum reason reason = REASON_OK;

	protected_look(builder->workspace, builder->run->workspace, found);
	for (size_t i = 0; i < PROTECTED_COUNT && !reason; i++) {
		reason = add_parents(builder, protected_path(i),
				     found->rows[i].kind == PROTECTED_HIDDEN);
		if (!reason && protected_is_read_only(found, i))
			reason = add(builder, protected_path(i), true,
				     protected_reader(i));
	}
	return reason;
}
