/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "watch/calls.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/dns-question.h"
#include "core/seen-record.h"
#include "watch/place.h"

/* No smaller one is known to Linux: what is read up to a multiple of it is mapped as a
 * whole or not at all. */
#define PAGE_BYTES 4096u

/* Where a call has its path, and the directory that it is relative to; no second
 * argument: the current one. */
static const struct path_call {
	int number, path, directory;
} path_calls[] = {
#ifdef SYS_open
	{SYS_open, 0, -1},     {SYS_stat, 0, -1},      {SYS_lstat, 0, -1},
	{SYS_access, 0, -1},   {SYS_readlink, 0, -1},  {SYS_mkdir, 0, -1},
	{SYS_creat, 0, -1},
#endif
	{SYS_openat, 1, 0},    {SYS_newfstatat, 1, 0}, {SYS_statx, 1, 0},
	{SYS_faccessat, 1, 0}, {SYS_faccessat2, 1, 0}, {SYS_readlinkat, 1, 0},
	{SYS_mkdirat, 1, 0},   {SYS_execveat, 1, 0},   {SYS_execve, 0, -1},
	{SYS_chdir, 0, -1},
};

/* Up to `size` bytes from a process, less where its memory ends.  -1: none. */
static ssize_t read_memory(pid_t pid, uint64_t address, void *ret_bytes, size_t size)
{
	/* Apart at the pages, since a part is read as a whole or not
	 * (process_vm_readv(2)). */
	size_t first = PAGE_BYTES - (size_t)(address % PAGE_BYTES);
	struct iovec here = {.iov_base = ret_bytes, .iov_len = size};
	struct iovec there[2] = {
		{.iov_base = (void *)(uintptr_t)address, .iov_len = size},
	};

	if (size > first) {
		there[0].iov_len = first;
		there[1].iov_base = (void *)(uintptr_t)(address + first);
		there[1].iov_len = size - first;
	}
	return process_vm_readv(pid, &here, 1, there, size > first ? 2 : 1, 0);
}

/* Where the path begins: the directory behind a descriptor, or the current one.  The
 * kernel shows it as the run sees it: no other root of a mount namespace is above. */
static bool read_directory(pid_t pid, int directory, char ret_path[LIMIT_SEEN_TEXT + 1])
{
	char link[64];
	ssize_t length;

	if (directory == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, directory);
	length = readlink(link, ret_path, LIMIT_SEEN_TEXT);
	if (length <= 0)
		return false;
	ret_path[length] = 0;
	return ret_path[0] == '/';
}

static int read_path(const struct seccomp_notif *call, const struct path_call *shape,
		     struct asked *ret)
{
	char path[LIMIT_SEEN_TEXT + 2], base[LIMIT_SEEN_TEXT + 1] = "";
	pid_t pid = (pid_t)call->pid;
	ssize_t got =
		read_memory(pid, call->data.args[shape->path], path, sizeof(path));

	if (got <= 0)
		return call->data.args[shape->path] ? -1 : 0;
	/* Empty: a descriptor's own.  Longer than is kept: nobody would read it. */
	if (path[0] == 0 || !memchr(path, 0, (size_t)got))
		return 0;
	/* In the directory that it stands in a run sees all that there is. */
	if (path[0] != '/' &&
	    (!place_leaves(path) ||
	     !read_directory(pid,
			     shape->directory < 0
				     ? AT_FDCWD
				     : (int)call->data.args[shape->directory],
			     base)))
		return 0;
	ret->kind = SEEN_PATH;
	ret->port = 0;
	return place_clean(base, path, ret->text) ? 1 : 0;
}

static int read_connect(const struct seccomp_notif *call, struct asked *ret)
{
	struct sockaddr_storage address = {0};
	uint64_t size = call->data.args[2] & 0xffffffff;
	ssize_t got;
	int family;

	if (size > sizeof(address))
		return 0; /* the kernel refuses it */
	got = read_memory((pid_t)call->pid, call->data.args[1], &address, (size_t)size);
	if (got <= 0)
		return -1;
	family = place_of_address(&address, (size_t)got, ret->text, &ret->port);
	if (family == AF_UNSPEC)
		return 0;
	ret->kind = family == AF_UNIX ? SEEN_PATH : SEEN_ADDRESS;
	return 1;
}

static int read_datagram(pid_t pid, uint64_t address, uint64_t size, struct asked *ret)
{
	uint8_t bytes[DNS_QUESTION_MAX];
	char name[LIMIT_HOST_NAME + 1];
	ssize_t got;

	if (size < DNS_QUESTION_MIN || size > DNS_QUESTION_MAX)
		return 0;
	got = read_memory(pid, address, bytes, (size_t)size);
	if (got <= 0)
		return -1;
	if (!dns_question(bytes, (size_t)got, name))
		return 0;
	ret->kind = SEEN_NAME;
	ret->port = 0;
	snprintf(ret->text, sizeof(ret->text), "%s", name);
	return 1;
}

/* The first part of each message; a resolver's have one. */
static int read_messages(const struct seccomp_notif *call,
			 struct asked ret_asked[MAX_ASKED])
{
	uint64_t count = call->data.args[2] & 0xffffffff;
	pid_t pid = (pid_t)call->pid;
	int n = 0;

	for (uint64_t i = 0; i < count && i < MAX_ASKED; i++) {
		struct mmsghdr message;
		struct iovec part;
		int r;

		if (read_memory(pid, call->data.args[1] + i * sizeof(message), &message,
				sizeof(message)) != (ssize_t)sizeof(message))
			return -1;
		if (message.msg_hdr.msg_iovlen == 0)
			continue;
		if (read_memory(pid, (uintptr_t)message.msg_hdr.msg_iov, &part,
				sizeof(part)) != (ssize_t)sizeof(part))
			return -1;
		r = read_datagram(pid, (uintptr_t)part.iov_base, part.iov_len,
				  &ret_asked[n]);
		if (r < 0)
			return r;
		n += r;
	}
	return n;
}

int calls_read(const struct seccomp_notif *call, struct asked ret_asked[MAX_ASKED])
{
	switch (call->data.nr) {
	case SYS_connect:
		return read_connect(call, &ret_asked[0]);
	case SYS_sendto:
		return read_datagram((pid_t)call->pid, call->data.args[1],
				     call->data.args[2], &ret_asked[0]);
	case SYS_sendmmsg:
		return read_messages(call, ret_asked);
	default:
		break;
	}
	for (size_t i = 0; i < sizeof(path_calls) / sizeof(path_calls[0]); i++)
		if (path_calls[i].number == call->data.nr)
			return read_path(call, &path_calls[i], &ret_asked[0]);
	return 0;
}
