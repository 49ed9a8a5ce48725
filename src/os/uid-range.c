/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/uid-range.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

int uid_range_take(const struct uid_range *range, const char *directory,
		   uint32_t *ret_supervisor, uint32_t *ret_run, int *ret_lock_fd)
{
	auto_fd int fd = private_dir_open(directory);

	if (fd < 0)
		return fd;
	for (uint32_t i = 0; i < range->count / 2; i++) {
		auto_fd int lock = -1;
		char name[16];

		snprintf(name, sizeof(name), "%" PRIu32, i);
		lock = openat(fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			      0600);
		if (lock < 0)
			return -errno;
		if (flock(lock, LOCK_EX | LOCK_NB) < 0) {
			if (errno == EWOULDBLOCK)
				continue;
			return -errno;
		}
		*ret_supervisor = range->first + 2 * i;
		*ret_run = range->first + 2 * i + 1;
		*ret_lock_fd = take_fd(&lock);
		return 0;
	}
	return -EUSERS;
}
