/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/cleanup.h"

#ifdef __x86_64__

/* Signal that ended a child which runs `attempt`, 0 if it lived. */
static int fatal_signal(void (*attempt)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		attempt();
		_exit(0);
	}
	if (child < 0)
		return -1;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void call_i386(void)
{
	long result;

	/* getpid, by the i386 table. */
	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(20)
			 : "memory", "r8", "r9", "r10", "r11");
}

static void call_x32(void)
{
	(void)syscall(0x40000000 | SYS_getpid);
}

bool probe_i386(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	int number = fatal_signal(call_i386);

	(void)host;
	/* SIGSEGV: a kernel without this ABI has no such interrupt. */
	if (number == SIGSYS || number == SIGSEGV)
		return true;
	return probe_failed(detail, "an i386 call was not killed (%d)", number);
}

bool probe_x32(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	int number = fatal_signal(call_x32);

	(void)host;
	return number == SIGSYS ||
	       probe_failed(detail, "an x32 call was not killed (%d)", number);
}

#else

/* These two belong to x86-64; elsewhere there is nothing to refuse. */
bool probe_i386(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	(void)host;
	(void)detail;
	return true;
}

bool probe_x32(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	return probe_i386(host, detail);
}

#endif

bool probe_caps(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { 0 };

	(void)host;
	if (syscall(SYS_capget, &header, sets) < 0)
		return probe_failed(detail, "capget: %s", strerror(errno));
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		if (sets[i].effective | sets[i].permitted | sets[i].inheritable)
			return probe_failed(detail, "the run has capabilities");
	for (unsigned long capability = 0; capability < 64; capability++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, capability, 0, 0) > 0)
			return probe_failed(detail, "ambient capability %lu",
					    capability);
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return probe_failed(detail, "no_new_privs is not set");
	return true;
}

bool probe_proc_masked(const struct probe_host *host, char detail[PROBE_DETAIL])
{
	static const char *const paths[] = {
		"/proc/cmdline",  "/proc/keys",	 "/proc/key-users",
		"/proc/kallsyms", "/proc/kcore", "/proc/config.gz",
	};

	(void)host;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		auto_fd int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		char byte;

		if (fd >= 0 && read(fd, &byte, 1) > 0)
			return probe_failed(detail, "%s can be read", paths[i]);
	}
	return true;
}
