# SPDX-License-Identifier: LGPL-2.1-or-later
"""Deadlines of minutes in seconds: a library loaded before libc's multiplies
CLOCK_MONOTONIC and divides poll(2)'s timeout."""
import os
import shutil
import subprocess

from tap import Skip

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int (*next)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
	int r = next(clock, now);
	long long all = now->tv_sec * 1000000000ll + now->tv_nsec;

	if (r == 0 && clock == CLOCK_MONOTONIC) {
		now->tv_sec = all * FASTER / 1000000000;
		now->tv_nsec = all * FASTER % 1000000000;
	}
	return r;
}

static int slower(struct pollfd *fds, nfds_t count, int timeout)
{
	int (*next)(struct pollfd *, nfds_t, int) = dlsym(RTLD_NEXT, "poll");

	return next(fds, count, timeout > 0 ? timeout / FASTER + 1 : timeout);
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	return slower(fds, count, timeout);
}

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t size)
{
	(void)size;
	return slower(fds, count, timeout);
}
"""


def fast_clock(directory, times):
    """The environment of a program whose clock runs so much faster; `directory` is for
    the library."""
    compiler = shutil.which("cc")
    if not compiler:
        raise Skip("no C compiler")
    source, library = (os.path.join(directory, "fast." + kind) for kind in ("c", "so"))
    with open(source, "w") as file:
        file.write(SOURCE)
    subprocess.run([compiler, "-shared", "-fPIC", "-DFASTER=%dll" % times, "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": library}
