/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/why-session.h"
#include "core/session-name.h"
#include "os/cleanup.h"
#include "os/refused-file.h"

/* A session that has a record. */
struct candidate {
	const char *runtime;
	struct session_name name;
	struct timespec changed;
};

struct candidates {
	struct arena *arena;
	struct candidate *list;
	size_t n, room;
	bool forbidden; /* some could not be listed */
};

static void add(struct candidates *candidates, const char *runtime, int directory,
		const struct session_name *name)
{
	struct candidate *candidate;
	struct stat status;

	if (fstatat(directory, name->id, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (candidates->n == candidates->room) {
		size_t room = 2 * candidates->room + 64;
		struct candidate *grown =
			arena_get(candidates->arena, room * sizeof(*grown));

		if (candidates->n)
			memcpy(grown, candidates->list, candidates->n * sizeof(*grown));
		candidates->list = grown;
		candidates->room = room;
	}
	candidate = &candidates->list[candidates->n++];
	*candidate = (struct candidate){runtime, *name, status.st_mtim};
}

static void list_runtime(struct candidates *candidates, const char *runtime)
{
	auto_fd int fd = refused_directory_open(runtime);
	int again = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	DIR *entries = again < 0 ? NULL : fdopendir(again);
	const struct dirent *entry;
	struct session_name name;

	if (fd == -EACCES)
		candidates->forbidden = true;
	if (!entries) {
		close_fd(&again);
		return;
	}
	while ((entry = readdir(entries)))
		if (session_name_parse(entry->d_name, &name) &&
		    strcmp(name.id, entry->d_name) == 0)
			add(candidates, runtime, fd, &name);
	closedir(entries);
}

static bool is_later(const struct candidate *one, const struct candidate *other)
{
	return one->changed.tv_sec > other->changed.tv_sec ||
	       (one->changed.tv_sec == other->changed.tv_sec &&
		one->changed.tv_nsec > other->changed.tv_nsec);
}

/* Its own id is the best, then the agent's session `main`, then the agent's last one;
 * of two accounts' sessions of one id, the caller's. */
static const struct candidate *choose(const struct candidates *candidates,
				      const char *wanted)
{
	const struct candidate *last = NULL;
	struct session_name name;

	if (!session_name_parse(wanted, &name))
		return NULL;
	for (size_t i = 0; i < candidates->n; i++)
		if (strcmp(candidates->list[i].name.id, name.id) == 0)
			return &candidates->list[i];
	if (strcmp(wanted, name.agent) != 0)
		return NULL;
	for (size_t i = 0; i < candidates->n; i++) {
		const struct candidate *one = &candidates->list[i];

		if (strcmp(one->name.agent, wanted) == 0 &&
		    (!last || is_later(one, last)))
			last = one;
	}
	return last;
}

static enum reason not_found(const struct candidates *candidates, const char *wanted,
			     struct detail *ret_detail)
{
	const char **names =
		arena_get(candidates->arena, (2 * candidates->n + 1) * sizeof(*names));
	struct session_name name;
	size_t n = 0;

	for (size_t i = 0; i < candidates->n; i++) {
		names[n++] = candidates->list[i].name.id;
		names[n++] = candidates->list[i].name.agent;
	}
	/* It may be one of those. */
	if (candidates->forbidden && session_name_parse(wanted, &name))
		return explain(
			ret_detail, REASON_NOT_PERMITTED,
			"no session of this account is called \"%s\"%s; those of "
			"root and of units are for root and the group `anet`",
			SHOW(wanted), DID_YOU_MEAN(wanted, names));
	return explain(ret_detail, REASON_SESSION_UNKNOWN,
		       "no session is called \"%s\"%s", SHOW(wanted),
		       DID_YOU_MEAN(wanted, names));
}

enum reason why_session_find(struct why_session *session, const char *wanted,
			     struct detail *ret_detail)
{
	struct candidates candidates = {.arena = &session->arena};
	const struct places *places = &session->places;
	const struct candidate *chosen;
	auto_fd int directory = -1;
	int r;

	if (places->runtime)
		list_runtime(&candidates, places->runtime);
	if (!places->runtime || strcmp(places->runtime, places->machine) != 0)
		list_runtime(&candidates, places->machine);
	chosen = choose(&candidates, wanted);
	if (!chosen)
		return not_found(&candidates, wanted, ret_detail);
	session->id = arena_copy(&session->arena, chosen->name.id);
	session->agent = arena_copy(&session->arena, chosen->name.agent);
	directory = refused_directory_open(chosen->runtime);
	r = directory < 0 ? directory
			  : refused_file_read(directory, session->id, &session->record,
					      &session->lives);
	if (r == -EACCES)
		return explain(
			ret_detail, REASON_NOT_PERMITTED,
			"what session %s was refused is for its account, root and "
			"the group `anet`",
			session->id);
	if (r < 0)
		return explain(ret_detail, REASON_SYSTEM,
			       "what session %s was refused cannot be read: %s",
			       session->id,
			       r == -EBADMSG ? "it is no record of this build of anet"
					     : strerror(-r));
	return REASON_OK;
}
