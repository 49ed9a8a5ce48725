/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/uid-range.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/private-dir.h"

#define ACCOUNT "anet:"
/* What is below is for people and for the services of distributions. */
#define LOWEST 65536u
#define TOP 0x80000000u

/* A decimal number up to `end`; false if it is none. */
static bool parse_number(const char *text, const char *end, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (text == end || end - text > 10)
		return false;
	for (; text < end; text++) {
		if (*text < '0' || *text > '9')
			return false;
		number = number * 10 + (uint64_t)(*text - '0');
	}
	*ret_number = number;
	return true;
}

/* The first line "anet:FIRST:COUNT". */
static int read_range(const char *path, uint64_t *ret_first, uint64_t *ret_end)
{
	auto_file FILE *file = fopen(path, "re");
	auto_free char *line = NULL;
	size_t room = 0;
	ssize_t length;

	if (!file)
		return -errno;
	while ((length = getline(&line, &room, file)) > 0) {
		const char *first = line + strlen(ACCOUNT), *colon, *end;
		uint64_t from, count;

		if (strncmp(line, ACCOUNT, strlen(ACCOUNT)) != 0)
			continue;
		colon = strchrnul(first, ':');
		end = *colon ? strchrnul(colon + 1, '\n') : colon;
		if (!*colon || !parse_number(first, colon, &from) ||
		    !parse_number(colon + 1, end, &count))
			return -EBADMSG;
		*ret_first = from;
		*ret_end = from + count;
		return 0;
	}
	return -ENOENT;
}

int uid_range_read(const char *subuid_path, const char *subgid_path,
		   struct uid_range *ret_range)
{
	uint64_t first = 0, end = 0, group_first = 0, group_end = 0;
	int r = read_range(subuid_path, &first, &end);
	int s = read_range(subgid_path, &group_first, &group_end);

	if (r == -ENOENT && s == -ENOENT) {
		*ret_range = (struct uid_range){UID_RANGE_FIRST, UID_RANGE_COUNT};
		return 0;
	}
	if (r < 0 || s < 0)
		return r < 0 ? r : s;
	/* A run has one number for both its user and its group. */
	if (group_first > first)
		first = group_first;
	if (group_end < end)
		end = group_end;
	if (end < first + 2)
		return -ENOENT;
	if (first < LOWEST || end > TOP)
		return -ERANGE;
	*ret_range = (struct uid_range){(uint32_t)first, (uint32_t)(end - first)};
	return 0;
}

static bool maps(const char *path, const struct uid_range *range)
{
	auto_file FILE *map = fopen(path, "re");
	char line[128];

	/* "inside outside count", user_namespaces(7). */
	while (map && fgets(line, sizeof(line), map)) {
		char *place = line;
		uint64_t inside = strtoull(place, &place, 10), count;

		(void)strtoull(place, &place, 10);
		count = strtoull(place, &place, 10);
		if (range->first >= inside &&
		    (uint64_t)range->first + range->count <= inside + count)
			return true;
	}
	return false;
}

bool uid_range_mapped(const struct uid_range *range)
{
	return maps("/proc/self/uid_map", range) && maps("/proc/self/gid_map", range);
}

/* Whoever looks for a pair, or gives one back, is alone with the directory: a file
 * that somebody else is just looking at is not taken for one in use. */
static int open_alone(const char *directory)
{
	auto_fd int fd = private_dir_open(directory);

	if (fd < 0)
		return fd;
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return -errno;
	return take_fd(&fd);
}

static void slot_name(uint32_t uid, char name[16])
{
	snprintf(name, 16, "%" PRIu32, uid);
}

/* Opens and locks the file of a pair.  -EWOULDBLOCK: it is in use. */
static int open_slot(int directory, uint32_t uid, int *ret_fd)
{
	auto_fd int fd = -1;
	struct stat status;
	char name[16];

	slot_name(uid, name);
	fd = openat(directory, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (status.st_size > 0)
		return -EWOULDBLOCK; /* reserved */
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	*ret_fd = take_fd(&fd);
	return 0;
}

static int take_first(const struct uid_range *range, int directory,
		      struct uid_pair *ret_pair, int *ret_fd)
{
	/* Pairs of two ranges that overlap do not share a number. */
	uint64_t end = (uint64_t)range->first + range->count;

	for (uint64_t uid = range->first + (range->first & 1u); uid + 1 < end;
	     uid += 2) {
		int r = open_slot(directory, (uint32_t)uid, ret_fd);

		if (r == -EWOULDBLOCK)
			continue;
		if (r == 0)
			*ret_pair = (struct uid_pair){(uint32_t)uid, (uint32_t)uid + 1};
		return r;
	}
	return -EUSERS;
}

int uid_range_take(const struct uid_range *range, const char *directory,
		   struct uid_pair *ret_pair, int *ret_lock_fd)
{
	auto_fd int alone = open_alone(directory);

	return alone < 0 ? alone : take_first(range, alone, ret_pair, ret_lock_fd);
}

int uid_range_reserve(const struct uid_range *range, const char *directory,
		      const char *session, struct uid_pair *ret_pair)
{
	auto_fd int alone = open_alone(directory), fd = -1;
	struct uid_pair pair;
	ssize_t written;
	char name[16];
	int r = alone < 0 ? alone : take_first(range, alone, &pair, &fd);

	if (r < 0)
		return r;
	written = write(fd, session, strlen(session));
	if (written != (ssize_t)strlen(session)) {
		r = written < 0 ? -errno : -ENOSPC;
		slot_name(pair.supervisor, name);
		(void)unlinkat(alone, name, 0); /* a part of a name is no name */
		return r;
	}
	*ret_pair = pair;
	return 0;
}

static bool holds(int directory, const char *name, const char *session)
{
	auto_fd int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	size_t length = strlen(session);
	char text[128];

	return fd >= 0 && read(fd, text, sizeof(text)) == (ssize_t)length &&
	       memcmp(text, session, length) == 0;
}

static int find(int directory, const char *session, struct uid_pair *ret_pair)
{
	int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	int r = -ENOENT;

	if (!entries) {
		r = -errno;
		close_fd(&copy);
		return r;
	}
	while (r == -ENOENT && (entry = readdir(entries))) {
		uint64_t uid;

		if (!parse_number(entry->d_name, strchr(entry->d_name, 0), &uid) ||
		    uid < LOWEST || uid + 1 >= TOP || (uid & 1) ||
		    !holds(directory, entry->d_name, session))
			continue;
		*ret_pair = (struct uid_pair){(uint32_t)uid, (uint32_t)uid + 1};
		r = 0;
	}
	closedir(entries);
	return r;
}

int uid_range_find(const char *directory, const char *session,
		   struct uid_pair *ret_pair)
{
	auto_fd int alone = open_alone(directory);

	return alone < 0 ? alone : find(alone, session, ret_pair);
}

int uid_range_release(const char *directory, const char *session)
{
	auto_fd int alone = open_alone(directory);
	struct uid_pair pair;
	char name[16];
	int r = alone < 0 ? alone : find(alone, session, &pair);

	if (r < 0)
		return r;
	slot_name(pair.supervisor, name);
	return unlinkat(alone, name, 0) < 0 ? -errno : 0;
}
