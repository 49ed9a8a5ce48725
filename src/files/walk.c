/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "files/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"

/* Entries between two looks at whether to go on: less than a millisecond, since the end
 * of a session waits for it. */
#define CANCEL_INTERVAL 256

/*
 * One directory on the way down.  The buffers are static and a page each, so
 * that memory is used only for as many as the tree is deep, and a directory
 * goes on where it was after one below it was done.
 */
struct level {
	int fd;
	size_t position, length; /* within buffer */
	struct timespec changed;
	_Alignas(struct dirent64) char buffer[4096];
};

static struct level levels[WALK_MAX_DEPTH];

struct walk {
	const struct walk_options *options;
	struct tree_size *size;
	size_t depth; /* open levels */
	uint32_t device_major, device_minor;
	unsigned int since_asked;
};

static bool is_before(struct timespec one, struct timespec other)
{
	return one.tv_sec < other.tv_sec ||
	       (one.tv_sec == other.tv_sec && one.tv_nsec < other.tv_nsec);
}

static void find(struct walk *walk, enum walk_finding finding, const char *name)
{
	if (walk->size->finding)
		return;
	walk->size->finding = finding;
	/* Ends with the NUL that it is initialised with. */
	memcpy(walk->size->name, name, strnlen(name, sizeof(walk->size->name) - 1));
}

/*
 * A directory cannot be read.  If it was so before the run began, the run has
 * added nothing: making an entry, or taking the permission away, changes ctime.
 */
static void cannot_read(struct walk *walk, struct timespec changed, const char *name)
{
	const struct timespec *since = &walk->options->since;

	if ((since->tv_sec || since->tv_nsec) && !is_before(changed, *since))
		find(walk, WALK_UNREADABLE, name);
}

static void count(struct walk *walk, const struct statx *entry)
{
	uint64_t bytes = entry->stx_blocks * 512;

	/* The links of a directory are its children's "..". */
	if (!S_ISDIR(entry->stx_mode) && entry->stx_nlink > 1)
		bytes /= entry->stx_nlink;
	walk->size->bytes += bytes;
	walk->size->entries++;
}

static struct timespec changed_at(const struct statx *entry)
{
	return (struct timespec){ entry->stx_ctime.tv_sec, entry->stx_ctime.tv_nsec };
}

/* Opens `name` as the next level.  0 or -errno. */
static int descend(struct walk *walk, int parent, const char *name,
		   struct timespec changed)
{
	struct level *level = &levels[walk->depth];
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	level->fd = fd;
	level->position = 0;
	level->length = 0;
	level->changed = changed;
	walk->depth++;
	return 0;
}

/* Another filesystem's root is not this tree; a subvolume's is. */
static bool is_elsewhere(const struct walk *walk, const struct statx *entry)
{
	return (entry->stx_dev_major != walk->device_major ||
		entry->stx_dev_minor != walk->device_minor) &&
	       (entry->stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static void visit(struct walk *walk, const struct level *parent, const char *name)
{
	struct statx entry;
	int r;

	if (statx(parent->fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		  STATX_TYPE | STATX_NLINK | STATX_BLOCKS | STATX_CTIME, &entry) < 0) {
		/* The directory can be listed but not searched. */
		if (errno == EACCES || errno == EPERM)
			cannot_read(walk, parent->changed, name);
		return; /* ENOENT: gone meanwhile */
	}
	count(walk, &entry);
	if (!S_ISDIR(entry.stx_mode) || is_elsewhere(walk, &entry))
		return;
	if (walk->depth == WALK_MAX_DEPTH) {
		find(walk, WALK_TOO_DEEP, name);
		return;
	}
	r = descend(walk, parent->fd, name, changed_at(&entry));
	if (r == -EACCES || r == -EPERM)
		cannot_read(walk, changed_at(&entry), name);
}

/* The next name in the directory, NULL at its end. */
static const char *next_name(struct level *level)
{
	struct dirent64 *entry;

	if (level->position == level->length) {
		ssize_t got =
			getdents64(level->fd, level->buffer, sizeof(level->buffer));

		/* An error ends it too: ENOENT is a directory that was removed. */
		if (got <= 0)
			return NULL;
		level->length = (size_t)got;
		level->position = 0;
	}
	entry = (struct dirent64 *)(void *)(level->buffer + level->position);
	level->position += entry->d_reclen;
	return entry->d_name;
}

static bool is_done(struct walk *walk)
{
	const struct tree_size *size = walk->size;

	if (size->finding || size->bytes > walk->options->max_bytes ||
	    size->entries > walk->options->max_entries)
		return true;
	if (++walk->since_asked < CANCEL_INTERVAL)
		return false;
	walk->since_asked = 0;
	if (walk->options->cancelled())
		find(walk, WALK_CANCELLED, "");
	return size->finding != WALK_MEASURED;
}

void walk_tree(int root, const struct walk_options *options, struct tree_size *ret_size)
{
	struct walk walk = { .options = options, .size = ret_size };
	struct statx entry;

	*ret_size = (struct tree_size){ 0 };
	if (statx(root, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &entry) < 0 ||
	    descend(&walk, root, ".", changed_at(&entry)) < 0) {
		find(&walk, WALK_UNREADABLE, ".");
		return;
	}
	walk.device_major = entry.stx_dev_major;
	walk.device_minor = entry.stx_dev_minor;
	while (walk.depth > 0) {
		struct level *level = &levels[walk.depth - 1];
		const char *name = is_done(&walk) ? NULL : next_name(level);

		if (!name) {
			close_fd(&level->fd);
			walk.depth--;
		} else if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
			visit(&walk, level, name);
		}
	}
}
