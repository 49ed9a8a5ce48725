/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How root gives its files to a run that has another uid.
 *
 * The run's first process gets a mount namespace of its own with an empty
 * tmpfs over /run, and there one mount for each file that is asked for, made
 * from the descriptor that was checked: bwrap, which has the run's uid, needs no
 * right to the directories above, and no name is resolved a second time.  The
 * ids of the workspace's owner and of the run are swapped in it, so that the
 * run's files belong to the owner on disk.  Nothing of this exists in the
 * host's own mount namespace.
 */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/idmap.h"

#define STAGE "/run"

void staging_path(size_t i, char *ret_path, size_t size)
{
	snprintf(ret_path, size, STAGE "/%zu", i);
}

/* Whose files the run's are on disk, in a mount.  What is protected belongs to the
 * workspace, whoever owns it: the run gets no rights by it. */
static int find_owner(const struct session *session, const struct view_entry *entry,
		      struct stat *ret_owner)
{
	if (entry->kind == VIEW_PROTECTED)
		entry = view_workspace(&session->view);
	return fstat(entry->fd, ret_owner) < 0 ? -errno : 0;
}

static int stage(struct session *session, struct idmap_names *names, size_t i)
{
	const struct view_entry *entry = &session->view.entries[i];
	uid_t run = session->policy.run_uid;
	int *tree = &session->mounts[i].tree, r;
	struct stat owner;

	/* Of the system everybody may read what there is. */
	if (entry->fd < 0 || entry->kind == VIEW_SYSTEM)
		return 0;
	r = find_owner(session, entry, &owner);
	if (r < 0)
		return r;
	/* In a directory of root's, what everybody may read will do: root has files
	 * that nobody else is meant to see. */
	if (entry->kind == VIEW_MOUNT && !entry->writable && owner.st_uid == 0 &&
	    S_ISDIR(owner.st_mode))
		return idmap_tree(entry->fd, NULL, tree);
	/* What is the run's own, as in a probe, is so on any filesystem. */
	if (owner.st_uid == run && owner.st_gid == run)
		return idmap_tree(entry->fd, NULL, tree);
	r = idmap_names(names, owner.st_uid, owner.st_gid, run);
	if (r == 0)
		r = idmap_tree(entry->fd, names, tree);
	/* What is only read need not be mapped where its filesystem cannot be: what
	 * everybody may read will do. */
	if (r < 0 && !entry->writable)
		r = idmap_tree(entry->fd, NULL, tree);
	return r;
}

enum reason staging_prepare(struct session *session, char *ret_detail, size_t size)
{
	struct idmap_names names = {.fd = -1};

	if (!(session->policy.flags & POLICY_SEPARATE_UIDS))
		return REASON_OK;
	for (size_t i = 0; i < session->view.n; i++) {
		int r = stage(session, &names, i);

		if (r >= 0)
			continue;
		close_fd(&names.fd);
		snprintf(ret_detail, size,
			 "root cannot give %.120s to a run: mounting it with mapped ids failed (%s)",
			 session->view.entries[i].source, strerror(-r));
		return REASON_IDMAP_UNAVAILABLE;
	}
	close_fd(&names.fd);
	return REASON_OK;
}

static int make_mount_point(const struct view_entry *entry, const char *path)
{
	struct stat status;
	int fd;

	if (fstat(entry->fd, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return mkdir(path, 0700) < 0 ? -errno : 0;
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int staging_enter(const struct session *session)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("anet", STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") < 0)
		return -errno;
	for (size_t i = 0; i < session->view.n; i++) {
		const struct mount *mount = &session->mounts[i];
		char path[64];
		int r;

		if (mount->tree < 0)
			continue;
		staging_path(i, path, sizeof(path));
		r = make_mount_point(&session->view.entries[i], path);
		if (r < 0)
			return r;
		if (move_mount(mount->tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
			return -errno;
	}
	return 0;
}
