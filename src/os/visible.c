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

struct ancestry {
	struct stat places[MAX_ANCESTRY];
	size_t n;
};

struct subject {
	int fd;
	const char *path;
	const struct visible_homes *homes;
	bool program;
	char *detail;
	size_t size;
	const struct ancestry *ancestry;
};

void visible_homes_find(struct visible_homes *ret_homes)
{
	const struct passwd *account = getpwuid(getuid());

	*ret_homes = (struct visible_homes){
		.own = {account ? account->pw_dir : NULL, secure_getenv("HOME")},
		.root = getuid() == 0,
	};
}

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

/* A file and the directories above it, up to the root. */
static void find_ancestry(int fd, struct ancestry *ret_ancestry)
{
	auto_fd int place = -1;
	struct stat status, last = { 0 };

	ret_ancestry->n = 0;
	while (fstat(place >= 0 ? place : fd, &status) == 0) {
		int parent;

		if (ret_ancestry->n > 0 && status.st_dev == last.st_dev &&
		    status.st_ino == last.st_ino)
			return; /* the root is its own parent */
		if (ret_ancestry->n == MAX_ANCESTRY) {
			ret_ancestry->n++; /* deeper than can be said */
			return;
		}
		ret_ancestry->places[ret_ancestry->n++] = status;
		last = status;
		parent = openat(place >= 0 ? place : fd, "..", O_PATH | O_CLOEXEC);
		if (parent < 0)
			return; /* not a directory: only itself counts */
		close_fd(&place);
		place = parent;
	}
}

/* Whether `wanted` is among them; so it is taken to be where nobody can tell. */
static bool has_ancestor(const struct ancestry *ancestry, const struct stat *wanted)
{
	for (size_t i = 0; i < ancestry->n && i < MAX_ANCESTRY; i++)
		if (ancestry->places[i].st_dev == wanted->st_dev &&
		    ancestry->places[i].st_ino == wanted->st_ino)
			return true;
	return ancestry->n > MAX_ANCESTRY;
}

static bool same_or_above(int fd, const struct stat *wanted)
{
	struct ancestry ancestry;

	find_ancestry(fd, &ancestry);
	return has_ancestor(&ancestry, wanted);
}

static enum reason refuse_path(const struct subject *subject, const char *how,
			       const char *hidden)
{
	snprintf(subject->detail, subject->size, "%.110s %s %.110s", subject->path, how, hidden);
	return REASON_NEVER_VISIBLE;
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

/* Mounts give a directory other names; so do links, and people link the files
 * of their home to one directory that they keep under version control. */
static bool is_or_contains(const struct subject *subject, const char *hidden)
{
	auto_fd int fd = -1, directory = -1;
	struct stat own, status;

	fd = open(hidden, O_PATH | O_CLOEXEC);
	/* Not there, or not for the caller either. */
	if (fd < 0 || fstat(subject->fd, &own) < 0 || fstat(fd, &status) < 0)
		return false;
	if (same_or_above(fd, &own))
		return true;
	if (S_ISDIR(status.st_mode))
		return false;
	directory = directory_of(fd);
	return directory >= 0 && same_or_above(directory, &own);
}

static bool is_or_lies_inside(const struct subject *subject, const char *hidden)
{
	struct stat status;

	return stat(hidden, &status) == 0 && has_ancestor(subject->ancestry, &status);
}

static enum reason check_against(const struct subject *subject, const char *hidden)
{
	if (strcmp(subject->path, hidden) == 0)
		return refuse_path(subject, "is", hidden);
	if (below(hidden, subject->path))
		return refuse_path(subject, "contains", hidden);
	if (!subject->program && below(subject->path, hidden))
		return refuse_path(subject, "lies inside", hidden);
	if (is_or_contains(subject, hidden))
		return refuse_path(subject, "is or contains (by another name)", hidden);
	if (!subject->program && is_or_lies_inside(subject, hidden))
		return refuse_path(subject, "lies inside (by another name)", hidden);
	return REASON_OK;
}

/* All that is there and begins with `start`. */
static enum reason check_names(const struct subject *subject, const char *start)
{
	const char *name = strrchr(start, '/') + 1;
	enum reason reason = REASON_OK;
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *directory;

	snprintf(path, sizeof(path), "%.*s", (int)(name - start), start);
	directory = opendir(path);
	while (!reason && directory && (entry = readdir(directory))) {
		if (strncmp(entry->d_name, name, strlen(name)) != 0)
			continue;
		snprintf(path, sizeof(path), "%.*s%s", (int)(name - start), start,
			 entry->d_name);
		reason = check_against(subject, path);
	}
	if (directory)
		closedir(directory);
	return reason;
}

static enum reason check_home(const struct subject *subject, const char *home)
{
	char hidden[PATH_MAX];

	/* The names that a home may get later count as well. */
	if (below(home, subject->path) || is_or_contains(subject, home))
		return refuse_path(subject, "is or contains the home directory", home);
	for (size_t i = 0; i < sizeof(home_paths) / sizeof(home_paths[0]); i++) {
		size_t length = strlen(home_paths[i]);
		bool any_rest = home_paths[i][length - 1] == '*';
		enum reason reason;
		int n;

		n = snprintf(hidden, sizeof(hidden), "%s/%.*s", home,
			     (int)(length - any_rest), home_paths[i]);
		if (n < 0 || (size_t)n >= sizeof(hidden))
			continue; /* longer than any path can be */
		if (any_rest && !subject->program &&
		    strncmp(subject->path, hidden, (size_t)n) == 0)
			return refuse_path(subject, "is or lies inside", hidden);
		reason = check_against(subject, hidden);
		if (!reason && any_rest)
			reason = check_names(subject, hidden);
		if (reason)
			return reason;
	}
	return REASON_OK;
}

static bool is_own(const struct subject *subject, const char *home)
{
	for (size_t i = 0; i < 2; i++)
		if (subject->homes->own[i] && strcmp(subject->homes->own[i], home) == 0)
			return true;
	return false;
}

static enum reason check_other_home(const struct subject *subject, const char *home)
{
	if (is_own(subject, home) ||
	    (!below(subject->path, home) && !is_or_lies_inside(subject, home)))
		return REASON_OK;
	/* Programs are installed there as well: /home/linuxbrew. */
	if (!subject->homes->root && !subject->program)
		return refuse_path(subject, "lies inside another user's home", home);
	return check_home(subject, home);
}

/* By the usual layout, "/home/NAME" and "/root". */
static enum reason check_other_homes(const struct subject *subject)
{
	enum reason reason = check_other_home(subject, "/root");
	DIR *homes = opendir("/home");
	struct dirent *entry;
	char home[PATH_MAX];

	while (!reason && homes && (entry = readdir(homes))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(home, sizeof(home), "/home/%s", entry->d_name);
		reason = check_other_home(subject, home);
	}
	if (homes)
		closedir(homes);
	return reason;
}

enum reason visible_check(int fd, const char *path, const struct visible_homes *homes,
			  bool program, char *ret_detail, size_t size)
{
	struct ancestry ancestry;
	const struct subject subject = { fd, path, homes, program, ret_detail, size, &ancestry };
	enum reason reason = REASON_OK;

	find_ancestry(fd, &ancestry);
	for (size_t i = 0; i < sizeof(system_paths) / sizeof(system_paths[0]) && !reason; i++)
		reason = check_against(&subject, system_paths[i]);
	if (!reason && below("/home", path))
		reason = refuse_path(&subject, "contains", "/home");
	for (size_t i = 0; i < 2 && !reason; i++)
		/* A service account's home may be "/" or "/nonexistent". */
		if (homes->own[i] && strcmp(homes->own[i], "/") != 0)
			reason = check_home(&subject, homes->own[i]);
	return reason ? reason : check_other_homes(&subject);
}
