/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/protected.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "os/cleanup.h"

#define NSEC_PER_SEC INT64_C(1000000000)

/* The directory of `path`, whose last name goes to ret_name: `workspace` itself, or a
 * descriptor of its own in *ret_fd.  -errno. */
static int open_parent(int workspace, const char *path, int *ret_fd,
		       const char **ret_name)
{
	int place = workspace;

	for (;;) {
		size_t length = strcspn(path, "/");
		char name[64];
		int fd;

		if (path[length] == 0)
			break;
		/* The longest of the table is shorter. */
		memcpy(name, path, length);
		name[length] = 0;
		fd = openat(place, name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close_fd(ret_fd);
		if (fd < 0)
			return -errno;
		place = *ret_fd = fd;
		path += length + 1;
	}
	*ret_name = path;
	return place;
}

static bool is_absent(int error)
{
	/* A link or a file is on the way: it has a row of its own, or nobody reads
	 * what lies behind it. */
	return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

static void look(int workspace, const char *path, struct protected_state *ret_state)
{
	auto_fd int fd = -1;
	const char *name;
	struct statx found;
	int parent = open_parent(workspace, path, &fd, &name);

	*ret_state = (struct protected_state){.kind = PROTECTED_HIDDEN};
	if (parent < 0 && is_absent(-parent))
		ret_state->kind = PROTECTED_ABSENT;
	if (parent < 0)
		return;
	if (statx(parent, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		  STATX_TYPE | STATX_INO | STATX_NLINK | STATX_CTIME, &found) < 0) {
		if (is_absent(errno))
			ret_state->kind = PROTECTED_ABSENT;
		return;
	}
	ret_state->kind =
		S_ISDIR(found.stx_mode) ? PROTECTED_DIRECTORY : PROTECTED_OTHER;
	ret_state->dev = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
	ret_state->ino = found.stx_ino;
	if (S_ISREG(found.stx_mode) && found.stx_nlink > 1)
		ret_state->changed = found.stx_ctime.tv_sec * NSEC_PER_SEC +
				     (int64_t)found.stx_ctime.tv_nsec;
}

static bool exists(int workspace, const char *name)
{
	struct protected_state state;

	look(workspace, name, &state);
	return state.kind != PROTECTED_ABSENT;
}

void protected_look(int workspace, struct protected_states *ret_states)
{
	*ret_states = (struct protected_states){0};
	for (size_t i = 0; i < PROTECTED_COUNT; i++)
		look(workspace, protected_path(i), &ret_states->rows[i]);
	/* gitrepository-layout(5): objects and refs, or where they are to be found. */
	ret_states->repository =
		exists(workspace, "HEAD") &&
		(exists(workspace, "commondir") ||
		 (exists(workspace, "objects") && exists(workspace, "refs")));
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
