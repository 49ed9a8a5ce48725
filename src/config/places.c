/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/places.h"

#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An absolute path from the environment, as the XDG base directory
 * specification demands, that root may use as his own. */
static const char *from_environment(const char *name, uid_t uid)
{
	const char *path = secure_getenv(name);
	struct stat status;

	if (!path || path[0] != '/')
		return NULL;
	if (uid == 0 && (stat(path, &status) < 0 || status.st_uid != 0))
		return NULL;
	return path;
}

static const char *find_home(struct arena *arena, uid_t uid)
{
	const char *home = from_environment("HOME", uid);
	const struct passwd *entry;

	if (home)
		return home;
	/* Only now: name services cost more than all else here. */
	entry = getpwuid(uid);
	if (!entry || !entry->pw_dir || entry->pw_dir[0] != '/')
		return NULL;
	return arena_copy(arena, entry->pw_dir);
}

static const char *below(struct arena *arena, const char *directory, const char *name)
{
	return directory ? arena_format(arena, "%s/%s", directory, name) : NULL;
}

/* Where systemd has it for a user, also when his environment does not say so: cron, su
 * and the like would not see what he requires there. */
static const char *find_runtime(struct arena *arena, uid_t uid)
{
	const char *path;
	struct stat status;

	if (uid == 0)
		return "/run";
	path = from_environment("XDG_RUNTIME_DIR", uid);
	if (path)
		return path;
	path = arena_format(arena, "/run/user/%u", uid);
	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
			       status.st_uid == uid
		       ? path
		       : NULL;
}

void places_find(struct arena *arena, struct places *ret_places)
{
	uid_t uid = geteuid();
	const char *config = from_environment("XDG_CONFIG_HOME", uid);
	const char *cache = from_environment("XDG_CACHE_HOME", uid);
	const char *home = find_home(arena, uid);

	if (!config)
		config = below(arena, home, ".config");
	if (!cache)
		cache = below(arena, home, ".cache");
	*ret_places = (struct places){
		.uid = uid,
		.system = ANET_CONFIG_DIR,
		.data = ANET_DATA_DIR,
		.machine = "/run",
		.home = home,
		.user = below(arena, config, "anet"),
		.runtime = find_runtime(arena, uid),
		.cache = uid == 0 ? NULL : cache,
	};
}

void places_of_system(struct places *ret_places)
{
	*ret_places = (struct places){
		.uid = geteuid(),
		.system = ANET_CONFIG_DIR,
		.data = ANET_DATA_DIR,
		.machine = "/run",
		.runtime = "/run",
	};
}

char *places_expand(struct arena *arena, const struct places *places, const char *path)
{
	if (path[0] != '~' || (path[1] && path[1] != '/'))
		return arena_copy(arena, path);
	if (!places->home)
		return NULL;
	return arena_format(arena, "%s%s", places->home, path + 1);
}

char *path_without_links(struct arena *arena, const char *path)
{
	char resolved[PATH_MAX];

	return realpath(path, resolved) ? arena_copy(arena, resolved) : NULL;
}
