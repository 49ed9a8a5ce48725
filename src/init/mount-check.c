/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "init/mount-check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "os/cleanup.h"

enum reason mount_check(const struct init_check *checks, size_t n_checks, const char *text,
			char *ret_detail, size_t size)
{
	for (size_t i = 0; i < n_checks; i++) {
		const char *target = text + checks[i].target;
		struct statvfs filesystem;
		struct stat status;
		auto_fd int fd = -1;

		fd = open(target, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &status) < 0 || fstatvfs(fd, &filesystem) < 0) {
			snprintf(ret_detail, size, "%.200s cannot be looked at: %s", target,
				 strerror(errno));
			return REASON_MOUNT_CHANGED;
		}
		if (status.st_dev != checks[i].dev || status.st_ino != checks[i].ino) {
			snprintf(ret_detail, size,
				 "%.160s is not the file or directory that was checked", target);
			return REASON_MOUNT_CHANGED;
		}
		if (checks[i].read_only && !(filesystem.f_flag & ST_RDONLY)) {
			snprintf(ret_detail, size, "%.200s is not read-only", target);
			return REASON_MOUNT_CHANGED;
		}
	}
	return REASON_OK;
}
