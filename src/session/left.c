/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a run left in its workspace to be executed outside (core/protected.h).
 */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/protected-record.h"
#include "os/report.h"

static int open_share(struct session *session)
{
	void *map;

	session->share_fd =
		memfd_create("anet-protected", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (session->share_fd < 0 ||
	    ftruncate(session->share_fd, sizeof(*session->share)) < 0 ||
	    fcntl(session->share_fd, F_ADD_SEALS,
		  F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		return -errno;
	map = mmap(NULL, sizeof(*session->share), PROT_READ | PROT_WRITE, MAP_SHARED,
		   session->share_fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	session->share = map;
	snprintf(session->share->workspace, sizeof(session->share->workspace), "%s",
		 session->run.workspace);
	return 0;
}

static int open_record(const struct session *session, const char *home)
{
	auto_fd int directory = protected_directory(home);

	if (directory < 0)
		return directory;
	return protected_record_open(directory, view_workspace(&session->view)->fd);
}

int left_open(struct session *session)
{
	session->share_fd = session->left_record = -1;
	if (!(session->policy.flags & POLICY_PROTECT))
		return 0;
	/* Root's rights are gone when it is known whether there is anything to keep. */
	if (session->policy.flags & POLICY_SEPARATE_UIDS)
		session->left_record = open_record(session, NULL);
	return open_share(session);
}

/* What is there now, for whoever is to remove it. */
static int keep(const struct session *session, const struct protected_states *found)
{
	const char *home = secure_getenv("HOME");
	auto_fd int own = -1;
	int fd = session->left_record;
	struct protected_record record = {
		.magic = PROTECTED_MAGIC,
		.version = PROTECTED_VERSION,
		.usec = realtime_usec(),
		.rows = session->left,
	};

	/* An account without a home is told, and has nothing to clean by. */
	if (!(session->policy.flags & POLICY_SEPARATE_UIDS) && home)
		fd = own = open_record(session, home);
	if (fd < 0)
		return fd;
	snprintf(record.session, sizeof(record.session), "%s", session->policy.session);
	snprintf(record.workspace, sizeof(record.workspace), "%s",
		 session->run.workspace);
	memcpy(record.states, found->rows, sizeof(found->rows));
	return protected_record_append(fd, &record);
}

static void describe(const struct session *session, char *ret_text, size_t size)
{
	char names[100];

	protected_names(session->left, names, sizeof(names));
	snprintf(ret_text, size, "the run made or replaced %s in %.80s%s%.30s", names,
		 session->run.workspace,
		 session->left_kept < 0 ? "; no record of it could be kept: " : "",
		 session->left_kept < 0 ? strerror(-session->left_kept) : "");
}

static struct record record_of(const struct session *session, const char *detail)
{
	return (struct record){
		.reason = REASON_PROTECTED_CREATED,
		.session = session->policy.session,
		.agent = session->policy.agent,
		.helper = "anet-session",
		.detail = detail,
	};
}

void left_found(struct session *session)
{
	/* A copy: anet-files could change it between the looks. */
	struct protected_states found = session->share->found;
	char text[LIMIT_DETAIL + 1];
	struct record record;

	session->left = protected_changes(&session->view.protected, &found);
	if (session->left == 0)
		return;
	session->left_kept = keep(session, &found);
	describe(session, text, sizeof(text));
	record = record_of(session, text);
	/* However much the run gave to tell: this is told. */
	(void)journal_send(&record);
}

void left_print(const struct session *session)
{
	char text[LIMIT_DETAIL + 1];
	struct record record;

	if (session->left == 0 || report_goes_to_journal() ||
	    !session_may_print(session))
		return;
	describe(session, text, sizeof(text));
	record = record_of(session, text);
	report_print(&record);
}
