/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "init/setid-check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/cleanup.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

#define FILE_PATH "/tmp/.anet-init"
#define MADE_PATH "/tmp/.anet-init-made"

/* Raw calls: the C library maps several of these to one. */
static const struct attempt {
	const char *name;
	long number;
	/* Where the path and the mode stand among the arguments. */
	enum { PATH_MODE, FD_MODE, AT_PATH_MODE, PATH_FLAGS_MODE, AT_PATH_FLAGS_MODE } form;
	int flags;
} attempts[] = {
#ifdef SYS_chmod
	{ "chmod", SYS_chmod, PATH_MODE, 0 },
	{ "creat", SYS_creat, PATH_MODE, 1 },
	{ "mkdir", SYS_mkdir, PATH_MODE, 1 },
	{ "mknod", SYS_mknod, PATH_MODE, S_IFREG },
	{ "open", SYS_open, PATH_FLAGS_MODE, O_CREAT | O_WRONLY },
#endif
	{ "fchmod", SYS_fchmod, FD_MODE, 0 },
	{ "fchmodat", SYS_fchmodat, AT_PATH_MODE, 0 },
	{ "fchmodat2", SYS_fchmodat2, AT_PATH_MODE, 0 },
	{ "mkdirat", SYS_mkdirat, AT_PATH_MODE, 1 },
	{ "mknodat", SYS_mknodat, AT_PATH_MODE, S_IFREG },
	{ "openat", SYS_openat, AT_PATH_FLAGS_MODE, O_CREAT | O_WRONLY },
	{ "openat with O_TMPFILE", SYS_openat, AT_PATH_FLAGS_MODE, O_TMPFILE | O_WRONLY },
};

static long try(const struct attempt *attempt, int fd, unsigned int bit)
{
	unsigned int mode = bit | 0700;
	/* `flags` of the first forms: nonzero when the call makes a new file. */
	const char *path = attempt->flags ? MADE_PATH : FILE_PATH;

	if (attempt->flags == S_IFREG)
		mode |= S_IFREG;
	switch (attempt->form) {
	case PATH_MODE:
		return syscall(attempt->number, path, mode, 0);
	case FD_MODE:
		return syscall(attempt->number, fd, mode);
	case AT_PATH_MODE:
		return syscall(attempt->number, AT_FDCWD, path, mode, 0);
	case PATH_FLAGS_MODE:
		return syscall(attempt->number, path, attempt->flags, mode);
	case AT_PATH_FLAGS_MODE:
		if ((attempt->flags & O_TMPFILE) == O_TMPFILE)
			path = "/tmp";
		return syscall(attempt->number, AT_FDCWD, path, attempt->flags, mode);
	}
	return -1;
}

static bool opens(const struct attempt *attempt)
{
	return attempt->form == PATH_FLAGS_MODE || attempt->form == AT_PATH_FLAGS_MODE ||
	       attempt->name[0] == 'c'; /* creat and chmod: the latter gives 0 */
}

enum reason setid_check(char *ret_detail, size_t size)
{
	enum reason reason = REASON_OK;
	auto_fd int fd = -1;

	fd = open(FILE_PATH, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0700);
	if (fd < 0) {
		snprintf(ret_detail, size, "/tmp of the run cannot be written");
		return REASON_SETID_UNPROTECTED;
	}
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]) && !reason; i++) {
		for (unsigned int bit = S_ISUID; bit >= S_ISGID; bit >>= 1) {
			long got = try(&attempts[i], fd, bit);

			if (got < 0)
				continue;
			if (got > 2 && opens(&attempts[i]))
				close((int)got);
			(void)unlink(MADE_PATH);
			(void)rmdir(MADE_PATH);
			snprintf(ret_detail, size, "%s can set %s", attempts[i].name,
				 bit == S_ISUID ? "S_ISUID" : "S_ISGID");
			reason = REASON_SETID_UNPROTECTED;
			break;
		}
	}
	(void)unlink(FILE_PATH);
	return reason;
}
