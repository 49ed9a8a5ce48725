/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/process.h"

static int limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit both = { value, value }, now;

	/* Raising a hard limit needs a capability, and the lower one is fine. */
	if (getrlimit(resource, &now) < 0)
		return -errno;
	if (now.rlim_max < value)
		both.rlim_cur = both.rlim_max = now.rlim_max;
	return setrlimit(resource, &both) < 0 ? -errno : 0;
}

static int set_limits(const struct sandbox *sandbox)
{
	int r = sandbox->max_fds ? limit(RLIMIT_NOFILE, sandbox->max_fds) : 0;

	if (r == 0)
		r = limit(RLIMIT_FSIZE, sandbox->max_file_bytes);
	if (r == 0)
		r = limit(RLIMIT_NPROC, 0); /* no helper starts a process or a thread */
	if (r == 0 && sandbox->max_memory)
		r = limit(RLIMIT_AS, sandbox->max_memory);
	return r;
}

/* By system call and not by libcap, which would cost each helper a library. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	/* While CAP_SETPCAP may still be there.  EPERM: it is not, and then
	 * no_new_privs keeps the bounding set from mattering.  EINVAL: past the
	 * last capability of this kernel. */
	for (unsigned long capability = 0; capability < 64; capability++)
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
			break;
	/* EINVAL: before Linux 4.3 there are no ambient capabilities. */
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 &&
	    errno != EINVAL)
		return -errno;
	return syscall(SYS_capset, &header, none) < 0 ? -errno : 0;
}

/* landlock(7): the rights on files that each version of the ABI knows.  A right
 * that is handled and given by no rule is refused. */
static uint64_t file_rights(long abi)
{
	if (abi >= 5)
		return (1ull << 16) - 1; /* ioctl on devices */
	if (abi >= 3)
		return (1ull << 15) - 1; /* truncate */
	return abi == 2 ? (1ull << 14) - 1 : (1ull << 13) - 1;
}

static int allow_below(int ruleset, int directory, uint64_t rights)
{
	const struct landlock_path_beneath_attr rule = {
		.allowed_access = rights,
		.parent_fd = directory,
	};

	return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH,
		       &rule, 0) < 0
		       ? -errno
		       : 0;
}

static int allow_reading(int ruleset, const char *path)
{
	auto_fd int fd = open(path, O_PATH | O_CLOEXEC);
	uint64_t rights = LANDLOCK_ACCESS_FS_READ_FILE;
	struct stat found;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &found) < 0)
		return -errno;
	if (S_ISDIR(found.st_mode))
		rights |= LANDLOCK_ACCESS_FS_READ_DIR;
	return allow_below(ruleset, fd, rights);
}

static int restrict_files(const struct sandbox *sandbox)
{
	/* Headers older than the kernel lack the later fields. */
	struct {
		uint64_t files, network, scoped;
	} attributes = { 0 };
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
			   LANDLOCK_CREATE_RULESET_VERSION);
	auto_fd int ruleset = -1;
	int r = 0;

	if (abi < 1)
		return 0; /* ENOSYS, EOPNOTSUPP: not built in, not enabled */
	attributes.files = file_rights(abi);
	if (abi >= 6)
		/* No abstract sockets, no signals outside. */
		attributes.scoped = sandbox->ends_child ? 1 : 3;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes,
			       abi >= 6 ? sizeof(attributes) : sizeof(attributes.files),
			       0);
	if (ruleset < 0)
		return -errno;
	for (size_t i = 0; r == 0 && i < SANDBOX_MAX_DIRECTORIES; i++)
		if (sandbox->read_only_directories[i])
			r = allow_reading(ruleset, sandbox->read_only_directories[i]);
	for (size_t i = 0; r == 0 && i < sandbox->n_list_directories; i++)
		r = allow_below(ruleset, sandbox->list_directories[i],
				LANDLOCK_ACCESS_FS_READ_DIR);
	if (r < 0)
		return r;
	return syscall(SYS_landlock_restrict_self, ruleset, 0) < 0 ? -errno : 0;
}

int sandbox_filter(const struct sock_filter *filter, size_t length)
{
	const struct sock_fprog program = {
		.len = (unsigned short)length,
		.filter = (struct sock_filter *)filter,
	};

	if (length == 0 || length > BPF_MAXINSNS)
		return -EINVAL;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? -errno
									      : 0;
}

int sandbox_enter(const struct sandbox *sandbox)
{
	char byte;
	int r;

	/* glibc 2.41 and later block signals and map memory at the first call in a
	 * process, where the kernel has getrandom() in its vDSO (Linux 6.11). */
	if (getrandom(&byte, sizeof(byte), 0) < 0)
		return -errno;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	r = drop_capabilities();
	if (r == 0 && !sandbox->reads_processes)
		r = restrict_files(sandbox);
	if (r == 0)
		r = set_limits(sandbox);
	if (r < 0)
		return r;
	process_harden(); /* again: a change of credentials may have undone it */
	return sandbox_filter(sandbox->filter, sandbox->filter_length);
}
