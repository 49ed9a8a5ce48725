/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/run.h"
#include "os/bwrap.h"
#include "os/cleanup.h"
#include "os/session-dir.h"
#include "os/visible.h"

/* Of /usr and its links only; no set-user-ID program in them is of use under
 * no_new_privs.  Merged and split hosts both work: what is a link on the host
 * is the same link inside. */
static const char *const system_directories[] = {
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
};

/* The short list of /etc: what the C library, TLS clients and the
 * alternatives system read.  No host name, user or resolver of the host. */
static const char *const system_files[] = {
	"/etc/alternatives",
	"/etc/crypto-policies",
	"/etc/ld.so.cache",
	"/etc/localtime",
	"/etc/os-release",
	"/etc/pki/ca-trust",
	"/etc/pki/tls/certs",
	"/etc/protocols",
	"/etc/services",
	"/etc/ssl/certs",
	"/etc/ssl/openssl.cnf",
};

/* What a run would learn about the host's kernel and other users' keys. */
static const char *const masked_files[] = {
	"/proc/cmdline", "/proc/config.gz", "/proc/kallsyms",  "/proc/kcore",
	"/proc/keys",	 "/proc/key-users", "/proc/timer_list",
};

static struct mount *add(struct session *session, int *fd, const char *source,
			 const char *target, uint32_t flags)
{
	struct mount *mount = &session->mounts.list[session->mounts.n];
	struct stat status;

	if (fstat(*fd, &status) < 0)
		return NULL;
	*mount = (struct mount){
		.tree = -1,
		.measured = -1,
		.source = strdup(source),
		.target = strdup(target),
		.flags = flags,
		.dev = status.st_dev,
		.ino = status.st_ino,
	};
	if (!mount->source || !mount->target)
		return NULL;
	mount->fd = take_fd(fd);
	session->mounts.n++;
	return mount;
}

static bool inside(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 &&
	       (path[length] == '/' || path[length] == 0);
}

/* The path that the kernel gives for an open descriptor: no link in it. */
static int canonical_path(int fd, char *ret_path, size_t size)
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

static enum reason add_system(struct session *session, char *ret_detail, size_t size)
{
	for (size_t i = 0; i < sizeof(system_directories) / sizeof(system_directories[0]) +
				       sizeof(system_files) / sizeof(system_files[0]);
	     i++) {
		size_t n = sizeof(system_directories) / sizeof(system_directories[0]);
		const char *path = i < n ? system_directories[i] : system_files[i - n];
		char source[PATH_MAX];
		struct mount *mount;
		auto_fd int fd = -1;
		struct stat status;

		/* A linked directory becomes a link inside; a linked file (such as
		 * /etc/localtime) is bound by what it leads to. */
		if (i < n && (lstat(path, &status) < 0 || S_ISLNK(status.st_mode)))
			continue;
		fd = open(path, O_PATH | O_CLOEXEC);
		if (fd < 0)
			continue; /* not every system has every one of them */
		if (canonical_path(fd, source, sizeof(source)) < 0 ||
		    !(mount = add(session, &fd, source, path, 0))) {
			snprintf(ret_detail, size, "%s: %s", path, strerror(errno));
			return REASON_SYSTEM;
		}
		mount->system = true;
	}
	return REASON_OK;
}

/* mountinfo(5) writes space, tab, newline and backslash as \\ooo. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] && from[2] && from[3]) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = 0;
}

/* What is mounted below a directory comes along with it. */
static enum reason check_submounts(const char *directory, const struct visible_homes *homes,
				   char *ret_detail, size_t size)
{
	auto_file FILE *table = fopen("/proc/self/mountinfo", "re");
	size_t length = strlen(directory), line_size = 0;
	enum reason reason = REASON_OK;
	auto_free char *line = NULL;

	if (!table) {
		snprintf(ret_detail, size, "/proc/self/mountinfo: %s", strerror(errno));
		return REASON_SYSTEM;
	}
	while (!reason && getline(&line, &line_size, table) > 0) {
		char *place = line, *point = NULL;
		auto_fd int fd = -1;

		/* ID, parent, device, root, then the mount point. */
		for (int i = 0; i < 5 && place; i++)
			point = strsep(&place, " ");
		if (!place)
			continue;
		unescape(point);
		if (strncmp(point, directory, length) != 0 || point[length] != '/')
			continue;
		fd = open(point, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			reason = visible_check(fd, point, homes, false, ret_detail, size);
	}
	return reason;
}

/* The system's own directories are read-only for a run; those inside them that
 * belong to somebody's work (/usr/src/x) are not meant. */
static enum reason check_system(const struct session *session, const char *canonical,
				char *ret_detail, size_t size)
{
	for (size_t i = 0; i < session->mounts.n; i++) {
		const struct mount *mount = &session->mounts.list[i];

		if (!mount->system || !inside(mount->target, canonical))
			continue;
		snprintf(ret_detail, size, "the workspace %.160s is or contains the system's %.60s",
			 canonical, mount->target);
		return REASON_WORKSPACE_INVALID;
	}
	return REASON_OK;
}

/* What anet made for this session lies where runs see nothing else, and is no
 * link to anywhere. */
static enum reason check_assigned(const char *path, const char *canonical, char *ret_detail,
				  size_t size)
{
	if (strcmp(path, canonical) == 0 &&
	    (inside(canonical, WORK_ROOT) || inside(canonical, HOME_ROOT)))
		return REASON_OK;
	snprintf(ret_detail, size, "%.110s, made for this session, has become %.110s", path,
		 canonical);
	return REASON_MOUNT_CHANGED;
}

static enum reason add_workspace(struct session *session, const struct visible_homes *homes,
				 char *ret_detail, size_t size)
{
	const char *path = session->run.workspace;
	char canonical[PATH_MAX];
	auto_fd int fd = -1;
	struct stat status;
	enum reason reason;
	int r;

	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		snprintf(ret_detail, size, "the workspace %.160s: %s", path, strerror(errno));
		return REASON_WORKSPACE_INVALID;
	}
	r = canonical_path(fd, canonical, sizeof(canonical));
	if (r < 0 || fstat(fd, &status) < 0 || status.st_nlink == 0) {
		snprintf(ret_detail, size, "the workspace %.160s: %s", path,
			 r < 0 ? strerror(-r) : "it has been removed");
		return REASON_WORKSPACE_INVALID;
	}
	/* Whoever prepared the session has resolved it, and checked who could lead
	 * it elsewhere. */
	if (strcmp(path, canonical) != 0) {
		snprintf(ret_detail, size, "the workspace %.110s has become %.110s", path,
			 canonical);
		return REASON_MOUNT_CHANGED;
	}
	if (session->run.workspace_flags & RUN_MOUNT_ASSIGNED)
		reason = check_assigned(path, canonical, ret_detail, size);
	else
		reason = visible_check(fd, canonical, homes, false, ret_detail, size);
	if (!reason)
		reason = check_system(session, canonical, ret_detail, size);
	if (!reason)
		reason = check_submounts(canonical, homes, ret_detail, size);
	if (reason)
		return reason;
	session->workspace = strdup(canonical);
	/* Kept as the last one: bwrap mounts in this order, and nothing of ours
	 * may come to lie inside what the run can write. */
	if (!session->workspace || !add(session, &fd, canonical, canonical, RUN_MOUNT_WRITABLE)) {
		snprintf(ret_detail, size, "the workspace %.160s: %s", path, strerror(errno));
		return REASON_SYSTEM;
	}
	return REASON_OK;
}

static enum reason add_asked(struct session *session, const struct run_mount *asked,
			     const struct visible_homes *homes, const char *workspace,
			     char *ret_detail, size_t size)
{
	char canonical[PATH_MAX];
	auto_fd int fd = -1;
	enum reason reason;
	int r;

	fd = open(asked->source, O_PATH | O_CLOEXEC);
	r = fd < 0 ? -errno : canonical_path(fd, canonical, sizeof(canonical));
	if (r < 0) {
		snprintf(ret_detail, size, "the mount %.160s: %s", asked->source, strerror(-r));
		return REASON_WORKSPACE_INVALID;
	}
	/* Visible there already, and what the run writes there is its own. */
	if (inside(canonical, "/usr") || inside(canonical, workspace))
		return REASON_OK;
	if (asked->flags & RUN_MOUNT_ASSIGNED)
		reason = check_assigned(asked->source, canonical, ret_detail, size);
	else
		reason = visible_check(fd, canonical, homes, asked->flags & RUN_MOUNT_PROGRAM,
				       ret_detail, size);
	if (reason)
		return reason;
	if (!add(session, &fd, canonical, asked->target, asked->flags)) {
		snprintf(ret_detail, size, "the mount %.160s: %s", asked->source,
			 strerror(errno));
		return REASON_SYSTEM;
	}
	return REASON_OK;
}

enum reason mounts_prepare(struct session *session, char *ret_detail, size_t size)
{
	const struct passwd *account = getpwuid(getuid());
	const struct visible_homes homes = {
		.own = { account ? account->pw_dir : NULL, secure_getenv("HOME") },
		.root = getuid() == 0,
	};
	char workspace[PATH_MAX];
	enum reason reason;

	session->mounts.list = calloc(session->run.n_mounts + 40, sizeof(struct mount));
	if (!session->mounts.list || session->run.n_mounts > LIMIT_MOUNTS) {
		snprintf(ret_detail, size, "%zu mounts are asked for, %d are possible",
			 session->run.n_mounts, LIMIT_MOUNTS);
		return REASON_TOO_MANY_MOUNTS;
	}
	reason = add_system(session, ret_detail, size);
	if (reason)
		return reason;
	if (!realpath(session->run.workspace, workspace)) {
		snprintf(ret_detail, size, "the workspace %.160s: %s", session->run.workspace,
			 strerror(errno));
		return REASON_WORKSPACE_INVALID;
	}
	for (size_t i = 0; i < session->run.n_mounts; i++) {
		reason = add_asked(session, &session->run.mounts[i], &homes, workspace,
				   ret_detail, size);
		if (reason)
			return reason;
	}
	return add_workspace(session, &homes, ret_detail, size);
}

static void add_links(struct bwrap_arguments *arguments)
{
	for (size_t i = 0; i < sizeof(system_directories) / sizeof(system_directories[0]); i++) {
		char target[PATH_MAX];
		ssize_t length;

		length = readlink(system_directories[i], target, sizeof(target) - 1);
		if (length <= 0)
			continue;
		target[length] = 0;
		bwrap_add(arguments, "--symlink", target, system_directories[i], NULL);
	}
}

static void add_tmpfs(struct bwrap_arguments *arguments, const char *path, uint64_t bytes,
		      const char *mode)
{
	char size[24];

	snprintf(size, sizeof(size), "%" PRIu64, bytes);
	bwrap_add(arguments, "--perms", mode, "--size", size, "--tmpfs", path, NULL);
}

static void add_bind(const struct session *session, struct bwrap_arguments *arguments, size_t i)
{
	const struct mount *mount = &session->mounts.list[i];
	char staged[64];
	const char *source = mount->source;

	if (mount->tree >= 0) {
		staging_path(i, staged, sizeof(staged));
		source = staged;
	}
	bwrap_add(arguments, mount->flags & RUN_MOUNT_WRITABLE ? "--bind" : "--ro-bind", source,
		  mount->target, NULL);
}

void mounts_arguments(const struct session *session, struct bwrap_arguments *arguments)
{
	const struct mounts *mounts = &session->mounts;
	size_t i;

	add_links(arguments);
	bwrap_add(arguments, "--proc", "/proc", "--dev", "/dev", NULL);
	add_tmpfs(arguments, "/dev/shm", LIMIT_SHM_BYTES, "1777");
	add_tmpfs(arguments, "/run", LIMIT_RUN_BYTES, "0755");
	add_tmpfs(arguments, "/tmp", LIMIT_TMP_BYTES, "1777");
	add_tmpfs(arguments, RUN_HOME, LIMIT_HOME_BYTES, "0700");
	bwrap_add(arguments, "--perms", "0755", "--dir", "/var", "--symlink", "../run", "/var/run",
		  NULL);
	/* No link: a workspace may lie below it, at its own path. */
	add_tmpfs(arguments, "/var/tmp", LIMIT_TMP_BYTES, "1777");
	for (i = 0; i < mounts->n; i++)
		add_bind(session, arguments, i);
	for (i = 0; i < sizeof(masked_files) / sizeof(masked_files[0]); i++)
		if (access(masked_files[i], F_OK) == 0)
			bwrap_add(arguments, "--ro-bind", "/dev/null", masked_files[i], NULL);
	/* The roots of both are tmpfs that bwrap leaves writable. */
	bwrap_add(arguments, "--remount-ro", "/dev", "--remount-ro", "/", NULL);
}
