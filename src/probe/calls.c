/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the filter of the run refuses.  Where a call would fail without it as
 * well, its arguments are chosen so that the errno tells who refused: a bad
 * pointer or descriptor, which the kernel looks at only after the filter.
 */
#include "probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/cleanup.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

/* A pointer that no process has. */
#define BAD_POINTER ((const char *)1)

static bool want_errno(long result, int want, const char *what,
		       char detail[PROBE_DETAIL])
{
	if (result < 0 && errno == want)
		return true;
	return probe_failed(detail, "%s: %s instead of %s", what,
			    result < 0 ? strerror(errno) : "success", strerror(want));
}

#define REFUSED(call, ...)                                                             \
	want_errno(syscall(SYS_##call, __VA_ARGS__), EPERM, #call, detail)

bool probe_keyring(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	(void)host;
	/* The process keyring ends with this process. */
	return REFUSED(keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0) &&
	       REFUSED(add_key, "user", "anet-probe", "x", 1,
		       KEY_SPEC_PROCESS_KEYRING) &&
	       REFUSED(request_key, "user", "anet-probe", NULL, 0);
}

bool probe_userns(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	struct clone_args modern = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	long child;

	(void)host;
	child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		_exit(0);
	if (!want_errno(child, EPERM, "clone", detail))
		return false;
	child = syscall(SYS_clone3, &modern, sizeof(modern));
	if (child == 0)
		_exit(0);
	return want_errno(child, ENOSYS, "clone3", detail) && REFUSED(setns, -1, 0) &&
	       REFUSED(unshare, CLONE_NEWUSER);
}

bool probe_io_uring(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	struct io_uring_params parameters = { 0 };

	(void)host;
	return REFUSED(io_uring_setup, 1, &parameters) &&
	       REFUSED(io_uring_enter, -1, 0, 0, 0) &&
	       REFUSED(io_uring_register, -1, 0, NULL, 0);
}

bool probe_ptrace(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	char from = 'x', to = 0;
	struct iovec local = { &to, 1 }, remote = { &from, 1 };

	(void)host;
	return REFUSED(process_vm_readv, getpid(), &local, 1, &remote, 1, 0) &&
	       REFUSED(process_vm_writev, getpid(), &local, 1, &remote, 1, 0) &&
	       REFUSED(ptrace, PTRACE_TRACEME, 0, 0, 0);
}

bool probe_mount(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	(void)host;
	return REFUSED(mount, BAD_POINTER, BAD_POINTER, BAD_POINTER, 0, 0) &&
	       REFUSED(umount2, BAD_POINTER, 0) && REFUSED(chroot, BAD_POINTER) &&
	       REFUSED(pivot_root, BAD_POINTER, BAD_POINTER) &&
	       REFUSED(move_mount, -1, BAD_POINTER, -1, BAD_POINTER, 0) &&
	       REFUSED(open_tree, -1, BAD_POINTER, 0) &&
	       REFUSED(fsopen, BAD_POINTER, 0);
}

/* No file is made even if the filter fails: no path is valid. */
bool probe_setid(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	static const mode_t modes[] = { S_ISUID | 0755, S_ISGID | 0755 };
	struct open_how how = { .flags = O_CREAT | O_WRONLY, .mode = S_ISUID | 0755 };

	(void)host;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		mode_t mode = modes[i];

		if (!REFUSED(fchmod, -1, mode) || !REFUSED(fchmodat, -1, "", mode) ||
		    !REFUSED(fchmodat2, -1, "", mode, 0) ||
		    !REFUSED(mkdirat, -1, "", mode) ||
		    !REFUSED(mknodat, -1, "", S_IFREG | mode, 0) ||
		    !REFUSED(openat, -1, "", O_CREAT | O_WRONLY, mode) ||
		    !REFUSED(openat, -1, "", O_TMPFILE | O_WRONLY, mode))
			return false;
#ifdef SYS_chmod /* the forms without "at", where an architecture has them */
		if (!REFUSED(chmod, "", mode) || !REFUSED(creat, "", mode) ||
		    !REFUSED(open, "", O_CREAT | O_WRONLY, mode) ||
		    !REFUSED(open, "", O_TMPFILE | O_WRONLY, mode) ||
		    !REFUSED(mkdir, "", mode) || !REFUSED(mknod, "", S_IFREG | mode, 0))
			return false;
#endif
	}
	return want_errno(syscall(SYS_openat2, -1, "", &how, sizeof(how)), ENOSYS,
			  "openat2", detail);
}

bool probe_tiocsti(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	static const unsigned long requests[] = { TIOCSTI, TIOCLINUX, TIOCSETD };

	(void)host;
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (!REFUSED(ioctl, -1, requests[i], "x"))
			return false;
		/* The kernel takes the low half; a filter must not take the whole. */
		if (!REFUSED(ioctl, -1, requests[i] | 1ul << 32, "x"))
			return false;
	}
	return true;
}
