/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "attack.h"

/* A child that waits to be attacked. */
static pid_t victim(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	return pid;
}

static enum outcome end_victim(pid_t pid, enum outcome outcome)
{
	kill(pid, SIGKILL);
	wait_child(pid);
	return outcome;
}

static enum outcome attack_ptrace_child(char **arguments)
{
	pid_t pid = victim();

	(void)arguments;
	return end_victim(pid, ptrace(PTRACE_SEIZE, pid, 0, 0) < 0 ? refused("ptrace") : achieved());
}

static enum outcome attack_ptrace_me(char **arguments)
{
	(void)arguments;
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
		return refused("ptrace");
	return achieved();
}

static enum outcome attack_ptrace(char **arguments)
{
	if (ptrace(PTRACE_SEIZE, number(arguments[0]), 0, 0) < 0)
		return refused("ptrace");
	return achieved();
}

static enum outcome attack_vm_read(char **arguments)
{
	static char here[16] = "0123456789abcde", copy[16];
	struct iovec local = { copy, sizeof(copy) }, remote = { here, sizeof(here) };
	pid_t pid = victim();

	(void)arguments;
	return end_victim(pid, process_vm_readv(pid, &local, 1, &remote, 1, 0) < 0 ? refused("process_vm_readv") :
										     achieved());
}

static enum outcome attack_vm_write(char **arguments)
{
	static char here[16] = "0123456789abcde";
	struct iovec both = { here, sizeof(here) };
	pid_t pid = victim();

	(void)arguments;
	return end_victim(pid, process_vm_writev(pid, &both, 1, &both, 1, 0) < 0 ? refused("process_vm_writev") :
										   achieved());
}

/* Takes a descriptor out of another process. */
static enum outcome attack_pidfd_getfd(char **arguments)
{
	long pidfd = syscall(SYS_pidfd_open, number(arguments[0]), 0);

	if (pidfd < 0)
		return refused("pidfd_open");
	if (syscall(SYS_pidfd_getfd, pidfd, 0, 0) < 0)
		return refused("pidfd_getfd");
	return achieved();
}

static enum outcome attack_kill(char **arguments)
{
	pid_t pid = number(arguments[0]);

	if (kill(pid, SIGKILL) < 0)
		return refused("kill");
	usleep(300000);
	errno = 0;
	if (kill(pid, 0) == 0)
		return refused("it lives on");
	return achieved();
}

/* Outlives its session: forks twice, a session of its own, deaf to signals,
 * and does not mind the death of its parent; writes a beat to the file. */
static enum outcome attack_outlive(char **arguments)
{
	int i, out;

	if (fork())
		return achieved();
	setsid();
	if (fork())
		_exit(0);
	for (i = 1; i < 65; i++)
		signal(i, SIG_IGN);
	out = open(arguments[0], O_WRONLY | O_CREAT | O_APPEND, 0644);
	close(0);
	close(1);
	close(2);
	for (i = 0; i < 3000; i++) {
		if (write(out, ".", 1) != 1)
			_exit(1);
		usleep(20000);
	}
	_exit(0);
}

/* euid of a program with the setuid bit (this file's copy, owned by root). */
static enum outcome attack_euid(char **arguments)
{
	(void)arguments;
	errno = 0;
	if (geteuid() == getuid() && getegid() == getgid())
		return refused("the bits have no effect");
	return achieved();
}

const struct attack process_attacks[] = {
	{ "ptrace-child", attack_ptrace_child },
	{ "ptrace-me", attack_ptrace_me },
	{ "ptrace", attack_ptrace },
	{ "vm-read", attack_vm_read },
	{ "vm-write", attack_vm_write },
	{ "pidfd_getfd", attack_pidfd_getfd },
	{ "kill", attack_kill },
	{ "outlive", attack_outlive },
	{ "euid", attack_euid },
	{ 0 },
};
