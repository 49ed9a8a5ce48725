/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bwrap is to mount: the plan of os/view.h, in its order. */
#include "session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum reason mounts_prepare(struct session *session, char *ret_detail, size_t size)
{
	struct view *view = &session->view;
	enum reason reason =
		view_build(&session->run, &session->policy, view, ret_detail, size);

	if (reason)
		return reason;
	session->mounts = calloc(view->n, sizeof(*session->mounts));
	if (!session->mounts) {
		snprintf(ret_detail, size, "the mounts of the run: %s",
			 strerror(errno));
		return REASON_SYSTEM;
	}
	for (size_t i = 0; i < view->n; i++)
		session->mounts[i] = (struct mount){.tree = -1};
	return REASON_OK;
}

static void add_tmpfs(struct bwrap_arguments *arguments, const struct view_entry *entry)
{
	char size[24];

	snprintf(size, sizeof(size), "%" PRIu64, entry->bytes);
	bwrap_add(arguments, "--perms", entry->mode, "--size", size, "--tmpfs",
		  entry->target, NULL);
}

static void add_bind(const struct session *session, struct bwrap_arguments *arguments,
		     size_t i)
{
	const struct view_entry *entry = &session->view.entries[i];
	char staged[64];
	const char *source = entry->source;

	if (session->mounts[i].tree >= 0) {
		staging_path(i, staged, sizeof(staged));
		source = staged;
	}
	bwrap_add(arguments, entry->writable ? "--bind" : "--ro-bind", source,
		  entry->target, NULL);
}

/* `number`: of the descriptor that bwrap reads the text from. */
static void add_file(struct bwrap_arguments *arguments, const struct view_entry *entry,
		     int number)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%d", number);
	bwrap_add(arguments, "--perms", entry->mode, "--file", digits, entry->target,
		  NULL);
}

void mounts_arguments(const struct session *session, struct bwrap_arguments *arguments,
		      int first_file)
{
	for (size_t i = 0; i < session->view.n; i++) {
		const struct view_entry *entry = &session->view.entries[i];

		switch (entry->way) {
		case VIEW_BIND:
			add_bind(session, arguments, i);
			break;
		case VIEW_TMPFS:
			add_tmpfs(arguments, entry);
			break;
		case VIEW_PROC:
			bwrap_add(arguments, "--proc", entry->target, NULL);
			break;
		case VIEW_DEV:
			bwrap_add(arguments, "--dev", entry->target, NULL);
			break;
		case VIEW_SYMLINK:
			bwrap_add(arguments, "--symlink", entry->source, entry->target,
				  NULL);
			break;
		case VIEW_FILE:
			add_file(arguments, entry, first_file++);
			break;
		case VIEW_DIRECTORY:
			bwrap_add(arguments, "--perms", entry->mode, "--dir",
				  entry->target, NULL);
			break;
		}
	}
	/* The roots of both are tmpfs that bwrap leaves writable. */
	bwrap_add(arguments, "--remount-ro", "/dev", "--remount-ro", "/", NULL);
}
