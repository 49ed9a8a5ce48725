/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet-strategies: which execution strategies can run on this machine.
 *
 * Job: probes what the configuration offers and writes the table STRATEGIES_FILE.
 * Alone, for the boot: probes whatever the table says, and fails if none can run
 * (SPEC S1.4).  With --refresh, before each session: probes only if the table is
 * missing, old or about something else, and never fails: who prepares the session
 * reads the table and decides.
 *
 * Trusts: the system's configuration; the programs of anet that it starts.
 *
 * Descriptors: none but the standard ones.
 *
 * A program of its own, because a probe counts only in the confinement that
 * sessions have: a unit starts it with just that, while what prepares a session
 * has all of root's rights.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/process.h"
#include "os/report.h"
#include "os/session-dir.h"
#include "strategies/identity.h"
#include "strategies/table.h"

#define PROGRAM "anet-strategies"
#define LOCK_FILE "strategies.lock"

/* One probe at a time: who comes second finds what the first one has written.
 * A file that others cannot open, since a lock needs no right to write. */
static int take_lock(int directory, int *ret_fd)
{
	auto_fd int fd = openat(directory, LOCK_FILE,
				O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 || flock(fd, LOCK_EX) < 0)
		return -errno;
	*ret_fd = take_fd(&fd);
	return 0;
}

/* `before`, which may be NULL: what a record was left about already. */
static void report_rows(const struct strategies *now, const struct strategies *before)
{
	for (size_t i = 0; i < STRATEGIES; i++) {
		const struct strategy_row *row = &now->rows[i];
		const struct strategy_row *old =
			before ? strategies_find(before, row->name) : NULL;
		const struct record record = {
			.reason = row->reason,
			.helper = PROGRAM,
			.detail = row->detail,
			.warning = true,
		};

		if (row->available || (old && old->reason == row->reason &&
				       strcmp(old->detail, row->detail) == 0))
			continue;
		report_tell(&record);
	}
}

static int run(struct arena *arena, bool refresh)
{
	struct strategies before, now;
	struct config config;
	struct places places;
	struct detail detail;
	auto_fd int directory = -1, lock = -1;
	bool have_before;
	enum reason reason;
	int r;

	places_of_system(&places);
	reason = config_load(arena, &places, &config, &detail);
	if (reason != REASON_OK)
		return refuse(reason, "%s", detail.text);
	directory = runtime_dir_open("/run");
	r = directory < 0 ? directory : take_lock(directory, &lock);
	if (r < 0)
		return refuse(REASON_SYSTEM, "cannot use %s: %s", RUN_ANET,
			      strerror(-r));
	have_before =
		strategies_read(arena, STRATEGIES_FILE, &before, &detail) == REASON_OK;
	if (refresh && have_before &&
	    strategies_are_current(&before, probe_identity(arena, 0, &config),
				   (int64_t)time(NULL)))
		return 0;
	strategies_probe(arena, &config, &now);
	report_rows(&now, refresh && have_before ? &before : NULL);
	r = strategies_write(directory, strrchr(STRATEGIES_FILE, '/') + 1, &now);
	if (r < 0)
		return refuse(REASON_SYSTEM, "cannot write %s: %s", STRATEGIES_FILE,
			      strerror(-r));
	reason = strategies_check_any(arena, &now, &detail);
	return refresh || reason == REASON_OK ? 0 : refuse(reason, "%s", detail.text);
}

int main(int argc, char *argv[])
{
	bool refresh = argc == 2 && strcmp(argv[1], "--refresh") == 0;
	struct arena arena = {0};
	int status;

	process_harden();
	process_reset_signals();
	report_set_program(PROGRAM);
	if (process_pin_stdio() < 0)
		return reason_exit_status(REASON_SYSTEM);
	if (argc > 1 && !refresh)
		return refuse(REASON_USAGE, "usage: " PROGRAM " [--refresh]");
	if (geteuid() != 0)
		return refuse(REASON_SYSTEM,
			      PROGRAM " writes " STRATEGIES_FILE ", so it is for root");
	status = run(&arena, refresh);
	arena_free(&arena);
	return refresh ? 0 : status;
}
