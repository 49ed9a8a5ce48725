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

enum reason staging_prepare(struct session *session, char *ret_detail, size_t size)
{
	if (!(session->policy.flags & POLICY_SEPARATE_UIDS))
		return REASON_OK;
	for (size_t i = 0; i < session->mounts.n; i++) {
		struct mount *mount = &session->mounts.list[i];
		uid_t run = session->policy.run_uid;
		struct stat status;
		int r;

		if (mount->system)
			continue;
		if (fstat(mount->fd, &status) < 0) {
			snprintf(ret_detail, size, "%.160s: %s", mount->source, strerror(errno));
			return REASON_SYSTEM;
		}
		/* What is the run's own, as in a probe, is so on any filesystem. */
		r = idmap_tree(mount->fd, status.st_uid != run || status.st_gid != run,
			       status.st_uid, status.st_gid, run, &mount->tree);
		/* A program need only be read; where its filesystem cannot be
		 * mapped, what everybody may read will do. */
		if (r < 0 && !(mount->flags & RUN_MOUNT_WRITABLE))
			r = idmap_tree(mount->fd, false, 0, 0, 0, &mount->tree);
		if (r < 0) {
			snprintf(ret_detail, size,
				 "root cannot give %.120s to a run: mounting it with mapped ids failed (%s)",
				 mount->source, strerror(-r));
			return REASON_IDMAP_UNAVAILABLE;
		}
	}
	return REASON_OK;
}

static int make_mount_point(const struct mount *mount, const char *path)
{
	struct stat status;
	int fd;

	if (fstat(mount->fd, &status) < 0)
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
	for (size_t i = 0; i < session->mounts.n; i++) {
		const struct mount *mount = &session->mounts.list[i];
		char path[64];
		int r;

		if (mount->tree < 0)
			continue;
		staging_path(i, path, sizeof(path));
		r = make_mount_point(mount, path);
		if (r < 0)
			return r;
		if (move_mount(mount->tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
			return -errno;
	}
	return 0;
}
