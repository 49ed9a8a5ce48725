/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/config-store.h"
#include "config/json-file.h"
#include "core/limits.h"
#include "os/cleanup.h"
#include "os/private-dir.h"
#include "os/replace-file.h"

/* Not the directory: whoever can read that could hold its lock for ever. */
#define LOCK_FILE ".lock"

static bool is_system(const struct places *places)
{
	return places->uid == 0;
}

static const char *directory_of(struct arena *arena, const struct places *places,
				const char *below)
{
	const char *above = is_system(places) ? places->system : places->user;

	return above && below ? arena_format(arena, "%s/%s", above, below) : above;
}

const char *config_store_path(struct arena *arena, const struct places *places,
			      const char *below, const char *name)
{
	const char *directory = directory_of(arena, places, below);

	return directory ? arena_format(arena, "%s/%s.json", directory, name) : NULL;
}

static enum reason unusable(struct detail *ret_detail, const char *directory, int r)
{
	if (r == -EPERM)
		return explain(ret_detail, REASON_DIRECTORY_UNSAFE,
			       "nothing is written to %s: it, or what is above it, "
			       "belongs to somebody else, or others can write it",
			       SHOW(directory));
	if (r == -ENOTDIR || r == -ELOOP)
		return explain(ret_detail, REASON_DIRECTORY_UNSAFE,
			       "nothing is written to %s: it is a symbolic link, or "
			       "no directory",
			       SHOW(directory));
	return explain(ret_detail, REASON_SYSTEM, "cannot use the directory %s: %s",
		       SHOW(directory), strerror(-r));
}

/* Root's is for all to read, as the machine's configuration is, and what is above it
 * must be root's alone: who may rename it there can put another one in its place. */
static int open_directory(const struct places *places, const char *directory)
{
	auto_fd int above = -1, fd = -1;
	struct stat status;

	/* That one stays as root wants it. */
	if (strcmp(directory, places->system) == 0)
		return private_dir_open(directory);
	if (is_system(places)) {
		above = private_dir_open(places->system);
		if (above < 0)
			return above;
	}
	fd = private_dir_open(directory);
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0 ||
	    (is_system(places) && (status.st_mode & 0777) == 0700 &&
	     fchmod(fd, 0755) < 0))
		return -errno;
	return take_fd(&fd);
}

static int take_lock(int directory, int *ret_lock)
{
	auto_fd int fd = openat(directory, LOCK_FILE,
				O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r;

	if (fd < 0)
		return -errno;
	r = lock_whole(fd);
	if (r == 0)
		*ret_lock = take_fd(&fd);
	return r;
}

enum reason config_store_open(struct arena *arena, const struct places *places,
			      const char *below, bool make,
			      struct config_store *ret_store, struct detail *ret_detail)
{
	struct config_store store = {directory_of(arena, places, below), -1, -1};
	int r = 0;

	*ret_store = store;
	if (!store.directory)
		return make ? explain(ret_detail, REASON_SYSTEM,
				      "this account has no home to keep settings in")
			    : REASON_OK;
	if (make)
		r = make_parents(config_store_path(arena, places, below, "any"),
				 is_system(places) ? 0755 : 0700);
	else if (access(store.directory, F_OK) < 0 &&
		 (errno == ENOENT || errno == ENOTDIR))
		return REASON_OK;
	if (r == 0)
		r = store.fd = open_directory(places, store.directory);
	if (r < 0)
		return unusable(ret_detail, store.directory, r);
	r = take_lock(store.fd, &store.lock);
	if (r < 0) {
		close(store.fd);
		return unusable(ret_detail, store.directory, r);
	}
	*ret_store = store;
	return REASON_OK;
}

void config_store_close(struct config_store *store)
{
	close_fd(&store->fd);
	close_fd(&store->lock);
}

static enum reason refuse_file(struct detail *ret_detail, const char *path,
			       const char *why)
{
	return explain(ret_detail, REASON_CONFIG_UNREADABLE, "cannot change %s: %s",
		       SHOW(path), why);
}

/* With its comments, as json_file_read() does not have it. */
static enum reason read_text(struct arena *arena, int fd, struct config_file_text *file,
			     struct detail *ret_detail)
{
	/* That it is not longer than this was looked at. */
	size_t size = (size_t)file->status.st_size, length = 0;
	char *text = arena_get(arena, size + 1);

	while (length < size) {
		ssize_t got = read(fd, text + length, size - length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return refuse_file(ret_detail, file->path, strerror(errno));
		if (got == 0)
			break;
		length += (size_t)got;
	}
	file->text = text;
	return REASON_OK;
}

enum reason config_store_read(struct arena *arena, const struct config_store *store,
			      const char *name, struct config_file_text *ret_file,
			      struct detail *ret_detail)
{
	struct config_file_text file = {
		.path = arena_format(arena, "%s/%s.json", store->directory, name),
	};
	struct json_file json;
	auto_fd int fd = -1;
	enum reason reason;

	*ret_file = file;
	if (store->fd < 0)
		return REASON_OK;
	fd = openat(store->fd, strrchr(file.path, '/') + 1,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return REASON_OK;
	if (fd < 0 && errno == ELOOP)
		return refuse_file(ret_detail, file.path,
				   "it is a symbolic link: change the file that it "
				   "leads to, or remove it");
	if (fd < 0 || fstat(fd, &file.status) < 0)
		return refuse_file(ret_detail, file.path, strerror(errno));
	/* Owner, mode, length and syntax; nobody else can write the directory. */
	reason = json_file_read(arena, file.path, &json, ret_detail);
	json_file_free(&json);
	if (reason == REASON_OK)
		reason = read_text(arena, fd, &file, ret_detail);
	if (reason == REASON_OK)
		*ret_file = file;
	return reason;
}

enum reason config_store_write(const struct config_store *store, const char *name,
			       const struct config_file_text *file, const char *text,
			       struct detail *ret_detail)
{
	bool there = file->text != NULL;
	size_t size = strlen(text);
	/* A umask does not decide who can read a new one. */
	mode_t mode = there ? file->status.st_mode & 0777 : 0644;
	char file_name[LIMIT_AGENT_NAME + sizeof(".json")];
	int r;

	if (size > JSON_FILE_MAX)
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "%s would be longer than 1 MiB", SHOW(file->path));
	snprintf(file_name, sizeof(file_name), "%s.json", name);
	r = replace_file(store->fd, file_name, mode,
			 there ? file->status.st_uid : (uid_t)-1,
			 there ? file->status.st_gid : (gid_t)-1, text, size);
	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM,
			       "cannot write %s, which is as it was: %s",
			       SHOW(file->path), strerror(-r));
	return REASON_OK;
}

enum reason config_store_remove(const struct config_store *store, const char *name,
				struct detail *ret_detail)
{
	char file_name[LIMIT_AGENT_NAME + sizeof(".json")];
	int r;

	snprintf(file_name, sizeof(file_name), "%s.json", name);
	r = replace_file_clear(store->fd, file_name);
	if (r == 0 && unlinkat(store->fd, file_name, 0) < 0)
		r = -errno;
	if (r == 0 && fsync(store->fd) < 0)
		r = -errno;
	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM, "cannot remove %s/%s: %s",
			       SHOW(store->directory), file_name, strerror(-r));
	return REASON_OK;
}

enum reason config_store_rename(const struct config_store *store, const char *name,
				const char *other, struct detail *ret_detail)
{
	char from[LIMIT_AGENT_NAME + sizeof(".json")], to[sizeof(from)];
	int r = 0;

	snprintf(from, sizeof(from), "%s.json", name);
	snprintf(to, sizeof(to), "%s.json", other);
	if (renameat2(store->fd, from, store->fd, to, RENAME_NOREPLACE) < 0 ||
	    fsync(store->fd) < 0)
		r = -errno;
	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM,
			       "cannot rename %s/%s to %s: %s", SHOW(store->directory),
			       from, to, strerror(-r));
	return REASON_OK;
}
