/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "init/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "os/cleanup.h"

int terminal_open(int *ret_master, int *ret_slave)
{
	auto_fd int master = -1, slave = -1;
	unsigned int number;
	int unlocked = 0;
	char path[32];

	/* Not posix_openpt(3) and grantpt(3): the latter asks for the group
	 * `tty`, which the run's synthetic /etc/group does not have. */
	master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0)
		return -errno;
	if (ioctl(master, TIOCSPTLCK, &unlocked) < 0 || ioctl(master, TIOCGPTN, &number) < 0)
		return -errno;
	snprintf(path, sizeof(path), "/dev/pts/%u", number);
	slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return -errno;
	*ret_master = take_fd(&master);
	*ret_slave = take_fd(&slave);
	return 0;
}
