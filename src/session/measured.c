/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* What is protected lies in the workspace, which is measured. */
static bool grows(const struct view_entry *entry)
{
	return entry->way == VIEW_BIND && entry->writable &&
	       entry->kind != VIEW_PROTECTED;
}

/* True, or it cannot be opened.  A file needs no measure: it grows no further than
 * RLIMIT_FSIZE. */
static bool open_one(struct session *session, size_t i)
{
	const struct view_entry *entry = &session->view.entries[i];
	int tree = session->mounts[i].tree;
	/* Through the mapped mount, where there is one: the helper that measures has
	 * the run's uid. */
	int fd = openat(tree >= 0 ? tree : entry->fd, ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOTDIR;
	session->measured[session->n_measured++] =
		(struct measured){.fd = fd, .entry = i};
	return true;
}

static enum reason refuse_one(const struct session *session, size_t i, char *ret_detail,
			      size_t size)
{
	snprintf(ret_detail, size,
		 "%.160s cannot be listed, and so not be measured: %s",
		 session->view.entries[i].source, strerror(errno));
	return REASON_WORKSPACE_INVALID;
}

enum reason measured_open(struct session *session, char *ret_detail, size_t size)
{
	const struct view *view = &session->view;
	size_t workspace = (size_t)(view_workspace(view) - view->entries);
	unsigned int left = 0;
	char text[LIMIT_DETAIL + 1];

	if (!open_one(session, workspace))
		return refuse_one(session, workspace, ret_detail, size);
	for (size_t i = 0; i < view->n; i++) {
		if (i == workspace || !grows(&view->entries[i]))
			continue;
		if (session->n_measured == MAX_MEASURED)
			left++;
		else if (!open_one(session, i))
			return refuse_one(session, i, ret_detail, size);
	}
	if (left == 0 || !(session->policy.limits.growth_bytes ||
			   session->policy.limits.growth_entries))
		return REASON_OK;
	snprintf(text, sizeof(text),
		 "%u of the writable mounts are not measured, %d are at most: nothing "
		 "limits how these grow",
		 left, MAX_MEASURED);
	session_event(session, REASON_MOUNTS_UNMEASURED, "anet-session", text);
	return REASON_OK;
}
