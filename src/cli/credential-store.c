/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/credential.h"
#include "os/cleanup.h"
#include "os/private-dir.h"
#include "os/replace-file.h"
#include "os/session-dir.h"

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

enum reason credential_open_place(const struct credential_place *place, bool make,
				  int *ret_fd, struct detail *ret_detail)
{
	const char *path = place->directory;
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

enum reason credential_write(int directory, const struct credential_place *place,
			     const char *name, const void *bytes, size_t length,
			     struct detail *ret_detail)
{
	int r = lock_whole(directory);

	if (r == 0)
		r = replace_file(directory, name, 0600, (uid_t)-1, (gid_t)-1, bytes,
				 length);
	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM, "cannot write %s/%s: %s",
			       SHOW(place->directory), name, strerror(-r));
	return REASON_OK;
}

enum reason credential_remove(int directory, const struct credential_place *place,
			      const char *name, bool *ret_removed,
			      struct detail *ret_detail)
{
	int r = lock_whole(directory);

	if (r == 0)
		r = replace_file_clear(directory, name);
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
