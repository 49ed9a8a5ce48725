/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void process_harden(void)
{
	const struct rlimit core = { 1, 1 };

	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* cannot fail for 0 */
	(void)setrlimit(RLIMIT_CORE, &core);	  /* lowering is always allowed */
}

int process_pin_stdio(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* open() gives the lowest free number, which is this one. */
		if (open("/dev/null", O_RDWR | O_NOCTTY) < 0)
			return -errno;
	}
	return 0;
}

void process_reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL); /* EINVAL for KILL, STOP and libc's own */
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}
