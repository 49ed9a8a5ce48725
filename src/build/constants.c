/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "build/constants.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <time.h>

#define C(name)                                                                        \
	{                                                                              \
#name, (uint64_t)(name)                                                \
	}

static const struct {
	const char *name;
	uint64_t value;
} constants[] = {
	C(AF_UNIX),
	C(AT_EMPTY_PATH),
	C(AF_INET),
	C(AF_INET6),
	C(AF_NETLINK),
	C(AF_VSOCK),
	C(SOCK_STREAM),
	C(SOCK_DGRAM),
	C(SOCK_RAW),
	C(SOCK_SEQPACKET),
	C(SOCK_CLOEXEC),
	C(SOCK_NONBLOCK),
	C(NETLINK_ROUTE),
	C(IPPROTO_IP),
	C(IPPROTO_TCP),
	C(IPPROTO_UDP),
	C(SOL_SOCKET),
	C(SO_ERROR),
	C(SO_LINGER),
	C(SO_PEERCRED),
	C(TCP_INFO),
	C(TCP_CONGESTION),
	C(TCP_NODELAY),
	C(TCP_QUICKACK),
	C(TCP_USER_TIMEOUT),
	C(SECCOMP_IOCTL_NOTIF_RECV),
	C(SECCOMP_IOCTL_NOTIF_ID_VALID),
	C(SECCOMP_IOCTL_NOTIF_SEND),
	C(SHUT_RD),
	C(SHUT_WR),
	C(SHUT_RDWR),
	C(MSG_NOSIGNAL),
	C(MSG_DONTWAIT),
	C(MSG_PEEK),
	C(MSG_CMSG_CLOEXEC),

	C(CLONE_NEWNS),
	C(CLONE_NEWCGROUP),
	C(CLONE_NEWUTS),
	C(CLONE_NEWIPC),
	C(CLONE_NEWUSER),
	C(CLONE_NEWPID),
	C(CLONE_NEWNET),
	C(CLONE_NEWTIME),

	C(TIOCSTI),
	C(TIOCLINUX),
	C(TIOCSETD),
	C(TIOCGWINSZ),
	C(TCGETS),
	C(FIONREAD),
	C(FIONBIO),

	C(PROT_NONE),
	C(PROT_READ),
	C(PROT_WRITE),
	C(PROT_EXEC),
	C(MAP_SHARED),
	C(MAP_PRIVATE),
	C(MAP_ANONYMOUS),
	C(MADV_DONTNEED),
	C(MADV_FREE),

	C(S_ISUID),
	C(S_ISGID),
	C(O_RDONLY),
	C(O_WRONLY),
	C(O_RDWR),
	C(O_ACCMODE),
	C(O_CREAT),
	C(O_CLOEXEC),
	C(O_DIRECTORY),
	C(O_NOFOLLOW),
	C(O_NONBLOCK),
	C(O_NOATIME),
	C(O_PATH),
	/* The bit that O_TMPFILE adds to O_DIRECTORY. */
	{ "O_TMPFILE_BIT", O_TMPFILE & ~O_DIRECTORY },
/* musl passes it with every open(); glibc has 0 for it here. */
#ifdef __aarch64__
	{ "O_LARGEFILE_BIT", 0400000 },
#else
	{ "O_LARGEFILE_BIT", 0100000 },
#endif
	/* An int: compared with a mask of 32 bits. */
	{ "AT_FDCWD", (uint32_t)AT_FDCWD },
	C(AT_EMPTY_PATH),
	C(AT_SYMLINK_NOFOLLOW),
	C(AT_NO_AUTOMOUNT),

	C(F_GETFD),
	C(F_SETFD),
	C(F_GETFL),
	C(F_SETFL),
	C(F_DUPFD_CLOEXEC),
	C(F_ADD_SEALS),
	C(F_GET_SEALS),
	C(FD_CLOEXEC),
	C(MFD_CLOEXEC),
	C(MFD_ALLOW_SEALING),
	C(SEEK_SET),
	C(CLOCK_REALTIME),
	C(CLOCK_REALTIME_COARSE),
	C(CLOCK_MONOTONIC),
	C(CLOCK_BOOTTIME),
	C(CLOCK_PROCESS_CPUTIME_ID),
	C(PR_SET_NAME),
	C(PRIO_USER),
	C(IOPRIO_WHO_USER),
	C(RLIMIT_CORE),
};

static bool constant_value(const char *name, uint64_t *ret_value)
{
	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
		if (strcmp(constants[i].name, name) != 0)
			continue;
		*ret_value = constants[i].value;
		return true;
	}
	return false;
}

bool constant_expression(char *text, uint64_t *ret_value, const char **ret_unknown)
{
	uint64_t value = 0;
	char *rest = text, *part;

	while ((part = strsep(&rest, "|"))) {
		uint64_t one = 0;
		char *end = NULL;
		bool known;

		if (*part >= '0' && *part <= '9') {
			errno = 0;
			one = strtoull(part, &end, 0);
			known = !errno && !*end;
		} else {
			known = constant_value(part, &one);
		}
		if (!known) {
			*ret_unknown = part;
			return false;
		}
		value |= one;
	}
	*ret_value = value;
	return true;
}

bool errno_value(const char *name, int *ret_value)
{
	static const struct {
		const char *name;
		int value;
	} errors[] = {
		{ "0", 0 }, /* nothing is done, and the caller is told that it was */
		{ "EACCES", EACCES },
		{ "EAFNOSUPPORT", EAFNOSUPPORT },
		{ "EINVAL", EINVAL },
		{ "ENOSYS", ENOSYS },
		{ "ENOTSUP", ENOTSUP },
		{ "EPERM", EPERM },
		{ "EPROTONOSUPPORT", EPROTONOSUPPORT },
		{ "ESOCKTNOSUPPORT", ESOCKTNOSUPPORT },
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (strcmp(errors[i].name, name) != 0)
			continue;
		*ret_value = errors[i].value;
		return true;
	}
	return false;
}

bool syscall_number(const char *name, int *ret_number)
{
	/* arch/x86/entry/syscalls/syscall_64.tbl and
	 * include/uapi/asm-generic/unistd.h of Linux 6.18. */
	static const struct {
		const char *name;
		int number;
	} newer[] = {
		{ "memfd_secret", 447 },      { "process_mrelease", 448 },
		{ "futex_waitv", 449 },	      { "set_mempolicy_home_node", 450 },
		{ "cachestat", 451 },	      { "fchmodat2", 452 },
		{ "map_shadow_stack", 453 },  { "futex_wake", 454 },
		{ "futex_wait", 455 },	      { "futex_requeue", 456 },
		{ "statmount", 457 },	      { "listmount", 458 },
		{ "lsm_get_self_attr", 459 }, { "lsm_set_self_attr", 460 },
		{ "lsm_list_modules", 461 },  { "mseal", 462 },
		{ "setxattrat", 463 },	      { "getxattrat", 464 },
		{ "listxattrat", 465 },	      { "removexattrat", 466 },
		{ "open_tree_attr", 467 },    { "file_getattr", 468 },
		{ "file_setattr", 469 },
	};
	int number = seccomp_syscall_resolve_name(name);

	if (number != __NR_SCMP_ERROR) {
		*ret_number = number;
		return true;
	}
	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
		if (strcmp(newer[i].name, name) != 0)
			continue;
		*ret_number = newer[i].number;
		return true;
	}
	return false;
}
