/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "os/cleanup.h"

/* Whole files only: one that does not fit is not what it should be. */
static int read_all(int fd, char *ret_text, size_t size)
{
	size_t length = 0;

	for (;;) {
		ssize_t n = pread(fd, ret_text + length, size - length, (off_t)length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		length += (size_t)n;
		if (length == size)
			return -EFBIG;
	}
	ret_text[length] = '\0';
	return 0;
}

static int read_file_at(int directory, const char *name, char *ret_text, size_t size)
{
	auto_fd int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : read_all(fd, ret_text, size);
}

/* Whether the space-separated list has the word. */
static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = list; *at; at += strcspn(at, " \n"), at += *at != '\0') {
		if (strcspn(at, " \n") == length && strncmp(at, word, length) == 0)
			return true;
	}
	return false;
}

/* Digits only: strtoull() alone would take signs and blanks. */
static int parse_number(const char *text, uint64_t *ret_number)
{
	char *end;
	unsigned long long number;

	if (*text < '0' || *text > '9')
		return -EBADMSG;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || (*end != '\n' && *end != '\0'))
		return -EBADMSG;
	*ret_number = number;
	return 0;
}

int cgroup_probe(char *ret_missing, size_t missing_size)
{
	static const char *const wanted[] = {"memory", "pids"};
	struct statfs fs;
	char controllers[512];
	int r;

	if (statfs(CGROUP_ROOT, &fs) < 0) {
		r = -errno;
		snprintf(ret_missing, missing_size, "%s: %s", CGROUP_ROOT,
			 strerror(-r));
		return r;
	}
	if (fs.f_type != CGROUP2_SUPER_MAGIC) {
		snprintf(ret_missing, missing_size,
			 "%s is not the unified cgroup hierarchy (version 2)",
			 CGROUP_ROOT);
		return -EOPNOTSUPP;
	}
	r = read_file_at(AT_FDCWD, CGROUP_ROOT "/cgroup.controllers", controllers,
			 sizeof(controllers));
	if (r < 0) {
		snprintf(ret_missing, missing_size, "%s/cgroup.controllers: %s",
			 CGROUP_ROOT, strerror(-r));
		return r;
	}
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (has_word(controllers, wanted[i]))
			continue;
		snprintf(ret_missing, missing_size,
			 "the controller '%s' is not in %s/cgroup.controllers",
			 wanted[i], CGROUP_ROOT);
		return -EOPNOTSUPP;
	}
	return 0;
}

int cgroup_open(pid_t pid, int *ret_fd, char *ret_path, size_t path_size)
{
	char name[32], text[4096], full[sizeof(CGROUP_ROOT) + CGROUP_PATH_MAX];
	const char *path = NULL;
	size_t length;
	int r, fd;

	snprintf(name, sizeof(name), "/proc/%d/cgroup", (int)pid);
	r = read_file_at(AT_FDCWD, name, text, sizeof(text));
	if (r < 0)
		return r == -ENOENT ? -ESRCH : r;
	for (const char *line = text; *line;
	     line += strcspn(line, "\n"), line += *line != '\0') {
		if (strncmp(line, "0::/", 4) == 0)
			path = line + 3;
	}
	if (!path)
		return -EOPNOTSUPP;
	length = strcspn(path, "\n");
	if (length >= CGROUP_PATH_MAX || length >= path_size)
		return -ENAMETOOLONG;
	/* cgroup_namespaces(7): outside of the reader's own root. */
	if (strncmp(path, "/../", 4) == 0 ||
	    (length == 3 && strncmp(path, "/..", 3) == 0))
		return -EOPNOTSUPP;
	snprintf(full, sizeof(full), "%s%.*s", CGROUP_ROOT, (int)length, path);
	fd = open(full, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(ret_path, path_size, "%.*s", (int)length, path);
	*ret_fd = fd;
	return 0;
}

int cgroup_read_limit(int cgroup, const char *file, uint64_t *ret_limit)
{
	char text[64];
	int r = read_file_at(cgroup, file, text, sizeof(text));

	if (r < 0)
		return r;
	if (strcmp(text, "max\n") == 0) {
		*ret_limit = CGROUP_MAX;
		return 0;
	}
	return parse_number(text, ret_limit);
}

int cgroup_read_event(int events, const char *key, uint64_t *ret_value)
{
	const size_t length = strlen(key);
	char text[1024];
	int r = read_all(events, text, sizeof(text));

	if (r < 0)
		return r;
	for (const char *line = text; *line;
	     line += strcspn(line, "\n"), line += *line != '\0') {
		if (strncmp(line, key, length) == 0 && line[length] == ' ')
			return parse_number(line + length + 1, ret_value);
	}
	return -ENOENT;
}
