/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/visible.h"

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

/* Deeper than any project; a workspace below that is refused. */
#define MAX_ANCESTRY 128

struct place {
	dev_t dev;
	ino_t ino;
};

/* A file and the directories above it, up to the root. */
struct ancestry {
	struct place places[MAX_ANCESTRY];
	size_t n; /* MAX_ANCESTRY + 1: deeper than can be said */
};

/* A path that no run may see, looked up once for all subjects. */
struct hidden {
	char *path;
	bool exists; /* for this caller */
	bool any;    /* too deep to be told from anything */
	struct place place;
	/* What it leads to, where that was found, and what is above them. */
	struct place *above;
	size_t n_above;
};

struct hidden_list {
	struct hidden *items;
	size_t n, room;
};

struct home {
	struct hidden itself;
	bool listed; /* `list` has been made */
	struct hidden_list list;
};

struct visible {
	struct visible_homes homes;
	struct hidden_list system;
	struct home *known; /* the caller's own two, /root, those in /home */
	size_t n_known;
	bool failed; /* out of memory: nothing may be seen */
};

struct subject {
	const char *path;
	bool program;
	char *detail;
	size_t size;
	struct ancestry ancestry;
};

/* Whether `path` is `directory` or lies below it, by name. */
static bool below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	while (length > 1 && directory[length - 1] == '/')
		length--;
	if (length == 1)
		return true;
	return strncmp(path, directory, length) == 0 &&
	       (path[length] == 0 || path[length] == '/');
}

static bool is_same(const struct place *one, const struct place *other)
{
	return one->dev == other->dev && one->ino == other->ino;
}

static void find_ancestry(int fd, struct ancestry *ret_ancestry)
{
	struct ancestry *ancestry = ret_ancestry;
	auto_fd int place = -1;
	struct stat status;

	ancestry->n = 0;
	while (fstat(place >= 0 ? place : fd, &status) == 0) {
		const struct place found = {status.st_dev, status.st_ino};
		int parent;

		if (ancestry->n > 0 &&
		    is_same(&found, &ancestry->places[ancestry->n - 1]))
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

/* Whether `wanted` is among them; so it is taken to be where nobody can tell. */
static bool has_ancestor(const struct ancestry *ancestry, const struct place *wanted)
{
	for (size_t i = 0; i < ancestry->n && i < MAX_ANCESTRY; i++)
		if (is_same(&ancestry->places[i], wanted))
			return true;
	return ancestry->n > MAX_ANCESTRY;
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

	find_ancestry(fd, &ancestry);
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

static bool list_home(struct home *home)
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

static enum reason refuse_path(const struct subject *subject, const char *how,
			       const char *hidden)
{
	snprintf(subject->detail, subject->size, "%.110s %s %.110s", subject->path, how,
		 hidden);
	return REASON_NEVER_VISIBLE;
}

static bool is_or_contains(const struct subject *subject, const struct hidden *hidden)
{
	if (!hidden->exists || subject->ancestry.n == 0)
		return false;
	for (size_t i = 0; i < hidden->n_above; i++)
		if (is_same(&hidden->above[i], &subject->ancestry.places[0]))
			return true;
	return hidden->any;
}

static bool is_or_lies_inside(const struct subject *subject,
			      const struct hidden *hidden)
{
	return hidden->exists && has_ancestor(&subject->ancestry, &hidden->place);
}

static enum reason check_against(const struct subject *subject,
				 const struct hidden *hidden)
{
	if (strcmp(subject->path, hidden->path) == 0)
		return refuse_path(subject, "is", hidden->path);
	if (below(hidden->path, subject->path))
		return refuse_path(subject, "contains", hidden->path);
	if (!subject->program && below(subject->path, hidden->path))
		return refuse_path(subject, "lies inside", hidden->path);
	if (is_or_contains(subject, hidden))
		return refuse_path(subject, "is or contains (by another name)",
				   hidden->path);
	if (!subject->program && is_or_lies_inside(subject, hidden))
		return refuse_path(subject, "lies inside (by another name)",
				   hidden->path);
	return REASON_OK;
}

static enum reason check_list(const struct subject *subject,
			      const struct hidden_list *list)
{
	enum reason reason = REASON_OK;

	for (size_t i = 0; i < list->n && !reason; i++)
		reason = check_against(subject, &list->items[i]);
	return reason;
}

/* The names that a home may get later count as well. */
static enum reason check_names(const struct subject *subject, const char *home)
{
	char hidden[PATH_MAX];

	for (size_t i = 0; i < COUNT(home_paths) && !subject->program; i++) {
		size_t length = strlen(home_paths[i]);
		int n = snprintf(hidden, sizeof(hidden), "%s/%.*s", home,
				 (int)length - 1, home_paths[i]);

		if (home_paths[i][length - 1] == '*' && n > 0 &&
		    (size_t)n < sizeof(hidden) &&
		    strncmp(subject->path, hidden, (size_t)n) == 0)
			return refuse_path(subject, "is or lies inside", hidden);
	}
	return REASON_OK;
}

static enum reason check_home(const struct subject *subject, struct home *home)
{
	const char *path = home->itself.path;
	enum reason reason;

	if (below(path, subject->path) || is_or_contains(subject, &home->itself))
		return refuse_path(subject, "is or contains the home directory", path);
	reason = check_names(subject, path);
	if (reason)
		return reason;
	if (!list_home(home)) {
		snprintf(subject->detail, subject->size,
			 "%.110s: no memory to check it", subject->path);
		return REASON_SYSTEM;
	}
	return check_list(subject, &home->list);
}

static bool is_own(const struct visible *visible, const struct home *home)
{
	for (size_t i = 0; i < 2; i++)
		if (visible->homes.own[i] &&
		    strcmp(visible->homes.own[i], home->itself.path) == 0)
			return true;
	return false;
}

static enum reason check_known(const struct visible *visible,
			       const struct subject *subject, struct home *home)
{
	if (is_own(visible, home))
		return check_home(subject, home);
	if (!below(subject->path, home->itself.path) &&
	    !is_or_lies_inside(subject, &home->itself))
		return REASON_OK;
	/* Programs are installed there as well: /home/linuxbrew. */
	if (!visible->homes.root && !subject->program)
		return refuse_path(subject, "lies inside another user's home",
				   home->itself.path);
	return check_home(subject, home);
}

void visible_homes_find(struct visible_homes *ret_homes)
{
	const struct passwd *account = getpwuid(getuid());

	*ret_homes = (struct visible_homes){
		.own = {account ? account->pw_dir : NULL, secure_getenv("HOME")},
		.root = getuid() == 0,
	};
}

enum reason visible_look(struct visible *visible, int fd, const char *path,
			 bool program, char *ret_detail, size_t size)
{
	struct subject subject = {
		.path = path,
		.program = program,
		.detail = ret_detail,
		.size = size,
	};
	enum reason reason;

	if (!visible || visible->failed) {
		snprintf(ret_detail, size, "%.110s: no memory to check it", path);
		return REASON_SYSTEM;
	}
	find_ancestry(fd, &subject.ancestry);
	reason = check_list(&subject, &visible->system);
	if (!reason && below("/home", path))
		reason = refuse_path(&subject, "contains", "/home");
	for (size_t i = 0; i < visible->n_known && !reason; i++)
		reason = check_known(visible, &subject, &visible->known[i]);
	return reason;
}

enum reason visible_check(int fd, const char *path, const struct visible_homes *homes,
			  bool program, char *ret_detail, size_t size)
{
	struct visible *visible = visible_new(homes);
	enum reason reason = visible_look(visible, fd, path, program, ret_detail, size);

	visible_free(visible);
	return reason;
}
