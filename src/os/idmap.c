/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/idmap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/cleanup.h"

/* (uid_t)-1 is no id. */
#define ID_END 4294967295u

/* "inside outside count" for each stretch: `disk` to `run`, all others to
 * themselves; `run` itself stays unmapped inside.  See user_namespaces(7). */
static int format_map(char *text, size_t size, uint32_t disk, uint32_t run)
{
	uint32_t low = disk < run ? disk : run;
	uint32_t high = disk < run ? run : disk;
	const struct {
		uint32_t inside, outside, count;
	} stretches[] = {
		{ 0, 0, low },
		{ disk, run, 1 },
		{ low + 1, low + 1, high > low ? high - low - 1 : 0 },
		{ high + 1, high + 1, ID_END - high - 1 },
	};
	size_t length = 0;

	for (size_t i = 0; i < sizeof(stretches) / sizeof(stretches[0]); i++) {
		if (stretches[i].count == 0)
			continue;
		length += (size_t)snprintf(text + length, size - length, "%u %u %u\n",
					   stretches[i].inside, stretches[i].outside,
					   stretches[i].count);
	}
	return (int)length;
}

static int write_map(pid_t pid, const char *name, uint32_t disk, uint32_t run)
{
	char path[64], text[160];
	auto_fd int fd = -1;
	int length;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	length = format_map(text, sizeof(text), disk, run);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, (size_t)length) != length)
		return -errno;
	return 0;
}

/* A user namespace that nobody is in: only its map is used. */
static int open_namespace(uid_t disk_uid, gid_t disk_gid, uid_t run_id, int *ret_fd)
{
	auto_fd int fd = -1;
	int dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
	pid_t parent = getpid(), pid;
	char path[64];
	int r;

	/* The namespace of a process that is not dumpable is for CAP_SYS_PTRACE only
	 * (proc(5)), which root of a unit lacks.  The child inherits it. */
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	(void)prctl(PR_SET_DUMPABLE, pid == 0 ? 1 : dumpable, 0, 0, 0);
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		/* Never outlives a parent that is killed just now. */
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	r = write_map(pid, "uid_map", disk_uid, run_id);
	if (r == 0)
		r = write_map(pid, "gid_map", disk_gid, run_id);
	if (r == 0) {
		snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		r = fd < 0 ? -errno : 0;
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	if (r == 0)
		*ret_fd = take_fd(&fd);
	return r;
}

int idmap_names(struct idmap_names *names, uid_t disk_uid, gid_t disk_gid, uid_t run_id)
{
	int r;

	if (names->fd >= 0 && names->disk_uid == disk_uid &&
	    names->disk_gid == disk_gid && names->run_id == run_id)
		return 0;
	close_fd(&names->fd);
	r = open_namespace(disk_uid, disk_gid, run_id, &names->fd);
	names->disk_uid = disk_uid;
	names->disk_gid = disk_gid;
	names->run_id = run_id;
	return r;
}

int idmap_tree(int fd, const struct idmap_names *names, int *ret_tree)
{
	auto_fd int tree = -1;

	tree = open_tree(fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH |
					 AT_RECURSIVE);
	if (tree < 0)
		return -errno;
	if (names) {
		struct mount_attr attributes = {
			.attr_set = MOUNT_ATTR_IDMAP,
			.userns_fd = (uint64_t)names->fd,
		};

		if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
				  sizeof(attributes)) < 0)
			return -errno;
	}
	*ret_tree = take_fd(&tree);
	return 0;
}
