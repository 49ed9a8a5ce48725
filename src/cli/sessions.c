/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet sessions: what the units' sessions do, from the records that root and
 * their supervisors leave in /run/anet; and what runs left in their workspaces.
 */
#include "cli/sessions.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/command.h"
#include "cli/sessions-left.h"
#include "os/report.h"
#include "os/session-dir.h"

static const char help[] =
	"Shows the sessions of units (anet-session@…): those that run, with what they\n"
	"have used, and how those that ended did so last.\n"
	"\n"
	"Usage: anet sessions [--json]\n"
	"       anet sessions clean [--list] [--json] [--yes] [DIRECTORY | SESSION]\n"
	"\n"
	"It is for root and the group `anet`. The numbers are at most a second old.\n"
	"\n"
	"`clean` lists what your runs made or replaced in their workspaces that programs\n"
	"outside the sandbox execute (git hooks, settings of editors and agents …), asks,\n"
	"and removes exactly that, as the owner of the workspace. What is another file by\n"
	"now stays. Root's are those of the units too. SESSION stands for its workspace.\n"
	"\n"
	"Options:\n"
	"  --json  the same as JSON (schemas anet.sessions/1 and, of `clean`, anet.left/1)\n"
	"  --list  of `clean`: remove nothing\n"
	"  --yes   of `clean`: remove without asking\n"
	"  --help  this text\n"
	"\n"
	"For example:\n"
	"  anet sessions\n"
	"  anet sessions clean ~/src/project\n"
	"  journalctl -x -u anet-session@NAME\n";

static int sessions_main(int argc, char **argv)
{
	struct sessions sessions;
	struct arena arena = {0};
	struct detail detail;
	enum reason reason;
	bool json = false;
	int answer;

	if (argc > 1 && strcmp(argv[1], "clean") == 0)
		return sessions_clean(argc - 1, argv + 1);
	answer = read_json_option(argc, argv, &command_sessions, &json);
	if (answer != GO_ON)
		return answer;
	reason = sessions_read(&arena, &sessions, &detail);
	if (reason == REASON_OK && json)
		sessions_print_json(&arena, &sessions);
	else if (reason == REASON_OK)
		sessions_print(&arena, &sessions);
	arena_free(&arena);
	return reason == REASON_OK ? EX_OK : refuse(reason, "%s", detail.text);
}

const struct command command_sessions = {
	.name = "sessions",
	.summary = "shows the sessions of units and what they have used",
	.help = help,
	.main = sessions_main,
};
