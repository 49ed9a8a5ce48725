/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "init/report-filter.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init/report-seccomp.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV /* Linux 5.19 */
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

static int install(unsigned long flags)
{
	const struct sock_fprog program = {
		.len = sizeof(report_seccomp) / sizeof(report_seccomp[0]),
		.filter = (struct sock_filter *)report_seccomp,
	};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER | flags, &program);
}

int report_filter_install(void)
{
	/* Else each signal would interrupt a call that waits, and runtimes that send
	 * themselves many would never get on. */
	int fd = install(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);

	if (fd < 0 && errno == EINVAL)
		fd = install(0);
	return fd < 0 ? -errno : fd;
}
