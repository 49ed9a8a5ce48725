/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "attack.h"

/* <sys/mount.h> and <linux/mount.h> cannot be included together with glibc 2.36. */
int mount(const char *, const char *, const char *, unsigned long, const void *);
int umount2(const char *, int);

static enum outcome attack_mount(char **arguments)
{
	(void)arguments;
	mkdir("mount-point", 0700);
	if (mount("attack", "mount-point", "tmpfs", 0, NULL) < 0)
		return refused("mount");
	return achieved();
}

static enum outcome attack_bind(char **arguments)
{
	(void)arguments;
	mkdir("mount-point", 0700);
	if (mount("/", "mount-point", NULL, MS_BIND | MS_REC, NULL) < 0)
		return refused("mount");
	return achieved();
}

static enum outcome attack_umount(char **arguments)
{
	if (umount2(arguments[0], 2 /* MNT_DETACH */) < 0)
		return refused("umount2");
	return achieved();
}

static enum outcome attack_pivot_root(char **arguments)
{
	(void)arguments;
	return reached(syscall(SYS_pivot_root, "/nonexistent", "/nonexistent"), "pivot_root");
}

static enum outcome attack_chroot(char **arguments)
{
	(void)arguments;
	if (chroot(".") < 0)
		return refused("chroot");
	return achieved();
}

static enum outcome attack_open_tree(char **arguments)
{
	(void)arguments;
	if (syscall(SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE | AT_RECURSIVE) < 0)
		return refused("open_tree");
	return achieved();
}

static enum outcome attack_fsopen(char **arguments)
{
	(void)arguments;
	if (syscall(SYS_fsopen, "tmpfs", 0) < 0)
		return refused("fsopen");
	return achieved();
}

static enum outcome attack_fspick(char **arguments)
{
	(void)arguments;
	return reached(syscall(SYS_fspick, AT_FDCWD, "/", 0), "fspick");
}

static enum outcome attack_fsmount(char **arguments)
{
	(void)arguments;
	return reached(syscall(SYS_fsmount, -1, 0, 0), "fsmount");
}

static enum outcome attack_move_mount(char **arguments)
{
	(void)arguments;
	return reached(syscall(SYS_move_mount, -1, "", -1, "", MOVE_MOUNT_F_EMPTY_PATH), "move_mount");
}

static enum outcome attack_mount_setattr(char **arguments)
{
	struct mount_attr attributes = { .attr_set = MOUNT_ATTR_NODEV };

	(void)arguments;
	if (syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attributes, sizeof(attributes)) < 0)
		return refused("mount_setattr");
	return achieved();
}

const struct attack mount_attacks[] = {
	{ "mount", attack_mount },
	{ "bind", attack_bind },
	{ "umount", attack_umount },
	{ "pivot_root", attack_pivot_root },
	{ "chroot", attack_chroot },
	{ "open_tree", attack_open_tree },
	{ "fsopen", attack_fsopen },
	{ "fspick", attack_fspick },
	{ "fsmount", attack_fsmount },
	{ "move_mount", attack_move_mount },
	{ "mount_setattr", attack_mount_setattr },
	{ 0 },
};
