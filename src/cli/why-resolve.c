/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/why-resolve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As the kernel's own, path_resolution(7). */
#define MAX_LINKS 40

struct walk {
	const struct view *view;
	struct resolved *at;
	char rest[PATH_MAX];
	unsigned int links;
	bool more; /* a slash stands behind the name that is looked at */
};

static void fail(struct walk *walk, int error)
{
	walk->at->presence = PRESENCE_NO;
	walk->at->error = error;
	walk->at->have_status = false;
}

/* Goes on with what a link says, from the root or from where the link lies. */
static void follow(struct walk *walk, const char *target, size_t parent)
{
	char joined[2 * PATH_MAX + 2];

	snprintf(joined, sizeof(joined), "%s%s%s", target, walk->more ? "/" : "",
		 walk->rest);
	if (++walk->links > MAX_LINKS || strlen(joined) >= sizeof(walk->rest)) {
		fail(walk, walk->links > MAX_LINKS ? ELOOP : ENAMETOOLONG);
		return;
	}
	memcpy(walk->rest, joined, strlen(joined) + 1);
	walk->at->path[*target == '/' ? 0 : parent] = 0;
	walk->at->linked = true;
	walk->at->status.st_mode = S_IFDIR;
}

/* What bubblewrap's --dev makes, besides mounts that have entries of their own. */
static bool is_device(const char *name)
{
	static const char *const names[] = {"console", "core",	"fd",	  "full",
					    "null",    "ptmx",	"pts",	  "random",
					    "stderr",  "stdin", "stdout", "tty",
					    "urandom", "zero",	"shm"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* A proc of the run's own has the kernel's files, and processes of its own. */
static void look_in_proc(struct walk *walk, const char *below)
{
	struct resolved *at = walk->at;

	if (strspn(below, "0123456789") == strcspn(below, "/") ||
	    strncmp(below, "self", 4) == 0 || strncmp(below, "thread-self", 11) == 0)
		at->presence = PRESENCE_RUN;
	else if (lstat(at->path, &at->status) < 0)
		fail(walk, errno);
	/* Its links lead to processes; which, only the run can see. */
	else if (S_ISLNK(at->status.st_mode))
		at->presence = PRESENCE_RUN;
}

static void look_in_bind(struct walk *walk, const struct view_entry *entry,
			 size_t parent)
{
	struct resolved *at = walk->at;
	char source[2 * PATH_MAX], target[PATH_MAX];
	ssize_t length;

	snprintf(source, sizeof(source), "%s%s",
		 strcmp(entry->source, "/") == 0 ? "" : entry->source,
		 at->path + strlen(entry->target));
	if (lstat(source, &at->status) < 0) {
		fail(walk, errno);
		return;
	}
	at->have_status = true;
	if (!S_ISLNK(at->status.st_mode))
		return;
	length = readlink(source, target, sizeof(target) - 1);
	if (length <= 0) {
		fail(walk, errno);
		return;
	}
	target[length] = 0;
	follow(walk, target, parent);
}

/* What is mounted here, or lies in what is mounted above. */
static void look(struct walk *walk, size_t parent)
{
	struct resolved *at = walk->at;
	const struct view_entry *entry = view_find(walk->view, at->path);
	bool here = entry && strcmp(entry->target, at->path) == 0;

	at->entry = entry;
	at->leads_to = here ? NULL : view_find_below(walk->view, at->path);
	at->presence = PRESENCE_YES;
	at->have_status = false;
	at->status.st_mode = S_IFDIR;
	/* Where nothing else is, bubblewrap makes what leads to a mount. */
	if (!here && at->leads_to && (!entry || entry->way != VIEW_BIND))
		return;
	if (!entry) {
		fail(walk, ENOENT);
		return;
	}
	switch (entry->way) {
	case VIEW_BIND:
		look_in_bind(walk, entry, parent);
		return;
	case VIEW_SYMLINK:
		follow(walk, entry->source, parent);
		return;
	case VIEW_FILE:
		at->status.st_mode = S_IFREG;
		return;
	case VIEW_PROC:
		if (!here)
			look_in_proc(walk, at->path + strlen(entry->target) + 1);
		return;
	case VIEW_DEV:
		if (here)
			return;
		if (is_device(at->path + strlen(entry->target) + 1) ||
		    strncmp(at->path, "/dev/pts/", 9) == 0 ||
		    strncmp(at->path, "/dev/fd/", 8) == 0)
			at->presence = PRESENCE_RUN;
		else
			fail(walk, ENOENT);
		return;
	case VIEW_TMPFS:
	case VIEW_DIRECTORY:
		if (!here)
			fail(walk, ENOENT);
		return;
	}
}

static void step(struct walk *walk, const char *name, size_t length)
{
	struct resolved *at = walk->at;
	size_t used = strlen(at->path);

	if (length == 2 && memcmp(name, "..", 2) == 0) {
		char *slash = strrchr(at->path, '/');

		if (slash)
			*slash = 0;
		/* Of a directory that was a directory before. */
		if (at->path[0])
			look(walk, 0);
		return;
	}
	if (used + length + 2 > sizeof(at->path)) {
		fail(walk, ENAMETOOLONG);
		return;
	}
	at->path[used] = '/';
	memcpy(at->path + used + 1, name, length);
	at->path[used + 1 + length] = 0;
	look(walk, used);
}

void view_resolve(const struct view *view, const char *path, struct resolved *ret)
{
	struct walk walk = {.view = view, .at = ret};

	*ret = (struct resolved){.presence = PRESENCE_YES, .status.st_mode = S_IFDIR};
	if (strlen(path) >= sizeof(walk.rest)) {
		fail(&walk, ENAMETOOLONG);
		return;
	}
	memcpy(walk.rest, path, strlen(path) + 1);
	while (walk.rest[0] && ret->presence != PRESENCE_NO) {
		char name[PATH_MAX];
		size_t length = strcspn(walk.rest, "/");

		walk.more = walk.rest[length] == '/';
		memcpy(name, walk.rest, length);
		memmove(walk.rest, walk.rest + length + walk.more,
			strlen(walk.rest + length + walk.more) + 1);
		if (length > 0 && !(length == 1 && name[0] == '.'))
			step(&walk, name, length);
		/* A slash behind a name asks for a directory. */
		if (walk.more && ret->presence == PRESENCE_YES &&
		    !S_ISDIR(ret->status.st_mode))
			fail(&walk, ENOTDIR);
	}
	snprintf(ret->wanted, sizeof(ret->wanted), "%s%s%s", ret->path,
		 walk.rest[0] ? "/" : "", walk.rest);
	if (!ret->path[0]) {
		snprintf(ret->path, sizeof(ret->path), "/");
		ret->leads_to = view_find_below(view, "/");
	}
}
