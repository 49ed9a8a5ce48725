/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file: a line that says what was probed, the time in seconds, the code of
 * the reason, and its detail.
 */
#include "strategies/probe-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/private-dir.h"
#include "os/session-dir.h"
#include "strategies/identity.h"

#define FILE_NAME "probe"
#define FILE_BYTES 4096

/* The cache's directory, or -1. */
static int open_directory(struct arena *arena, const struct places *places)
{
	int fd = places->runtime ? runtime_dir_open(places->runtime) : -1;
	char *path;

	if (fd >= 0 || !places->cache)
		return fd < 0 ? -1 : fd;
	path = arena_format(arena, "%s/anet", places->cache);
	fd = private_dir_open(path);
	if (fd == -ENOENT && mkdir(places->cache, 0700) == 0)
		fd = private_dir_open(path);
	return fd < 0 ? -1 : fd;
}

/* The next line, without its end; NULL if the text has no more. */
static char *next_line(char **text)
{
	char *line = *text;
	char *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = 0;
	*text = end + 1;
	return line;
}

static bool read_cache(int directory, const char *key, enum reason *ret_reason,
		       struct detail *ret_detail)
{
	auto_fd int fd =
		openat(directory, FILE_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char bytes[FILE_BYTES], *text = bytes;
	const char *line, *code, *detail;
	struct stat status;
	ssize_t length;
	intmax_t age;

	if (fd < 0 || fstat(fd, &status) < 0 || status.st_uid != geteuid() ||
	    !S_ISREG(status.st_mode) || (status.st_mode & 077))
		return false;
	length = read(fd, bytes, sizeof(bytes) - 1);
	if (length < 0)
		return false;
	bytes[length] = 0;
	line = next_line(&text);
	if (!line || strcmp(line, key) != 0)
		return false;
	line = next_line(&text);
	age = line ? (intmax_t)time(NULL) - strtoimax(line, NULL, 10) : -1;
	/* The clock may have been set back. */
	if (age < 0 || age >= PROBE_FRESH_SECONDS)
		return false;
	code = next_line(&text);
	detail = code ? next_line(&text) : NULL;
	if (!detail || !reason_find(code, ret_reason))
		return false;
	explain(ret_detail, *ret_reason,
		"%s (tried %jd seconds ago; `anet doctor` tries again)", detail, age);
	return true;
}

/* Replaces the file as a whole; a cache that cannot be written is none. */
static void write_cache(int directory, const char *key, enum reason reason,
			const struct detail *detail)
{
	auto_fd int fd = -1;
	char name[48];
	int written;

	snprintf(name, sizeof(name), FILE_NAME ".%jd", (intmax_t)getpid());
	fd = openat(directory, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	written = dprintf(fd, "%s\n%jd\n%s\n%s\n", key, (intmax_t)time(NULL),
			  reason_code(reason), SHOW(detail->text));
	if (written <= 0 || written >= FILE_BYTES ||
	    renameat(directory, name, directory, FILE_NAME) < 0)
		(void)unlinkat(directory, name, 0);
}

void probe_anew(struct arena *arena, const struct places *places,
		const struct config *config, struct probe_result *ret_result)
{
	auto_fd int directory = open_directory(arena, places);

	strategy_srt.probe(ret_result);
	/* What this process lacked says nothing about the next one. */
	if (ret_result->reason == REASON_SYSTEM ||
	    ret_result->reason == REASON_UIDS_EXHAUSTED)
		return;
	if (directory >= 0)
		write_cache(directory, probe_identity(arena, places->uid, config),
			    ret_result->reason, &ret_result->detail);
}

enum reason probe_cached(struct arena *arena, const struct places *places,
			 const struct config *config, struct detail *ret_detail)
{
	struct probe_result result;
	enum reason reason = REASON_OK;
	auto_fd int directory = open_directory(arena, places);

	if (directory >= 0 &&
	    read_cache(directory, probe_identity(arena, places->uid, config), &reason, ret_detail))
		return reason;
	probe_anew(arena, places, config, &result);
	*ret_detail = result.detail;
	return result.reason;
}
