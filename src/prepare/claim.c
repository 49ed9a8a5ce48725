/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SESSION_ROOT/ID and the uids: what a session has while it lives.
 */
#include "prepare/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/private-dir.h"
#include "os/session-clean.h"
#include "os/session-dir.h"
#include "os/session-unit.h"
#include "os/uid-processes.h"
#include "strategies/session-start.h"

/* SIGKILL takes a moment, a process on a disk or a network file system that does
 * not answer takes as long as that. */
#define END_PROCESSES_MS 3000

static enum reason unsafe(struct preparation *p, const char *path)
{
	return explain(&p->detail, REASON_RECORD_UNSAFE,
		       "%s is not a directory of root's that nobody else can write: "
		       "find out who made it, and remove it",
		       path);
}

static enum reason failed(struct preparation *p, const char *what, const char *path,
			  int r)
{
	return explain(&p->detail, REASON_SYSTEM, "cannot %s %s: %s", what, path,
		       strerror(-r));
}

/* To the people who may look at sessions, where the mode makes a difference
 * between them and others. */
static int set_group(int fd, mode_t mode)
{
	bool for_group = (mode & S_IRWXG) && !(mode & S_IRWXO);
	const struct group *group = for_group ? getgrnam(WORK_ACCOUNT) : NULL;

	return group ? fchown(fd, 0, group->gr_gid) : 0;
}

/* Made at boot (tmpfiles.d); here if that has not happened, or a session in the
 * foreground, which needs less, came first. */
static enum reason open_directory(struct preparation *p, const char *path, mode_t mode,
				  int *ret_fd)
{
	auto_fd int fd = private_dir_open(path);
	struct stat status;

	if (fd == -EPERM || fd == -ELOOP || fd == -ENOTDIR)
		return unsafe(p, path);
	if (fd < 0)
		return failed(p, "make", path, fd);
	if (fstat(fd, &status) < 0 ||
	    ((status.st_mode & 07777) != mode &&
	     (set_group(fd, mode) < 0 || fchmod(fd, mode) < 0)))
		return failed(p, "set the mode of", path, -errno);
	*ret_fd = take_fd(&fd);
	return REASON_OK;
}

static char *directory_of(struct start *start)
{
	return arena_format(&start->preparation.arena, SESSION_ROOT "/%s",
			    start->name.id);
}

static enum reason refuse_other(struct start *start, const struct session_unit *other)
{
	return explain(&start->preparation.detail, REASON_SESSION_EXISTS,
		       "session %s runs already as %s.service: `systemctl stop %s.service` "
		       "ends it",
		       start->name.id, SHOW(other->name), SHOW(other->name));
}

/* What is there is another unit's that lives, or it is left over: systemd starts no
 * unit twice, and this is the only one that prepares now. */
static enum reason check_other(struct start *start, const struct session_unit *self)
{
	struct preparation *p = &start->preparation;
	struct session_unit other;
	auto_fd int directory = session_dir_open(start->name.id);
	int r;

	if (directory == -ENOENT)
		return REASON_OK;
	if (directory == -EPERM || directory == -ENOTDIR || directory == -ELOOP)
		return unsafe(p, directory_of(start));
	if (directory < 0)
		return failed(p, "open", directory_of(start), directory);
	r = session_unit_read(directory, &other);
	if (r == -ENOENT || r == -EPERM || r == -EBADMSG)
		return explain(&p->detail, REASON_RECORD_UNSAFE,
			       "%s/" SESSION_UNIT_FILE
			       " is not as root wrote it: find out who changed it, and "
			       "remove the directory",
			       directory_of(start));
	if (r < 0)
		return failed(p, "read the records in", directory_of(start), r);
	if (strcmp(other.cgroup, self->cgroup) != 0 && session_unit_is_alive(&other))
		return refuse_other(start, &other);
	return REASON_OK;
}

/* What an earlier life of this session has left, because its last step was cut off
 * as well. */
static enum reason clear_stale(struct start *start)
{
	struct preparation *p = &start->preparation;
	const char *id = start->name.id;
	struct uid_pair pair;
	int r = uid_range_find(UID_DIRECTORY, id, &pair);

	if (r == 0) {
		r = uid_end_processes(&pair, END_PROCESSES_MS);
		if (r < 0)
			return explain(&p->detail, REASON_SYSTEM,
				       "processes of the session's last start, with "
				       "the user ids %u and %u, do not end: %s",
				       pair.supervisor, pair.run, strerror(-r));
	} else if (r != -ENOENT) {
		return failed(p, "look for user ids in", UID_DIRECTORY, r);
	}
	r = session_dir_remove(id);
	if (r < 0)
		return explain(&p->detail, REASON_SYSTEM,
			       "cannot remove what an earlier start of %s left "
			       "in " SESSION_ROOT ": %s",
			       id, strerror(-r));
	r = uid_range_release(UID_DIRECTORY, id);
	if (r < 0 && r != -ENOENT)
		return failed(p, "give back user ids in", UID_DIRECTORY, r);
	return REASON_OK;
}

static int make_live(int directory, uid_t owner)
{
	auto_fd int fd = -1;

	if (mkdirat(directory, SESSION_LIVE_DIRECTORY, 0755) < 0)
		return -errno;
	fd = openat(directory, SESSION_LIVE_DIRECTORY,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fchown(fd, owner, owner) < 0 || fchmod(fd, 0755) < 0)
		return -errno;
	return 0;
}

static int write_records(struct start *start, int directory,
			 const struct session_unit *self)
{
	struct preparation *p = &start->preparation;
	auto_free void *bytes = NULL;
	size_t size;
	int r = session_unit_write(directory, self);

	if (r == 0)
		r = run_record_format(&p->record, &bytes, &size);
	if (r == 0)
		r = session_record_write(directory, SESSION_RUN_FILE, 0400, bytes,
					 size);
	if (r == 0)
		r = session_record_write(directory, SESSION_POLICY_FILE, 0444,
					 &p->policy, sizeof(p->policy));
	return r == 0 ? make_live(directory, p->policy.supervisor_uid) : r;
}

static int make_directory(struct start *start, int root,
			  const struct session_unit *self)
{
	char scratch[SESSION_SCRATCH_NAME];
	auto_fd int directory = -1;
	int r;

	session_dir_scratch(start->name.id, scratch);
	if (mkdirat(root, scratch, 0700) < 0)
		return -errno;
	directory =
		openat(root, scratch, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0 || fchmod(directory, 0755) < 0)
		return -errno;
	r = write_records(start, directory, self);
	if (r < 0)
		return r;
	return renameat(root, scratch, root, start->name.id) < 0 ? -errno : 0;
}

static enum reason take_directory(struct start *start, int root,
				  const struct session_unit *self)
{
	struct preparation *p = &start->preparation;
	int r = make_directory(start, root, self);

	if (r == -E2BIG && p->record.n_mounts > LIMIT_MOUNTS)
		return explain(&p->detail, REASON_TOO_MANY_MOUNTS,
			       "the run needs %zu mounts, and %d are possible",
			       p->record.n_mounts, LIMIT_MOUNTS);
	if (r == -E2BIG)
		return explain(&p->detail, REASON_CONFIG_INVALID,
			       "the arguments and the environment of agent \"%s\" are "
			       "longer than %u bytes",
			       start->name.agent, LIMIT_ARG_BYTES);
	return r < 0 ? failed(p, "write the records of the session into",
			      directory_of(start), r)
		     : REASON_OK;
}

enum reason claim_session(struct start *start)
{
	struct preparation *p = &start->preparation;
	auto_fd int run = -1, root = -1, uids = -1, lock = -1;
	struct session_unit self;
	enum reason reason = open_directory(p, RUN_ANET, 0755, &run);

	if (reason == REASON_OK)
		reason = open_directory(p, SESSION_ROOT, 0750, &root);
	if (reason == REASON_OK)
		reason = open_directory(p, UID_DIRECTORY, 0700, &uids);
	if (reason != REASON_OK)
		return reason;
	lock = session_lock(start->name.id);
	if (lock < 0)
		return failed(p, "lock", RUN_ANET "/lock", lock);
	session_unit_self(start->template, start->instance, &self);
	reason = check_other(start, &self);
	if (reason == REASON_OK)
		reason = clear_stale(start);
	if (reason == REASON_OK)
		reason = session_reserve_uids(&p->policy, &p->detail);
	if (reason != REASON_OK)
		return reason;
	if (p->strategy == STRATEGY_HOST)
		p->policy.run_uid = start->host_uid;
	reason = take_directory(start, root, &self);
	if (reason != REASON_OK) {
		/* Nothing has started: what fails here, the next start removes. */
		(void)session_dir_remove(start->name.id);
		(void)uid_range_release(UID_DIRECTORY, start->name.id);
	}
	return reason;
}
