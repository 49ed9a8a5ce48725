/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet restart: takes over what was changed, the configuration or the machine.
 * Nothing of anet runs all the time, so what there is to restart is what it knows:
 * which strategies can run here, and whether a sandbox is required.  SPEC S1.10.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "cli/capture.h"
#include "cli/command.h"
#include "cli/config-check.h"
#include "cli/machine.h"
#include "cli/output.h"
#include "cli/selector.h"
#include "os/cleanup.h"
#include "os/private-dir.h"
#include "os/report.h"
#include "os/session-dir.h"

#define SYSTEMCTL "/usr/bin/systemctl"
#define PROBE_UNIT "anet-probe.service"
/* systemctl(1): the unit is not loaded; capture(): there is no systemctl. */
#define NO_SUCH_UNIT 5
#define NOT_STARTED 127

static const char help[] =
	"Checks the configuration, tries anew which strategies can run here, and "
	"shows\n"
	"them.\n"
	"\n"
	"Usage: anet restart [--require-sandbox] [--json]\n"
	"\n"
	"To be called when the configuration or the machine was changed; sessions "
	"would\n"
	"find that within five minutes anyway. Sessions that run go on as they were\n"
	"prepared: nothing here ends, weakens or changes one. It fails if the\n"
	"configuration has a problem or no strategy can run.\n"
	"\n"
	"Options:\n"
	"  --require-sandbox  refuse sessions without a sandbox, until the next `anet\n"
	"                     restart` without this option or the next boot: by root,\n"
	"                     of everybody; by another user, of that user\n"
	"  --json             the same as JSON (schema anet.restart/1)\n"
	"  --help             this text\n"
	"\n"
	"For example:\n"
	"  sudo anet restart\n"
	"  sudo anet restart --require-sandbox\n";

struct restart {
	struct arena arena;
	struct places places;
	bool require_sandbox, json;
	struct config_check check;
	struct strategies table;
	struct selection selection; /* of no agent; `table` in it is what is shown */
	struct detail detail;
};

/* Of `anet restart --require-sandbox`; the directory of the machine's is for all to
 * look into: who cannot tell whether it is there takes it to be. */
static enum reason write_marker(struct restart *restart)
{
	const char *runtime = restart->places.runtime, *name;
	auto_fd int directory = -1, fd = -1;

	if (!runtime)
		return explain(&restart->detail, REASON_SYSTEM,
			       "XDG_RUNTIME_DIR is not set, so there is no place to "
			       "note that a sandbox is required");
	name = strrchr(REQUIRE_SANDBOX_FILE, '/') + 1;
	directory = private_dir_open(arena_format(&restart->arena, "%s/anet", runtime));
	if (directory >= 0)
		fd = openat(directory, name,
			    O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			    0644);
	if (fd < 0 || (restart->places.uid == 0 && fchmod(directory, 0755) < 0))
		return explain(&restart->detail, REASON_SYSTEM,
			       "cannot note in %s/" REQUIRE_SANDBOX_FILE
			       " that a sandbox is required: %s",
			       SHOW(runtime),
			       strerror(directory < 0 ? -directory : errno));
	return REASON_OK;
}

static enum reason remove_marker(struct restart *restart)
{
	const char *runtime = restart->places.runtime, *path;

	if (!runtime)
		return REASON_OK;
	path = arena_format(&restart->arena, "%s/" REQUIRE_SANDBOX_FILE, runtime);
	if (unlink(path) < 0 && errno != ENOENT && errno != ENOTDIR)
		return explain(&restart->detail, REASON_SYSTEM, "cannot remove %s: %s",
			       SHOW(path), strerror(errno));
	return REASON_OK;
}

/* What systemd's probe finds for units; *ret_done is false if there is no such unit. */
static enum reason probe_by_unit(struct restart *restart, bool *ret_done)
{
	char program[] = SYSTEMCTL, verb[] = "restart", unit[] = PROBE_UNIT;
	char *const argv[] = {program, verb, unit, NULL};
	struct capture *capture_of = arena_get(&restart->arena, sizeof(*capture_of));
	int64_t before = (int64_t)time(NULL);
	enum reason reason;
	int r;

	*ret_done = false;
	if (restart->places.uid != 0 || !machine_has_systemd())
		return REASON_OK;
	r = capture(argv, "", 0, capture_of);
	if (r == NO_SUCH_UNIT || r == NOT_STARTED)
		return REASON_OK;
	*ret_done = true;
	reason = strategies_read(&restart->arena, STRATEGIES_FILE, &restart->table,
				 &restart->detail);
	/* The unit fails where nothing can run, and has written its table then. */
	if (reason == REASON_OK && restart->table.probed_at >= before)
		return REASON_OK;
	return explain(&restart->detail, REASON_NO_STRATEGY,
		       "`systemctl restart " PROBE_UNIT "` did not write %s anew: %s",
		       STRATEGIES_FILE,
		       r < 0		  ? strerror(-r)
		       : *capture_of->err ? SHOW(capture_of->err)
					  : "`journalctl -u anet-probe` tells why");
}

static enum reason probe(struct restart *restart)
{
	struct strategies own;
	bool done = false;
	enum reason reason;

	/* Root's own runs in the foreground have a cache of their own. */
	strategies_anew(&restart->arena, &restart->places, &restart->check.config,
			&own);
	reason = probe_by_unit(restart, &done);
	if (!done)
		restart->table = own;
	return reason;
}

/* The settings as they are without the marker, if it is not wanted. */
static enum reason load_settings(struct restart *restart)
{
	enum reason reason = config_load(&restart->arena, &restart->places,
					 &restart->check.config, &restart->detail);

	if (reason != REASON_OK || restart->require_sandbox)
		return reason;
	reason = remove_marker(restart);
	if (reason != REASON_OK)
		return reason;
	return config_load(&restart->arena, &restart->places, &restart->check.config,
			   &restart->detail);
}

/* What keeps the machine from starting sessions comes before what keeps an agent. */
static enum reason first_reason(struct restart *restart)
{
	const struct selection *selection = &restart->selection;
	enum reason reason = config_check_reason(&restart->check);

	if (selection->reason != REASON_OK)
		return explain(&restart->detail, selection->reason, "%s",
			       selection->detail);
	if (reason != REASON_OK)
		return explain(&restart->detail, reason, "%s",
			       restart->check.notes.problems[0].text);
	return REASON_OK;
}

static enum reason take_over(struct restart *restart)
{
	const struct selection_case of = {
		.places = &restart->places,
		.table = &restart->table,
		.config = &restart->check.config,
	};
	enum reason reason = REASON_OK;

	/* First what makes it stricter, last what does not. */
	if (restart->require_sandbox)
		reason = write_marker(restart);
	if (reason != REASON_OK)
		return reason;
	config_check_all(&restart->arena, &restart->places, &restart->check);
	reason = load_settings(restart);
	if (reason == REASON_OK)
		reason = probe(restart);
	if (reason != REASON_OK)
		return reason;
	selection_make(&restart->arena, &of, &restart->selection);
	return first_reason(restart);
}

static void print_text(struct restart *restart)
{
	if (restart->check.arena)
		config_check_print(&restart->check);
	if (restart->selection.table.rows[0].name) {
		putchar('\n');
		selector_print(&restart->arena, &restart->selection, 0);
	}
	if (restart->require_sandbox && !restart->check.config.sandbox.host)
		printf("\nSessions without a sandbox are refused until the next `anet "
		       "restart` without --require-sandbox.\n");
	fflush(stdout);
}

static void print_as_json(struct restart *restart, enum reason reason)
{
	struct json_object *root = json_object_new_object();

	json_object_object_add(root, "schema", json_text("anet.restart/1"));
	json_object_object_add(root, "require_sandbox",
			       json_object_new_boolean(restart->require_sandbox));
	if (restart->check.arena)
		config_check_add_json(root, &restart->check);
	if (restart->selection.table.rows[0].name) {
		json_object_object_add(
			root, "probed",
			json_text(utc_time_text(&restart->arena,
						(uint64_t)restart->table.probed_at)));
		selector_add_json(root, &restart->selection);
	}
	json_object_object_add(
		root, "code",
		json_text(reason == REASON_OK ? NULL : reason_code(reason)));
	json_object_object_add(
		root, "detail",
		json_text(reason == REASON_OK ? NULL : restart->detail.text));
	print_json(root);
}

static int restart_main(int argc, char **argv)
{
	static struct restart restart;
	static const struct command_option options[] = {
		{"require-sandbox", &restart.require_sandbox, NULL},
		{"json", &restart.json, NULL},
		{0},
	};
	int status = read_options(argc, argv, &command_restart, options, NULL,
				  "a session is restarted by `systemctl restart "
				  "anet-session@AGENT`");
	enum reason reason;

	if (status != GO_ON)
		return status;
	places_find(&restart.arena, &restart.places);
	reason = take_over(&restart);
	if (restart.json)
		print_as_json(&restart, reason);
	else
		print_text(&restart);
	status =
		reason == REASON_OK ? EX_OK : refuse(reason, "%s", restart.detail.text);
	arena_free(&restart.arena);
	return status;
}

const struct command command_restart = {
	.name = "restart",
	.summary = "takes over what was changed, and shows which strategies can run",
	.help = help,
	.main = restart_main,
};
