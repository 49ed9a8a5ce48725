/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/session-outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/private-dir.h"
#include "os/session-dir.h"

static int open_outcomes(void)
{
	auto_fd int fd = private_dir_open(OUTCOME_ROOT);

	if (fd >= 0 && fchmod(fd, 0755) < 0)
		return -errno;
	return take_fd(&fd);
}

int session_outcome_write(const char *id, struct session_state *state)
{
	auto_fd int directory = open_outcomes();
	struct timespec now;

	if (directory < 0)
		return directory;
	clock_gettime(CLOCK_REALTIME, &now);
	state->magic = SESSION_STATE_MAGIC;
	state->version = SESSION_STATE_VERSION;
	state->size = sizeof(*state);
	state->stage = SESSION_ENDED;
	state->updated_usec =
		(uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	if (!state->started_usec)
		state->started_usec = state->updated_usec;
	return session_state_write(directory, id, 0644, state);
}

bool session_outcome_exists(const char *id)
{
	auto_fd int directory = open_outcomes();

	return directory >= 0 &&
	       faccessat(directory, id, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int session_outcome_forget(const char *id)
{
	auto_fd int directory = open_outcomes();

	if (directory < 0)
		return directory;
	return unlinkat(directory, id, 0) < 0 && errno != ENOENT ? -errno : 0;
}
