/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/uid-processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/cleanup.h"

#define STEP_MS 10

/* With the uid and without any capability the kernel itself chooses whom this
 * reaches, the caller excepted, and all at once: it holds the table of processes
 * meanwhile, and a fork that is under way fails for the pending signal
 * (kill(2); kernel/fork.c, copy_process()). */
static int kill_all(uint32_t uid)
{
	int status;
	pid_t child;

	if (uid == 0)
		return -EINVAL;
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0) {
		if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
		    setresuid(uid, uid, uid) < 0)
			_exit(1);
		/* ESRCH: there is none. */
		(void)kill(-1, SIGKILL);
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EPERM;
}

/* The text after "NAME:" at the start of a line of /proc/PID/status. */
static const char *field(const char *text, const char *name)
{
	const char *place = strstr(text, name);

	return place ? place + strlen(name) : "";
}

/* proc_pid_status(5).  A zombie whose threads have all ended has given back all
 * that it had. */
static bool is_of_pair(int proc, const char *pid, const struct uid_pair *pair)
{
	char path[32], text[4096];
	auto_fd int fd = -1;
	const char *uids;
	ssize_t length;

	snprintf(path, sizeof(path), "%.16s/status", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (length <= 0)
		return false; /* it has ended meanwhile */
	text[length] = 0;
	if (*field(text, "\nState:\t") == 'Z' &&
	    strtoul(field(text, "\nThreads:\t"), NULL, 10) <= 1)
		return false;
	uids = field(text, "\nUid:\t");
	for (int i = 0; i < 4; i++) {
		char *end;
		unsigned long uid = strtoul(uids, &end, 10);

		if (end != uids && (uid == pair->supervisor || uid == pair->run))
			return true;
		uids = end;
	}
	return false;
}

/* 1 if a process has one of the uids, else 0, or -errno. */
static int find_any(const struct uid_pair *pair)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	int found = 0;

	if (!proc)
		return -errno;
	while (!found && (entry = readdir(proc)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			found = is_of_pair(dirfd(proc), entry->d_name, pair);
	closedir(proc);
	return found;
}

int uid_end_processes(const struct uid_pair *pair, unsigned int milliseconds)
{
	for (unsigned int waited = 0;; waited += STEP_MS) {
		int r = kill_all(pair->supervisor);

		if (r == 0)
			r = kill_all(pair->run);
		if (r == 0)
			r = find_any(pair);
		if (r <= 0)
			return r;
		if (waited >= milliseconds)
			return -EBUSY;
		nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
	}
}
