/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/credential.h"
#include "os/cleanup.h"
#include "os/private-dir.h"
#include "os/session-dir.h"

/* systemd passes over names with a dot in front when it loads a directory of
 * credentials (systemd.exec(5), LoadCredential=), and so do we. */
#define TEMPORARY ".%s.new"

const char *credential_kind_name(enum credential_kind kind)
{
	return kind == CREDENTIAL_SEALED ? "sealed" : "plain";
}

size_t credential_places(struct arena *arena, const struct places *places,
			 struct credential_place ret_places[CREDENTIAL_PLACES])
{
	size_t n = 0;

	if (places->uid == 0) {
		ret_places[n++] = (struct credential_place){CREDENTIAL_SEALED, true,
							    SEALED_DIRECTORY};
		ret_places[n++] = (struct credential_place){CREDENTIAL_PLAIN, true,
							    KEYS_DIRECTORY};
	}
	if (places->user)
		ret_places[n++] = (struct credential_place){
			CREDENTIAL_PLAIN, false,
			arena_format(arena, "%s/credentials", places->user)};
	return n;
}

/* Makes what is missing above the last component.  0 or -errno. */
static int make_parents(char *path, mode_t mode)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		int r;

		*slash = 0;
		r = mkdir(path, mode) < 0 && errno != EEXIST ? -errno : 0;
		*slash = '/';
		if (r < 0)
			return r;
	}
	return 0;
}

static enum reason unusable(struct detail *ret_detail, const char *directory, int r)
{
	if (r == -EPERM)
		return explain(ret_detail, REASON_CREDENTIAL_UNSAFE,
			       "the directory %s is not used: it belongs to somebody "
			       "else, or others can write it",
			       SHOW(directory));
	if (r == -ENOTDIR || r == -ELOOP)
		return explain(ret_detail, REASON_CREDENTIAL_UNSAFE,
			       "%s is not used: it is a symbolic link, or no directory",
			       SHOW(directory));
	return explain(ret_detail, REASON_SYSTEM, "cannot use the directory %s: %s",
		       SHOW(directory), strerror(-r));
}

enum reason credential_open_place(struct arena *arena,
				  const struct credential_place *place, bool make,
				  int *ret_fd, struct detail *ret_detail)
{
	char *path = arena_copy(arena, place->directory);
	int r, above;

	*ret_fd = -1;
	if (make) {
		/* Everybody reads the machine's configuration. */
		r = make_parents(path, place->units ? 0755 : 0700);
		if (r < 0)
			return unusable(ret_detail, path, r);
	} else if (access(path, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		return REASON_OK;
	}
	if (place->units) {
		above = private_dir_open(ANET_CONFIG_DIR);
		if (above < 0)
			return unusable(ret_detail, ANET_CONFIG_DIR, above);
		close(above);
	}
	r = private_dir_open(path);
	if (r < 0)
		return unusable(ret_detail, path, r);
	*ret_fd = r;
	return REASON_OK;
}

/* One at a time; then what another has left under the temporary name is nobody's.
 * The lock ends with the descriptor. */
static int lock(int directory, const char *temporary)
{
	int r;

	do
		r = flock(directory, LOCK_EX);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	return unlinkat(directory, temporary, 0) < 0 && errno != ENOENT ? -errno : 0;
}

static int write_whole(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		length -= (size_t)n;
	}
	/* A umask may have taken away the owner's own rights. */
	return fchmod(fd, 0600) < 0 || fsync(fd) < 0 ? -errno : 0;
}

static int replace(int directory, const char *name, const char *temporary,
		   const void *bytes, size_t length)
{
	auto_fd int fd = -1;
	int r = lock(directory, temporary);

	if (r < 0)
		return r;
	fd = openat(directory, temporary,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = write_whole(fd, bytes, length);
	if (r == 0 && renameat(directory, temporary, directory, name) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(directory, temporary, 0);
	else if (fsync(directory) < 0)
		r = -errno;
	return r;
}

enum reason credential_write(int directory, const struct credential_place *place,
			     const char *name, const void *bytes, size_t length,
			     struct detail *ret_detail)
{
	char temporary[LIMIT_AGENT_NAME + sizeof(TEMPORARY)];
	sigset_t all, before;
	int r;

	snprintf(temporary, sizeof(temporary), TEMPORARY, name);
	/* Ctrl-C either comes before this or changes nothing any more. */
	sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	r = replace(directory, name, temporary, bytes, length);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM, "cannot write %s/%s: %s",
			       SHOW(place->directory), name, strerror(-r));
	return REASON_OK;
}

enum reason credential_remove(int directory, const struct credential_place *place,
			      const char *name, bool *ret_removed,
			      struct detail *ret_detail)
{
	char temporary[LIMIT_AGENT_NAME + sizeof(TEMPORARY)];
	int r;

	snprintf(temporary, sizeof(temporary), TEMPORARY, name);
	r = lock(directory, temporary);
	*ret_removed = r == 0 && unlinkat(directory, name, 0) == 0;
	if (r == 0 && !*ret_removed && errno != ENOENT)
		r = -errno;
	if (r == 0 && fsync(directory) < 0)
		r = -errno;
	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM, "cannot remove %s/%s: %s",
			       SHOW(place->directory), name, strerror(-r));
	return REASON_OK;
}
