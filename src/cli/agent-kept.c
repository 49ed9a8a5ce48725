/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/agent.h"
#include "os/cleanup.h"
#include "os/session-dir.h"

/* A directory of directories that anet made for sessions. */
struct root {
	const char *path;
	bool of_sessions; /* AGENT-INTERACTION; else AGENT */
};

#define MAX_ROOTS 4

static size_t find_roots(struct arena *arena, const struct places *places,
			 struct root roots[MAX_ROOTS])
{
	size_t n = 0;

	if (places->uid == 0) {
		roots[n++] = (struct root){WORK_ROOT, false};
		roots[n++] = (struct root){HOST_WORK_ROOT, false};
		roots[n++] = (struct root){HOME_ROOT, true};
	}
	if (places->home)
		roots[n++] = (struct root){
			arena_format(arena, "%s/" USER_HOME_ROOT, places->home), false};
	return n;
}

/* -1 where it is not there. */
static enum reason open_root(const char *path, int *ret_fd, struct detail *ret_detail)
{
	auto_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	*ret_fd = -1;
	if (fd < 0 && errno == ENOENT)
		return REASON_OK;
	if (fd < 0 || fstat(fd, &status) < 0)
		return explain(ret_detail, REASON_SYSTEM, "cannot open %s: %s",
			       SHOW(path), strerror(errno));
	/* Else what is renamed there may be somebody else's by then. */
	if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)))
		return explain(ret_detail, REASON_DIRECTORY_UNSAFE,
			       "%s, where sessions keep their files, belongs to "
			       "somebody else, or others can write it",
			       SHOW(path));
	*ret_fd = take_fd(&fd);
	return REASON_OK;
}

/* What follows the agent's name in that of an entry; NULL: it is not the agent's. */
static const char *rest_of(const struct root *root, const char *entry, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(entry, name, length) != 0)
		return NULL;
	return entry[length] == (root->of_sessions ? '-' : 0) ? entry + length : NULL;
}

struct finding_kept {
	struct arena *arena;
	const char *name, *other;
	struct agent_kept *kept;
	size_t n, room;
};

static void take(struct finding_kept *finding, const struct root *root,
		 const char *entry)
{
	const char *rest = rest_of(root, entry, finding->name);
	struct agent_kept *grown;

	if (!rest)
		return;
	if (finding->n == finding->room) {
		finding->room = finding->n ? 2 * finding->n : 8;
		grown = arena_get(finding->arena, finding->room * sizeof(*grown));
		if (finding->n)
			memcpy(grown, finding->kept, finding->n * sizeof(*grown));
		finding->kept = grown;
	}
	finding->kept[finding->n++] = (struct agent_kept){
		.root = root->path,
		.name = arena_copy(finding->arena, entry),
		.other = finding->other ? arena_format(finding->arena, "%s%s",
						       finding->other, rest)
					: NULL,
	};
}

static enum reason look(struct finding_kept *finding, const struct root *root,
			struct detail *ret_detail)
{
	int fd = -1;
	enum reason reason = open_root(root->path, &fd, ret_detail);
	const struct dirent *entry;
	DIR *entries;

	if (reason != REASON_OK || fd < 0)
		return reason;
	entries = fdopendir(fd);
	if (!entries) {
		close(fd);
		return explain(ret_detail, REASON_SYSTEM, "cannot list %s: %s",
			       SHOW(root->path), strerror(errno));
	}
	while ((entry = readdir(entries)))
		take(finding, root, entry->d_name);
	closedir(entries);
	return REASON_OK;
}

enum reason agent_kept_find(struct arena *arena, const struct places *places,
			    const char *name, const char *other,
			    struct agent_kept **ret_kept, size_t *ret_n,
			    struct detail *ret_detail)
{
	struct finding_kept finding = {.arena = arena, .name = name, .other = other};
	struct root roots[MAX_ROOTS];
	size_t n = find_roots(arena, places, roots);
	enum reason reason = REASON_OK;

	for (size_t i = 0; i < n && reason == REASON_OK; i++)
		reason = look(&finding, &roots[i], ret_detail);
	if (reason == REASON_OK) {
		*ret_kept = finding.kept;
		*ret_n = finding.n;
	}
	return reason;
}

static int rename_in(const char *root, const char *from, const char *to)
{
	auto_fd int fd = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return renameat2(fd, from, fd, to, RENAME_NOREPLACE) < 0 || fsync(fd) < 0
		       ? -errno
		       : 0;
}

enum reason agent_kept_move(const struct agent_kept *kept, size_t n,
			    struct detail *ret_detail)
{
	enum reason reason;
	size_t done = 0;
	int r = 0;

	while (done < n) {
		r = rename_in(kept[done].root, kept[done].name, kept[done].other);
		if (r < 0)
			break;
		done++;
	}
	if (r == 0)
		return REASON_OK;
	if (r == -EEXIST)
		reason = explain(ret_detail, REASON_AGENT_EXISTS,
				 "%s/%s is there: an agent of that name has left it; "
				 "move or remove it first",
				 SHOW(kept[done].root), kept[done].other);
	else
		reason = explain(ret_detail, REASON_SYSTEM, "cannot rename %s/%s: %s",
				 SHOW(kept[done].root), kept[done].name, strerror(-r));
	/* All or none. */
	while (done-- > 0)
		(void)rename_in(kept[done].root, kept[done].other, kept[done].name);
	return reason;
}
