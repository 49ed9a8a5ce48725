/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What runs left in workspaces: the records, and what of them is still there. */
#include "cli/sessions-left.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/places.h"
#include "os/cleanup.h"
#include "os/protected.h"
#include "os/remove-tree.h"
#include "os/report.h"

static void warn(const char *detail)
{
	report_print(&(struct record){
		.reason = REASON_SYSTEM, .warning = true, .detail = detail});
}

/* The rows of one record are added, those of older records of the same file first. */
static void add_rows(struct arena *arena, struct left_workspace *workspace,
		     const struct protected_record *record,
		     const struct protected_states *now)
{
	const char *session = arena_copy(arena, record->session);

	for (size_t i = 0; i < PROTECTED_COUNT; i++) {
		struct left_row *row = &workspace->rows[workspace->n_rows];

		if (!(record->rows >> i & 1))
			continue;
		*row = (struct left_row){
			.row = i,
			.session = session,
			.usec = record->usec,
			.state = record->states[i],
			.there = workspace->fd >= 0 &&
				 protected_is_same_file(&now->rows[i],
							&record->states[i]),
		};
		workspace->n_there += row->there;
		workspace->n_rows++;
	}
}

static bool is_wanted(const char *wanted, const char *resolved,
		      const struct protected_record *record)
{
	return !wanted || strcmp(wanted, record->session) == 0 ||
	       strcmp(wanted, record->workspace) == 0 ||
	       (resolved && strcmp(resolved, record->workspace) == 0);
}

/* -1 if it is not there any more, or is another than the one that the file of records
 * is of, whatever a record says. */
static int open_workspace(const char *path, const char *file)
{
	auto_fd int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char name[PROTECTED_NAME];

	if (fd < 0 || protected_record_name(fd, name) < 0 || strcmp(name, file) != 0)
		return -1;
	return take_fd(&fd);
}

/* -errno if the file has something else in it. */
static int read_file(struct arena *arena, int fd, const char *name, const char *wanted,
		     struct left_workspace *ret_workspace)
{
	struct left_workspace workspace = {.file = arena_copy(arena, name), .fd = -1};
	char resolved[PATH_MAX];
	const char *real = wanted && realpath(wanted, resolved) ? resolved : NULL;
	struct protected_states now = {0};
	struct protected_record record;
	bool found = false;
	int r;

	workspace.rows =
		arena_get(arena, (size_t)PROTECTED_MAX_RECORDS * PROTECTED_COUNT *
					 sizeof(*workspace.rows));
	for (size_t n = 0;
	     n < PROTECTED_MAX_RECORDS && (r = protected_record_read(fd, &record)) > 0;
	     n++) {
		if (!workspace.path) {
			workspace.path = arena_copy(arena, record.workspace);
			workspace.fd = open_workspace(workspace.path, name);
			if (workspace.fd >= 0)
				protected_look(workspace.fd, workspace.path, &now);
		}
		found |= is_wanted(wanted, real, &record);
		add_rows(arena, &workspace, &record, &now);
	}
	if (r >= 0 && found)
		*ret_workspace = workspace;
	else
		close_fd(&workspace.fd);
	return r;
}

static void add_file(struct arena *arena, struct left_list *list, const char *name,
		     const char *wanted)
{
	auto_fd int fd =
		openat(list->directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct left_workspace workspace = {.fd = -1}, *all;
	int r = fd < 0 ? -errno : read_file(arena, fd, name, wanted, &workspace);

	if (r < 0)
		warn(arena_format(arena, "the record %s: %s", SHOW(name),
				  strerror(-r)));
	if (r < 0 || workspace.n_rows == 0)
		return;
	all = arena_get(arena, (list->n + 1) * sizeof(*all));
	if (list->n)
		memcpy(all, list->workspaces, list->n * sizeof(*all));
	all[list->n++] = workspace;
	list->workspaces = all;
}

enum reason left_read(struct arena *arena, const char *wanted,
		      struct left_list *ret_list, struct detail *ret_detail)
{
	struct left_list list = {.directory = -1};
	const struct dirent *entry;
	struct places places;
	const char *path;
	DIR *entries;

	places_find(arena, &places);
	if (places.uid != 0 && !places.home)
		return explain(ret_detail, REASON_SYSTEM, "this account has no home");
	path = places.uid == 0
		       ? PROTECTED_ROOT
		       : arena_format(arena, "%s" PROTECTED_BELOW_HOME, places.home);
	entries = opendir(path);
	if (!entries && errno != ENOENT)
		return explain(ret_detail, REASON_SYSTEM, "%s: %s", SHOW(path),
			       strerror(errno));
	if (!entries) {
		*ret_list = list;
		return REASON_OK;
	}
	list.directory = fcntl(dirfd(entries), F_DUPFD_CLOEXEC, 0);
	while ((entry = readdir(entries)))
		if (entry->d_name[0] != '.')
			add_file(arena, &list, entry->d_name, wanted);
	closedir(entries);
	*ret_list = list;
	return REASON_OK;
}

/* The directory of a row and its name there. */
static int open_parent(int workspace, const char *path, const char **ret_name)
{
	int place = fcntl(workspace, F_DUPFD_CLOEXEC, 0);

	for (size_t length; path[length = strcspn(path, "/")] && place >= 0;
	     path += length + 1) {
		char name[64];
		int next;

		/* The longest of the table is shorter. */
		memcpy(name, path, length);
		name[length] = 0;
		next = openat(place, name,
			      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(place);
		place = next;
	}
	*ret_name = path;
	return place < 0 ? -errno : place;
}

static int remove_row(const struct left_workspace *workspace,
		      const struct left_row *row)
{
	struct protected_states now;
	auto_fd int parent = -1;
	const char *name;
	int r;

	/* The answer may have taken a while; and by a record of another session it may
	 * be gone already. */
	protected_look(workspace->fd, workspace->path, &now);
	if (!protected_is_same_file(&now.rows[row->row], &row->state))
		return 0;
	parent = open_parent(workspace->fd, protected_path(row->row), &name);
	r = parent < 0 ? parent : remove_tree(parent, name);
	return r == -ENOENT ? 0 : r;
}

/* Root removes nothing with rights that the owner of the workspace has not. */
static int take_owner(int workspace)
{
	struct stat status;

	if (fstat(workspace, &status) < 0)
		return -errno;
	if (geteuid() != 0)
		return 0;
	if (setgroups(0, NULL) < 0 ||
	    setresgid(status.st_gid, status.st_gid, status.st_gid) < 0 ||
	    setresuid(status.st_uid, status.st_uid, status.st_uid) < 0)
		return -errno;
	return 0;
}

__attribute__((noreturn)) static void
remove_rows(struct arena *arena, const struct left_workspace *workspace)
{
	int r = take_owner(workspace->fd), failed = 0;

	for (size_t i = 0; i < workspace->n_rows; i++) {
		const struct left_row *row = &workspace->rows[i];
		int problem = r;

		if (!row->there)
			continue;
		if (r == 0)
			problem = remove_row(workspace, row);
		if (problem == 0)
			continue;
		failed++;
		warn(arena_format(arena, "%s/%s cannot be removed: %s",
				  SHOW(workspace->path), protected_path(row->row),
				  strerror(-problem)));
	}
	_exit(failed > 100 ? 100 : failed);
}

int left_remove(struct arena *arena, const struct left_list *list,
		struct left_workspace *workspace)
{
	auto_fd int fd = openat(list->directory, workspace->file,
				O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	int status = 0;
	pid_t pid;

	/* A session that lives there may be making the next ones. */
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	pid = workspace->n_there ? fork() : 0;
	if (pid < 0)
		return -errno;
	if (pid == 0 && workspace->n_there)
		remove_rows(arena, workspace);
	if (pid > 0 && waitpid(pid, &status, 0) < 0)
		return -errno;
	if (!WIFEXITED(status))
		return -EIO;
	if (WEXITSTATUS(status) == 0 &&
	    unlinkat(list->directory, workspace->file, 0) < 0)
		return -errno;
	return WEXITSTATUS(status);
}
