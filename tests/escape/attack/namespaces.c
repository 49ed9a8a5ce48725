/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "attack.h"

static enum outcome attack_unshare(char **arguments)
{
	if (unshare(number(arguments[0])) < 0)
		return refused("unshare");
	return achieved();
}

/* clone(2) with the flags in a register, as a filter can see them. */
static enum outcome attack_clone(char **arguments)
{
	long pid = syscall(SYS_clone, number(arguments[0]) | SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		return refused("clone");
	if (pid == 0)
		_exit(0);
	wait_child(pid);
	return achieved();
}

/* clone3(2): the flags lie in memory, where no filter can see them. */
static enum outcome attack_clone3(char **arguments)
{
	struct clone_args how = { .flags = number(arguments[0]), .exit_signal = SIGCHLD };
	long pid = syscall(SYS_clone3, &how, sizeof(how));

	if (pid < 0)
		return refused("clone3");
	if (pid == 0)
		_exit(0);
	wait_child(pid);
	return achieved();
}

static enum outcome attack_setns(char **arguments)
{
	int fd = open(arguments[0], O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return refused("open");
	if (setns(fd, 0) < 0)
		return refused("setns");
	return achieved();
}

const struct attack namespace_attacks[] = {
	{ "unshare", attack_unshare },
	{ "clone", attack_clone },
	{ "clone3", attack_clone3 },
	{ "setns", attack_setns },
	{ 0 },
};
