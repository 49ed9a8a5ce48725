/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sessions.h"
#include "os/cleanup.h"
#include "os/handover.h"
#include "os/session-dir.h"
#include "os/session-unit.h"

/* The unit's record; it must be one of this very session. */
static void read_unit(struct arena *arena, int directory, struct session_seen *seen)
{
	struct session_unit unit;
	struct session_name name;

	if (session_unit_read(directory, &unit) < 0 ||
	    !session_unit_session(&unit, &name) ||
	    strcmp(name.id, seen->name.id) != 0)
		return;
	seen->unit = arena_format(arena, "%s.service", unit.name);
	seen->gone = !session_unit_is_alive(&unit);
}

static void read_session(struct arena *arena, struct session_seen *seen)
{
	auto_fd int directory = session_dir_open(seen->name.id);
	auto_fd int policy = -1, live = -1;

	if (directory < 0)
		return;
	read_unit(arena, directory, seen);
	policy = session_record_open(directory, SESSION_POLICY_FILE, 0444);
	seen->have_policy = policy >= 0 && policy_read(policy, &seen->policy) == 0;
	live = openat(directory, SESSION_LIVE_DIRECTORY,
		      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	seen->have_state = live >= 0 && session_state_read(live, SESSION_STATE_FILE,
							   &seen->state) == 0;
}

/* The names of a directory that are ids of sessions, in their order. */
static enum reason list_ids(struct arena *arena, const char *path, struct list *list,
			    struct detail *ret_detail)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort);

	if (n < 0 && errno == ENOENT)
		return REASON_OK;
	if (n < 0 && (errno == EACCES || errno == EPERM))
		return explain(
			ret_detail, REASON_NOT_PERMITTED,
			"%s is for root and the group `anet`, which this account "
			"is not in",
			path);
	if (n < 0)
		return explain(ret_detail, REASON_SYSTEM, "cannot list %s: %s", path,
			       strerror(errno));
	for (int i = 0; i < n; i++) {
		struct session_name name;

		if (session_name_parse(entries[i]->d_name, &name) &&
		    strcmp(name.id, entries[i]->d_name) == 0)
			list_add(arena, list, arena_copy(arena, name.id));
		free(entries[i]);
	}
	free(entries);
	return REASON_OK;
}

static bool is_seen(const struct sessions *sessions, const char *id)
{
	for (size_t i = 0; i < sessions->n_seen; i++)
		if (strcmp(sessions->seen[i].name.id, id) == 0)
			return true;
	return false;
}

static void read_outcomes(struct arena *arena, const struct list *ids,
			  struct sessions *sessions)
{
	auto_fd int root =
		open(OUTCOME_ROOT, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	sessions->outcomes =
		arena_get(arena, (ids->n + 1) * sizeof(*sessions->outcomes));
	for (size_t i = 0; i < ids->n; i++) {
		struct session_outcome *outcome =
			&sessions->outcomes[sessions->n_outcomes];

		if (is_seen(sessions, ids->items[i]) ||
		    session_state_read(root, ids->items[i], &outcome->state) < 0)
			continue;
		(void)session_name_parse(ids->items[i], &outcome->name);
		sessions->n_outcomes++;
	}
}

enum reason sessions_read(struct arena *arena, struct sessions *ret_sessions,
			  struct detail *ret_detail)
{
	struct sessions sessions = {0};
	struct list ids = {0}, ended = {0};
	enum reason reason = list_ids(arena, SESSION_ROOT, &ids, ret_detail);

	if (reason == REASON_OK)
		reason = list_ids(arena, OUTCOME_ROOT, &ended, ret_detail);
	if (reason != REASON_OK)
		return reason;
	sessions.seen = arena_get(arena, (ids.n + 1) * sizeof(*sessions.seen));
	for (; sessions.n_seen < ids.n; sessions.n_seen++) {
		struct session_seen *seen = &sessions.seen[sessions.n_seen];

		(void)session_name_parse(ids.items[sessions.n_seen], &seen->name);
		read_session(arena, seen);
	}
	read_outcomes(arena, &ended, &sessions);
	*ret_sessions = sessions;
	return REASON_OK;
}

const char *session_state_word(const struct session_seen *seen)
{
	static const char *const words[] = {
		[SESSION_STARTING] = "starting",
		[SESSION_RUNNING] = "running",
		[SESSION_ENDING] = "ending",
		[SESSION_ENDED] = "ended",
	};

	if (seen->gone)
		return "gone";
	if (!seen->have_state)
		return "starting";
	if (seen->state.stage < SESSION_STARTING || seen->state.stage > SESSION_ENDED)
		return "?";
	return words[seen->state.stage];
}
