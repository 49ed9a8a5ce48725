/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/uid-processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/clock.h"

#define STEP_MS 10

/* Without any capability the kernel itself chooses whom this reaches, the caller
 * excepted, and all at once: it holds the table of processes meanwhile, and a fork
 * that is under way fails for the pending signal (kill(2); kernel/fork.c,
 * copy_process()).  It goes by the effective and the real uid of the caller, who is
 * reached by others by his real and his saved one: so none of the supervisor's, which
 * are not in a PID namespace of their own, can stop or end the one that ends them. */
static void kill_pair(const struct uid_pair *pair)
{
	struct __user_cap_header_struct header = {.version =
							  _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	/* The capabilities by name: where securebits keep them over the change of
	 * ids, CAP_KILL would make this everybody's end (capabilities(7)). */
	if (setgroups(0, NULL) < 0 ||
	    setresgid(pair->run, pair->supervisor, pair->run) < 0 ||
	    setresuid(pair->run, pair->supervisor, 0) < 0 ||
	    syscall(SYS_capset, &header, none) < 0)
		_exit(1);
	(void)kill(-1, SIGKILL); /* ESRCH: there is none */
	_exit(0);
}

static int kill_all(const struct uid_pair *pair)
{
	pid_t child;
	int status;

	if (pair->supervisor == 0 || pair->run == 0)
		return -EINVAL;
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0)
		kill_pair(pair);
	/* One of the run's outside of its namespace may have stopped it. */
	while (waitpid(child, &status, WUNTRACED) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFSTOPPED(status)) {
		(void)kill(child, SIGKILL);
		(void)waitpid(child, &status, 0);
		return 0; /* and so it is tried again */
	}
	return WIFEXITED(status) && WEXITSTATUS(status) != 0 ? -EPERM : 0;
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
	uint64_t end = monotonic_ms() + milliseconds;

	for (;;) {
		int r = kill_all(pair);

		if (r == 0)
			r = find_any(pair);
		if (r <= 0)
			return r;
		if (monotonic_ms() >= end)
			return -EBUSY;
		nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
	}
}
