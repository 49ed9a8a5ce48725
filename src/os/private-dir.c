/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/private-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"

int private_dir_open(const char *path)
{
	struct stat status;
	auto_fd int fd = -1;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)))
		return -EPERM;
	return take_fd(&fd);
}
