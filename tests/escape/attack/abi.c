/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "attack.h"

/* The other system call tables of an x86-64 kernel: a filter written for one
 * means something else in the other. */

static enum outcome attack_i386(char **arguments)
{
	(void)arguments;
#ifdef __x86_64__
	long result = 20; /* getpid there */
	int pid = fork();

	if (pid == 0) {
		__asm__ volatile("int $0x80" : "+a"(result) : : "memory", "cc", "r8", "r9", "r10", "r11");
		_exit(result == getpid() ? 0 : 1);
	}
	switch (wait_child(pid)) {
	case 0:
		return achieved();
	case 128 + SIGSYS:
		errno = 0;
		return refused("killed by SIGSYS");
	case 128 + SIGSEGV:
		return not_here("this kernel has no i386 calls");
	}
	errno = 0;
	return refused("another answer");
#else
	return not_here("this machine has no i386 calls");
#endif
}

static enum outcome attack_x32(char **arguments)
{
	(void)arguments;
#ifdef __x86_64__
	int pid = fork();

	if (pid == 0)
		_exit(syscall(0x40000000 | SYS_getpid) == getpid() ? 0 : 1);
	switch (wait_child(pid)) {
	case 0:
		return achieved();
	case 128 + SIGSYS:
		errno = 0;
		return refused("killed by SIGSYS");
	}
	return not_here("this kernel has no x32 calls");
#else
	return not_here("this machine has no x32 calls");
#endif
}

const struct attack abi_attacks[] = {
	{ "i386", attack_i386 },
	{ "x32", attack_x32 },
	{ 0 },
};
