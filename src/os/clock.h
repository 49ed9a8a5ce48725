/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_CLOCK_H
#define ANET_OS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds of CLOCK_MONOTONIC, which nobody sets. */
static inline uint64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Microseconds since the epoch. */
static inline uint64_t realtime_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now); /* as above */
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

#endif
