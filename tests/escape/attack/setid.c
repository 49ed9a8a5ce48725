/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "attack.h"

#define FCHMODAT2 452 /* Linux 6.6 */
#define FILE_NAME "setid-file"

/* Whether the file ended up with the bits. */
static enum outcome check(const char *name, const char *call, long result)
{
	struct stat info;
	int error = errno;

	if (lstat(name, &info) == 0 && (info.st_mode & (S_ISUID | S_ISGID)))
		return achieved();
	errno = result < 0 ? error : 0;
	return refused(call);
}

static int plain_file(void)
{
	unlink(FILE_NAME);
	return open(FILE_NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0755);
}

/* Each takes the mode as its argument; high bits are passed on as they are,
 * because the kernel looks at the low ones only. */

static enum outcome attack_chmod(char **arguments)
{
	plain_file();
	return check(FILE_NAME, "chmod", syscall(SYS_chmod, FILE_NAME, number(arguments[0])));
}

static enum outcome attack_fchmod(char **arguments)
{
	return check(FILE_NAME, "fchmod", syscall(SYS_fchmod, plain_file(), number(arguments[0])));
}

static enum outcome attack_fchmodat(char **arguments)
{
	plain_file();
	return check(FILE_NAME, "fchmodat", syscall(SYS_fchmodat, AT_FDCWD, FILE_NAME, number(arguments[0])));
}

static enum outcome attack_fchmodat2(char **arguments)
{
	long result;

	plain_file();
	result = syscall(FCHMODAT2, AT_FDCWD, FILE_NAME, number(arguments[0]), 0);
	if (result < 0 && errno == ENOSYS)
		return not_here("this kernel has no fchmodat2, or hides it");
	return check(FILE_NAME, "fchmodat2", result);
}

static enum outcome attack_creat(char **arguments)
{
	unlink(FILE_NAME);
	return check(FILE_NAME, "creat", syscall(SYS_creat, FILE_NAME, number(arguments[0])));
}

static enum outcome attack_open(char **arguments)
{
	unlink(FILE_NAME);
	return check(FILE_NAME, "open", syscall(SYS_open, FILE_NAME, O_WRONLY | O_CREAT, number(arguments[0])));
}

static enum outcome attack_openat(char **arguments)
{
	unlink(FILE_NAME);
	return check(FILE_NAME, "openat",
		     syscall(SYS_openat, AT_FDCWD, FILE_NAME, O_WRONLY | O_CREAT, number(arguments[0])));
}

static enum outcome attack_tmpfile(char **arguments)
{
	char path[48];
	long fd = syscall(SYS_openat, AT_FDCWD, ".", O_WRONLY | O_TMPFILE, number(arguments[0]));

	unlink(FILE_NAME);
	if (fd < 0)
		return errno == EOPNOTSUPP ? not_here("the filesystem has no O_TMPFILE") : refused("openat");
	snprintf(path, sizeof(path), "/proc/self/fd/%ld", fd);
	return check(FILE_NAME, "linkat", linkat(AT_FDCWD, path, AT_FDCWD, FILE_NAME, AT_SYMLINK_FOLLOW));
}

static enum outcome attack_openat2(char **arguments)
{
	struct open_how how = { .flags = O_WRONLY | O_CREAT, .mode = number(arguments[0]) };

	unlink(FILE_NAME);
	return check(FILE_NAME, "openat2", syscall(SYS_openat2, AT_FDCWD, FILE_NAME, &how, sizeof(how)));
}

static enum outcome attack_mknod(char **arguments)
{
	unlink(FILE_NAME);
	return check(FILE_NAME, "mknod", syscall(SYS_mknod, FILE_NAME, S_IFREG | number(arguments[0]), 0));
}

static enum outcome attack_mknodat(char **arguments)
{
	unlink(FILE_NAME);
	return check(FILE_NAME, "mknodat",
		     syscall(SYS_mknodat, AT_FDCWD, FILE_NAME, S_IFREG | number(arguments[0]), 0));
}

static enum outcome attack_mkdir(char **arguments)
{
	rmdir("setid-directory");
	return check("setid-directory", "mkdir", syscall(SYS_mkdir, "setid-directory", number(arguments[0])));
}

/* A directory that hands its group on to what is made in it. */
static enum outcome attack_chmod_directory(char **arguments)
{
	rmdir("setid-directory");
	mkdir("setid-directory", 0755);
	return check("setid-directory", "chmod", syscall(SYS_chmod, "setid-directory", number(arguments[0])));
}

/* File capabilities are the other way to a program with more rights. */
static enum outcome attack_file_capability(char **arguments)
{
	struct vfs_cap_data capability = { .magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
					   .data = { { .permitted = 1 << CAP_SETUID } } };

	(void)arguments;
	plain_file();
	if (setxattr(FILE_NAME, "security.capability", &capability, sizeof(capability), 0) < 0)
		return refused("setxattr");
	return achieved();
}

static enum outcome attack_device(char **arguments)
{
	(void)arguments;
	unlink("device");
	if (mknod("device", S_IFCHR | 0666, 1 << 8 | 8 /* /dev/random */) < 0)
		return refused("mknod");
	unlink("device");
	return achieved();
}

const struct attack setid_attacks[] = {
	{ "setid-chmod", attack_chmod },
	{ "setid-fchmod", attack_fchmod },
	{ "setid-fchmodat", attack_fchmodat },
	{ "setid-fchmodat2", attack_fchmodat2 },
	{ "setid-creat", attack_creat },
	{ "setid-open", attack_open },
	{ "setid-openat", attack_openat },
	{ "setid-tmpfile", attack_tmpfile },
	{ "setid-openat2", attack_openat2 },
	{ "setid-mknod", attack_mknod },
	{ "setid-mknodat", attack_mknodat },
	{ "setid-mkdir", attack_mkdir },
	{ "setid-directory", attack_chmod_directory },
	{ "file-capability", attack_file_capability },
	{ "device", attack_device },
	{ 0 },
};
