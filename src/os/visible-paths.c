/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/visible-internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Sockets, devices, other people's data, and what anet itself is made of: a
 * run that can write anet's programs is not held by them. */
static const char *const system_paths[] = {
	"/boot",
	"/dev",
	"/etc/anet",
	"/etc/gshadow",
	"/etc/shadow",
	"/etc/ssh",
	"/etc/ssl/private",
	"/etc/sudoers",
	"/etc/sudoers.d",
	"/proc",
	"/run",
	"/sys",
	"/tmp/.ICE-unix",
	"/tmp/.X11-unix",
	"/var/cache/anet",
	"/var/lib/anet",
	"/var/lib/containerd",
	"/var/lib/containers",
	"/var/lib/docker",
	"/var/lib/libvirt",
	"/var/run",
	"/var/spool/cron",
	ANET_CONFIG_DIR,
	ANET_DATA_DIR,
	ANET_HELPER_DIR,
};

/* Below a home: credentials, sessions and settings of programs that act on
 * them.  A final `*` stands for any rest of the name.  Files of a directory that
 * is here too are those that people make a link of: what it leads to counts. */
static const char *const home_paths[] = {
	".Xauthority",
	".aws",
	".aws/credentials",
	".azure",
	".bash_history",
	".boto",
	".cache/huggingface/token",
	".cargo/credentials*",
	".claude*",
	".claude/.credentials.json",
	".cline",
	".codex",
	".codex/auth.json",
	".composer/auth.json",
	".config/BraveSoftware",
	".config/amp",
	".config/anet",
	".config/chromium",
	".config/composer/auth.json",
	".config/containers",
	".config/crush",
	".config/doctl",
	".config/gcloud",
	".config/gh",
	".config/gh/hosts.yml",
	".config/github-copilot",
	".config/glab-cli",
	".config/google-chrome",
	".config/goose",
	".config/hcloud",
	".config/hub",
	".config/microsoft-edge",
	".config/op",
	".config/opencode",
	".config/rclone",
	".config/sops",
	".config/systemd",
	".continue",
	".cursor",
	".databrickscfg",
	".docker",
	".docker/config.json",
	".factory",
	".fly",
	".gem/credentials",
	".gemini",
	".git-credentials",
	".gnupg",
	".gradle/gradle.properties",
	".grok",
	".hermes",
	".huggingface",
	".kube",
	".kube/config",
	".local/share/anet",
	".local/share/crush",
	".local/share/keyrings",
	".local/share/opencode",
	".local/state/anet",
	".m2/settings.xml",
	".mozilla",
	".my.cnf",
	".mylogin.cnf",
	".mysql_history",
	".netrc",
	".npmrc",
	".oci",
	".openclaw",
	".password-store",
	".pgpass",
	".pi",
	".psql_history",
	".pypirc",
	".python_history",
	".qwen",
	".s3cfg",
	".ssh",
	".ssh/id_*",
	".subversion/auth",
	".terraform.d",
	".thunderbird",
	".vault-token",
	".zsh_history",
};

bool place_is_same(const struct place *one, const struct place *other)
{
	return one->dev == other->dev && one->ino == other->ino;
}

void ancestry_find(int fd, struct ancestry *ret_ancestry)
{
	struct ancestry *ancestry = ret_ancestry;
	auto_fd int place = -1;
	struct stat status;

	ancestry->n = 0;
	while (fstat(place >= 0 ? place : fd, &status) == 0) {
		const struct place found = {status.st_dev, status.st_ino};
		int parent;

		if (ancestry->n > 0 &&
		    place_is_same(&found, &ancestry->places[ancestry->n - 1]))
			return; /* the root is its own parent */
		if (ancestry->n == MAX_ANCESTRY) {
			ancestry->n++;
			return;
		}
		ancestry->places[ancestry->n++] = found;
		parent = openat(place >= 0 ? place : fd, "..", O_PATH | O_CLOEXEC);
		if (parent < 0)
			return; /* not a directory: only itself counts */
		close_fd(&place);
		place = parent;
	}
}

/* The directory that an open file was found in, or -1. */
static int directory_of(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0 || path[0] != '/')
		return -1;
	path[length] = 0;
	*strrchr(path, '/') = 0;
	return open(path[0] ? path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static bool add_above(struct hidden *hidden, int fd)
{
	struct ancestry ancestry;
	struct place *above;

	ancestry_find(fd, &ancestry);
	if (ancestry.n > MAX_ANCESTRY) {
		hidden->any = true;
		return true;
	}
	above = reallocarray(hidden->above, hidden->n_above + ancestry.n,
			     sizeof(*above));
	if (!above)
		return ancestry.n == 0;
	memcpy(above + hidden->n_above, ancestry.places, ancestry.n * sizeof(*above));
	hidden->above = above;
	hidden->n_above += ancestry.n;
	return true;
}

/* Mounts give a directory other names; so do links, and people link the files of
 * their home to one directory that they keep under version control. */
static bool look_up(struct hidden *hidden)
{
	auto_fd int fd = open(hidden->path, O_PATH | O_CLOEXEC), directory = -1;
	struct stat status;

	/* Not there, or not for the caller either. */
	if (fd < 0 || fstat(fd, &status) < 0)
		return true;
	hidden->exists = true;
	hidden->place = (struct place){status.st_dev, status.st_ino};
	if (!add_above(hidden, fd))
		return false;
	if (S_ISDIR(status.st_mode))
		return true;
	directory = directory_of(fd);
	return directory < 0 || add_above(hidden, directory);
}

static bool add_hidden(struct hidden_list *list, const char *path)
{
	struct hidden hidden = {.path = strdup(path)};

	if (list->n == list->room) {
		size_t room = list->room * 2 + 32;
		struct hidden *items = reallocarray(list->items, room, sizeof(*items));

		if (!items) {
			free(hidden.path);
			return false;
		}
		list->items = items;
		list->room = room;
	}
	if (!hidden.path)
		return false;
	list->items[list->n++] = hidden;
	return look_up(&list->items[list->n - 1]);
}

static void free_hidden(struct hidden *hidden)
{
	free(hidden->path);
	free(hidden->above);
}

static void free_list(struct hidden_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free_hidden(&list->items[i]);
	free(list->items);
}

/* All that is there and begins with `start`. */
static bool add_names(struct hidden_list *list, const char *start)
{
	const char *name = strrchr(start, '/') + 1;
	const struct dirent *entry;
	char path[PATH_MAX];
	DIR *directory;
	bool good = true;

	snprintf(path, sizeof(path), "%.*s", (int)(name - start), start);
	directory = opendir(path);
	while (good && directory && (entry = readdir(directory))) {
		if (strncmp(entry->d_name, name, strlen(name)) != 0)
			continue;
		snprintf(path, sizeof(path), "%.*s%s", (int)(name - start), start,
			 entry->d_name);
		good = add_hidden(list, path);
	}
	if (directory)
		closedir(directory);
	return good;
}

bool home_list(struct home *home)
{
	char hidden[PATH_MAX];

	for (size_t i = 0; i < COUNT(home_paths) && !home->listed; i++) {
		size_t length = strlen(home_paths[i]);
		bool any_rest = home_paths[i][length - 1] == '*';
		int n = snprintf(hidden, sizeof(hidden), "%s/%.*s", home->itself.path,
				 (int)(length - any_rest), home_paths[i]);

		if (n < 0 || (size_t)n >= sizeof(hidden))
			continue; /* longer than any path can be */
		if (!add_hidden(&home->list, hidden) ||
		    (any_rest && !add_names(&home->list, hidden)))
			return false;
	}
	home->listed = true;
	return true;
}

static bool add_home(struct visible *visible, const char *path)
{
	struct home *known, *home;

	for (size_t i = 0; i < visible->n_known; i++)
		if (strcmp(visible->known[i].itself.path, path) == 0)
			return true;
	known = reallocarray(visible->known, visible->n_known + 1, sizeof(*known));
	if (!known)
		return false;
	visible->known = known;
	home = &known[visible->n_known];
	*home = (struct home){.itself = {.path = strdup(path)}};
	if (!home->itself.path)
		return false;
	visible->n_known++;
	return look_up(&home->itself);
}

/* By the usual layout, "/home/NAME" and "/root". */
static bool add_homes(struct visible *visible)
{
	DIR *homes = opendir("/home");
	const struct dirent *entry;
	char home[PATH_MAX];
	bool good = true;

	for (size_t i = 0; i < 2 && good; i++)
		/* A service account's home may be "/" or "/nonexistent". */
		if (visible->homes.own[i] && strcmp(visible->homes.own[i], "/") != 0)
			good = add_home(visible, visible->homes.own[i]);
	if (good)
		good = add_home(visible, "/root");
	while (good && homes && (entry = readdir(homes))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(home, sizeof(home), "/home/%s", entry->d_name);
		good = add_home(visible, home);
	}
	if (homes)
		closedir(homes);
	return good;
}

struct visible *visible_new(const struct visible_homes *homes)
{
	struct visible *visible = calloc(1, sizeof(*visible));

	if (!visible)
		return NULL;
	visible->homes = *homes;
	for (size_t i = 0; i < COUNT(system_paths) && !visible->failed; i++)
		visible->failed = !add_hidden(&visible->system, system_paths[i]);
	if (!visible->failed)
		visible->failed = !add_homes(visible);
	return visible;
}

void visible_free(struct visible *visible)
{
	if (!visible)
		return;
	for (size_t i = 0; i < visible->n_known; i++) {
		free_hidden(&visible->known[i].itself);
		free_list(&visible->known[i].list);
	}
	free(visible->known);
	free_list(&visible->system);
	free(visible);
}

const char *home_path(size_t i)
{
	return i < COUNT(home_paths) ? home_paths[i] : NULL;
}
