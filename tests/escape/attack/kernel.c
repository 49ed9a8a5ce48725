/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/fanotify.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "attack.h"

/* Finds a key of the caller's session by its description and prints it. */
static enum outcome attack_keyctl(char **arguments)
{
	char payload[256];
	long id, length;

	id = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", arguments[0], 0);
	if (id < 0)
		return errno == ENOKEY ? not_here("there is no such key") : refused("keyctl search");
	length = syscall(SYS_keyctl, KEYCTL_READ, id, payload, sizeof(payload));
	if (length < 0)
		return refused("keyctl read");
	printf("%.*s\n", (int)length, payload);
	return achieved();
}

static enum outcome attack_add_key(char **arguments)
{
	(void)arguments;
	if (syscall(SYS_add_key, "user", "anet-attack", "x", 1, KEY_SPEC_PROCESS_KEYRING) < 0)
		return refused("add_key");
	return achieved();
}

static enum outcome attack_request_key(char **arguments)
{
	(void)arguments;
	return reached(syscall(SYS_request_key, "user", "anet-no-such-key", NULL, 0), "request_key");
}

static enum outcome attack_io_uring(char **arguments)
{
	struct io_uring_params parameters = { 0 };

	(void)arguments;
	if (syscall(SYS_io_uring_setup, 4, &parameters) < 0)
		return refused("io_uring_setup");
	return achieved();
}

static enum outcome attack_bpf(char **arguments)
{
	union bpf_attr how = { 0 };

	(void)arguments;
	how.map_type = BPF_MAP_TYPE_ARRAY;
	how.key_size = how.value_size = 4;
	how.max_entries = 1;
	if (syscall(SYS_bpf, BPF_MAP_CREATE, &how, sizeof(how)) < 0)
		return refused("bpf");
	return achieved();
}

static enum outcome attack_perf(char **arguments)
{
	struct perf_event_attr how = { .type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(how),
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .exclude_kernel = 1,
				       .exclude_hv = 1 };

	(void)arguments;
	if (syscall(SYS_perf_event_open, &how, 0, -1, -1, 0) < 0)
		return refused("perf_event_open");
	return achieved();
}

static enum outcome attack_userfaultfd(char **arguments)
{
	(void)arguments;
	if (syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY | O_CLOEXEC) < 0)
		return refused("userfaultfd");
	return achieved();
}

static enum outcome attack_fanotify(char **arguments)
{
	(void)arguments;
	if (syscall(SYS_fanotify_init, FAN_CLASS_NOTIF | FAN_REPORT_FID, O_RDONLY) < 0)
		return refused("fanotify_init");
	return achieved();
}

static enum outcome attack_file_handle(char **arguments)
{
	struct file_handle *handle = calloc(1, sizeof(*handle) + MAX_HANDLE_SZ);
	int mount_id, root;

	handle->handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(AT_FDCWD, arguments[0], handle, &mount_id, 0) < 0)
		return errno == EOPNOTSUPP ? not_here("the filesystem has no file handles") :
					     refused("name_to_handle_at");
	root = open(arguments[0], O_RDONLY | O_DIRECTORY);
	if (root < 0)
		return refused("open");
	if (open_by_handle_at(root, handle, O_RDONLY) < 0)
		return refused("open_by_handle_at");
	return achieved();
}

/* A call by its number with arguments that the kernel cannot accept. */
static enum outcome attack_reach(char **arguments)
{
	long result = syscall(number(arguments[0]), -1L, 0L, 0L, 0L, 0L, 0L);

	if (result == -1 && errno == ENOSYS)
		return not_here("this kernel has no such call, or hides it");
	return reached(result, "the call");
}

const struct attack kernel_attacks[] = {
	{ "keyctl", attack_keyctl },
	{ "add_key", attack_add_key },
	{ "request_key", attack_request_key },
	{ "io_uring", attack_io_uring },
	{ "bpf", attack_bpf },
	{ "perf", attack_perf },
	{ "userfaultfd", attack_userfaultfd },
	{ "fanotify", attack_fanotify },
	{ "file_handle", attack_file_handle },
	{ "reach", attack_reach },
	{ 0 },
};
