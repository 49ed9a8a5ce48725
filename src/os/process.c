/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
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

static void reset_signals(bool keep_ignored)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++) {
		/* SIG_ERR with EINVAL for KILL, STOP and libc's own. */
		bool ignored = signal(number, SIG_DFL) == SIG_IGN;

		if (keep_ignored && ignored &&
		    (number == SIGHUP || number == SIGINT || number == SIGQUIT))
			(void)signal(number, SIG_IGN);
	}
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

void process_reset_signals(void)
{
	reset_signals(false);
}

void process_inherit_signals(void)
{
	reset_signals(true);
}
