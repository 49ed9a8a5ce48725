/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A record is a header, one flag word for each mount, and then all strings in
 * order, each with its NUL: workspace, argv, env, (source, target) of each
 * mount, (path, text) of each file.  There is nothing else: the last NUL is the last byte.
 */
#include "os/run-record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/home-path.h"
#include "core/limits.h"
#include "core/policy.h"
#include "os/cleanup.h"

#define RUN_MAGIC 0x524e4131u /* "1ANR" */
#define RUN_VERSION 3
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

struct header {
	uint32_t magic;
	uint32_t version;
	uint32_t n_argv;
	uint32_t n_env;
	uint32_t n_mounts;
	uint32_t n_files;
	uint32_t string_bytes;
	uint32_t workspace_flags;
};

/* The most that a record within the limits can have. */
#define MAX_STRING_BYTES                                                               \
	(LIMIT_ARG_BYTES + LIMIT_HOME_FILE_BYTES + PATH_MAX * (2u * LIMIT_MOUNTS + 1))
#define MAX_MOUNTS LIMIT_MOUNTS

static int write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t wrote = write(fd, at, size);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -errno;
		at += wrote;
		size -= (size_t)wrote;
	}
	return 0;
}

static int read_all(int fd, void *bytes, size_t size, off_t offset)
{
	char *at = bytes;

	while (size > 0) {
		ssize_t got = pread(fd, at, size, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -EBADMSG;
		at += got;
		offset += got;
		size -= (size_t)got;
	}
	return 0;
}

int sealed_memfd(const char *name, const void *bytes, size_t size, int *ret_fd)
{
	auto_fd int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, bytes, size);
	if (r < 0)
		return r;
	if (fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return -errno;
	*ret_fd = take_fd(&fd);
	return 0;
}

int policy_write(const struct policy *policy, int *ret_fd)
{
	return sealed_memfd("anet-policy", policy, sizeof(*policy), ret_fd);
}

/* Counts the strings of a NULL-terminated list and their bytes with the NULs. */
static size_t list_count(char *const *list, size_t *bytes)
{
	size_t n = 0;

	for (; list[n]; n++)
		*bytes += strlen(list[n]) + 1;
	return n;
}

static bool path_is_usable(const char *path)
{
	return path && path[0] == '/' && strlen(path) < PATH_MAX;
}

/* Adds the bytes of the files' strings. */
static int measure_files(const struct run_record *record, size_t *bytes)
{
	size_t of_files = 0;

	if (record->n_files > LIMIT_HOME_FILES)
		return -E2BIG;
	for (size_t i = 0; i < record->n_files; i++) {
		const struct run_file *file = &record->files[i];

		if (home_path_check(file->path))
			return -EINVAL;
		of_files += strlen(file->path) + strlen(file->text) + 2;
	}
	*bytes += of_files;
	return of_files > LIMIT_HOME_FILE_BYTES ? -E2BIG : 0;
}

static int measure(const struct run_record *record, struct header *ret_header)
{
	struct header header = {.magic = RUN_MAGIC, .version = RUN_VERSION};
	size_t bytes = 0, n_argv, n_env;
	int r;

	if (!path_is_usable(record->workspace))
		return -EINVAL;
	n_argv = list_count(record->argv, &bytes);
	n_env = list_count(record->env, &bytes);
	if (n_argv == 0)
		return -EINVAL;
	if (bytes > LIMIT_ARG_BYTES || record->n_mounts > MAX_MOUNTS)
		return -E2BIG;
	bytes += strlen(record->workspace) + 1;
	for (size_t i = 0; i < record->n_mounts; i++) {
		const struct run_mount *mount = &record->mounts[i];

		if (!path_is_usable(mount->source) || !path_is_usable(mount->target))
			return -EINVAL;
		bytes += strlen(mount->source) + strlen(mount->target) + 2;
	}
	r = measure_files(record, &bytes);
	if (r < 0)
		return r;
	header.n_files = (uint32_t)record->n_files;
	header.n_argv = (uint32_t)n_argv;
	header.n_env = (uint32_t)n_env;
	header.n_mounts = (uint32_t)record->n_mounts;
	header.workspace_flags = record->workspace_flags;
	header.string_bytes = (uint32_t)bytes;
	*ret_header = header;
	return 0;
}

static char *put(char *at, const char *text)
{
	size_t size = strlen(text) + 1;

	memcpy(at, text, size);
	return at + size;
}

int run_record_format(const struct run_record *record, void **ret_bytes, size_t *ret_size)
{
	struct header header;
	auto_free char *bytes = NULL;
	size_t flag_bytes, size;
	uint32_t *flags;
	char *at;
	int r;

	r = measure(record, &header);
	if (r < 0)
		return r;
	flag_bytes = header.n_mounts * sizeof(uint32_t);
	size = sizeof(header) + flag_bytes + header.string_bytes;
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, &header, sizeof(header));
	flags = (uint32_t *)(void *)(bytes + sizeof(header));
	for (size_t i = 0; i < record->n_mounts; i++)
		flags[i] = record->mounts[i].flags;
	at = put(bytes + sizeof(header) + flag_bytes, record->workspace);
	for (size_t i = 0; i < header.n_argv; i++)
		at = put(at, record->argv[i]);
	for (size_t i = 0; i < header.n_env; i++)
		at = put(at, record->env[i]);
	for (size_t i = 0; i < record->n_mounts; i++) {
		at = put(at, record->mounts[i].source);
		at = put(at, record->mounts[i].target);
	}
	for (size_t i = 0; i < record->n_files; i++) {
		at = put(at, record->files[i].path);
		at = put(at, record->files[i].text);
	}
	*ret_bytes = take_ptr(bytes);
	*ret_size = size;
	return 0;
}

int run_record_write(const struct run_record *record, int *ret_fd)
{
	auto_free void *bytes = NULL;
	size_t size;
	int r = run_record_format(record, &bytes, &size);

	return r < 0 ? r : sealed_memfd("anet-run", bytes, size, ret_fd);
}

/* The next string of a block that ends at `end`; NULL if there is none. */
static char *next_string(char **at, const char *end)
{
	char *start = *at;
	char *nul;

	if (start >= end)
		return NULL;
	nul = memchr(start, 0, (size_t)(end - start));
	if (!nul)
		return NULL;
	*at = nul + 1;
	return start;
}

static bool read_list(char **list, size_t n, char **at, const char *end)
{
	for (size_t i = 0; i < n; i++) {
		list[i] = next_string(at, end);
		if (!list[i])
			return false;
	}
	list[n] = NULL;
	return true;
}

static bool read_mounts(struct run_mount *mounts, const uint32_t *flags, size_t n,
			char **at, const char *end)
{
	for (size_t i = 0; i < n; i++) {
		mounts[i].source = next_string(at, end);
		mounts[i].target = next_string(at, end);
		mounts[i].flags = flags[i];
		if (!path_is_usable(mounts[i].source) ||
		    !path_is_usable(mounts[i].target) ||
		    (flags[i] & ~(uint32_t)(RUN_MOUNT_WRITABLE | RUN_MOUNT_PROGRAM |
					 RUN_MOUNT_ASSIGNED | RUN_MOUNT_CONFIGURED)))
			return false;
	}
	return true;
}

static bool read_files(struct run_file *files, size_t n, char **at, const char *end)
{
	for (size_t i = 0; i < n; i++) {
		files[i].path = next_string(at, end);
		files[i].text = next_string(at, end);
		if (!files[i].path || home_path_check(files[i].path) ||
		    !files[i].text)
			return false;
	}
	return true;
}

static int read_header(int fd, bool sealed, struct header *ret_header)
{
	struct header header;
	struct stat status;
	int seals, r;

	seals = sealed ? fcntl(fd, F_GET_SEALS) : SEALS;
	if (seals < 0)
		return -errno;
	if ((seals & SEALS) != SEALS)
		return -EBADMSG;
	if (fstat(fd, &status) < 0)
		return -errno;
	r = read_all(fd, &header, sizeof(header), 0);
	if (r < 0)
		return r;
	/* Each string has at least its NUL, which bounds the counts. */
	if (header.magic != RUN_MAGIC || header.version != RUN_VERSION ||
	    header.string_bytes > MAX_STRING_BYTES ||
	    (header.workspace_flags & ~(uint32_t)RUN_MOUNT_ASSIGNED) || header.n_mounts > MAX_MOUNTS ||
	    header.n_files > LIMIT_HOME_FILES ||
	    header.n_argv < 1 || header.n_argv > LIMIT_ARG_BYTES ||
	    header.n_env > LIMIT_ARG_BYTES ||
	    status.st_size !=
		    (off_t)(sizeof(header) + header.n_mounts * sizeof(uint32_t) +
			    header.string_bytes))
		return -EBADMSG;
	*ret_header = header;
	return 0;
}

int run_record_read(int fd, bool sealed, struct run_record *ret_record)
{
	struct header header = { 0 };
	auto_free char *strings = NULL;
	auto_free char **argv = NULL, **env = NULL;
	auto_free uint32_t *flags = NULL;
	auto_free struct run_mount *mounts = NULL;
	auto_free struct run_file *files = NULL;
	size_t flag_bytes;
	char *at, *end;
	int r;

	r = read_header(fd, sealed, &header);
	if (r < 0)
		return r;
	flag_bytes = header.n_mounts * sizeof(uint32_t);
	strings = malloc(header.string_bytes + 1);
	argv = calloc(header.n_argv + 1, sizeof(char *));
	env = calloc(header.n_env + 1, sizeof(char *));
	flags = calloc(header.n_mounts + 1, sizeof(uint32_t));
	mounts = calloc(header.n_mounts + 1, sizeof(struct run_mount));
	files = calloc(header.n_files + 1, sizeof(struct run_file));
	if (!strings || !argv || !env || !flags || !mounts || !files)
		return -ENOMEM;
	r = read_all(fd, flags, flag_bytes, sizeof(header));
	if (r == 0)
		r = read_all(fd, strings, header.string_bytes,
			     (off_t)(sizeof(header) + flag_bytes));
	if (r < 0)
		return r;
	at = strings;
	end = strings + header.string_bytes;
	if (!path_is_usable(next_string(&at, end)) ||
	    !read_list(argv, header.n_argv, &at, end) ||
	    !read_list(env, header.n_env, &at, end) ||
	    !read_mounts(mounts, flags, header.n_mounts, &at, end) ||
	    !read_files(files, header.n_files, &at, end) || at != end)
		return -EBADMSG;
	*ret_record = (struct run_record){
		/* The block of strings begins with it: run_record_free(). */
		.workspace = take_ptr(strings), .argv = take_ptr(argv),
		.env = take_ptr(env),		.mounts = take_ptr(mounts),
		.n_mounts = header.n_mounts,
		.workspace_flags = header.workspace_flags,
		.files = take_ptr(files),
		.n_files = header.n_files,
	};
	return 0;
}

void run_record_free(struct run_record *record)
{
	free(record->workspace);
	free(record->argv);
	free(record->env);
	free(record->mounts);
	free(record->files);
	*record = (struct run_record){0};
}
