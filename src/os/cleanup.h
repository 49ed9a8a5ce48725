/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_CLEANUP_H
#define ANET_OS_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * The whole vocabulary of ownership: declare with one of the auto_ words and
 * initialise at once (-1, NULL); hand over with a take_ word, which leaves the
 * variable empty.  See CODING_STYLE.md.
 */
static inline void cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void cleanup_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd); /* nothing useful can be done about EIO here */
}

static inline void cleanup_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

#define auto_free __attribute__((cleanup(cleanup_free)))
#define auto_fd __attribute__((cleanup(cleanup_fd)))
#define auto_file __attribute__((cleanup(cleanup_file)))

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void close_fd(int *fd)
{
	cleanup_fd(fd);
	*fd = -1;
}

#define take_ptr(pointer)                            \
	({                                           \
		__auto_type take_place = &(pointer);  \
		__auto_type take_value = *take_place; \
		*take_place = NULL;                  \
		take_value;                          \
	})

#endif
