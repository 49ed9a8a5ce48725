/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/view-internal.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/path.h"
#include "os/cleanup.h"
#include "os/mountinfo.h"

int view_canonical(int fd, char *ret_path, size_t size)
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, ret_path, size - 1);
	if (length < 0)
		return -errno;
	if ((size_t)length >= size - 1)
		return -ENAMETOOLONG;
	ret_path[length] = 0;
	return ret_path[0] == '/' ? 0 : -ENOENT;
}

enum reason view_refuse(const struct view_builder *builder, enum reason reason,
			const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(builder->detail, builder->size, format, arguments);
	va_end(arguments);
	return reason;
}

static int make_room(struct view *view)
{
	size_t room = view->room ? view->room * 2 : 64;
	struct view_entry *entries;

	if (view->n < view->room)
		return 0;
	entries = reallocarray(view->entries, room, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	view->entries = entries;
	view->room = room;
	return 0;
}

struct view_entry *view_add(struct view *view, const struct view_entry *entry, int *fd)
{
	auto_free char *target = strdup(entry->target);
	auto_free char *source = entry->source ? strdup(entry->source) : NULL;
	struct view_entry *place;
	struct stat status = {0};

	if (fd && fstat(*fd, &status) < 0)
		return NULL;
	if (!target || (entry->source && !source) || make_room(view) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	place = &view->entries[view->n++];
	*place = *entry;
	place->target = take_ptr(target);
	place->source = take_ptr(source);
	place->fd = fd ? take_fd(fd) : -1;
	place->dev = status.st_dev;
	place->ino = status.st_ino;
	return place;
}

static int read_points(struct view_builder *builder)
{
	struct mountinfo mounts;
	size_t room = 0;
	int r = mountinfo_open(&mounts);

	while (r == 0 && mountinfo_next(&mounts)) {
		if (builder->n_points == room) {
			char **points;

			room = room * 2 + 64;
			points = reallocarray(builder->points, room, sizeof(*points));
			if (!points) {
				r = -ENOMEM;
				break;
			}
			builder->points = points;
		}
		builder->points[builder->n_points] = strdup(mounts.point);
		if (!builder->points[builder->n_points])
			r = -ENOMEM;
		else
			builder->n_points++;
	}
	mountinfo_close(&mounts);
	return r;
}

enum reason view_build(const struct run_record *run, const struct policy *policy,
		       struct view *ret_view, char *ret_detail, size_t size)
{
	struct visible_homes homes;
	struct view_builder builder = {
		.view = ret_view,
		.run = run,
		.policy = policy,
		.homes = &homes,
		.detail = ret_detail,
		.size = size,
	};
	enum reason reason = REASON_OK;
	int r;

	visible_homes_find(&homes);
	*ret_view = (struct view){0};
	if (run->n_mounts > LIMIT_MOUNTS)
		return view_refuse(&builder, REASON_TOO_MANY_MOUNTS,
				   "%zu mounts are asked for, %d are possible",
				   run->n_mounts, LIMIT_MOUNTS);
	builder.visible = visible_new(&homes);
	r = read_points(&builder);
	if (r < 0 || !builder.visible)
		reason =
			view_refuse(&builder, REASON_SYSTEM, "the mounts there are: %s",
				    strerror(r < 0 ? -r : ENOMEM));
	if (!reason)
		reason = view_add_fixed(&builder);
	if (!reason)
		reason = view_add_sources(&builder);
	if (!reason)
		reason = view_add_masked(&builder);
	visible_free(builder.visible);
	for (size_t i = 0; i < builder.n_points; i++)
		free(builder.points[i]);
	free(builder.points);
	return reason;
}

const struct view_entry *view_find(const struct view *view, const char *path)
{
	const struct view_entry *best = NULL;
	size_t length = 0;

	/* What is mounted later hides what was there, also below it: so the last
	 * one that covers the path counts, and parents come before what lies in them.
	 */
	for (size_t i = 0; i < view->n; i++) {
		const struct view_entry *entry = &view->entries[i];

		if (!path_is_inside(path, entry->target) || strlen(entry->target) < length)
			continue;
		best = entry;
		length = strlen(entry->target);
	}
	return best;
}

const struct view_entry *view_find_below(const struct view *view, const char *path)
{
	for (size_t i = 0; i < view->n; i++)
		if (path_is_inside(view->entries[i].target, path) &&
		    strcmp(path, view->entries[i].target) != 0)
			return &view->entries[i];
	return NULL;
}

const struct view_entry *view_workspace(const struct view *view)
{
	for (size_t i = view->n; i > 0; i--)
		if (view->entries[i - 1].kind == VIEW_WORKSPACE)
			return &view->entries[i - 1];
	return NULL;
}

const char *view_kind_word(enum view_kind kind)
{
	static const char *const words[] = {
		[VIEW_SYSTEM] = "system",	[VIEW_PROGRAM] = "program",
		[VIEW_MOUNT] = "mount",		[VIEW_WORKSPACE] = "workspace",
		[VIEW_PROTECTED] = "protected", [VIEW_HOME] = "home",
		[VIEW_PRIVATE] = "private",	[VIEW_MADE] = "made",
		[VIEW_MASKED] = "masked",	[VIEW_LINK] = "link",
	};

	return words[kind];
}

void view_entry_free(struct view_entry *entry)
{
	free((char *)entry->target);
	free((char *)entry->source);
	close_fd(&entry->fd);
}

void view_free(struct view *view)
{
	for (size_t i = 0; i < view->n; i++)
		view_entry_free(&view->entries[i]);
	free(view->entries);
	*view = (struct view){0};
}
