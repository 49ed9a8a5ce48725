/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet strategies: the boundaries that sessions can run in here, and for an agent
 * which of them it was saved with.  SPEC S1.9.
 */
#include <stdio.h>
#include <sysexits.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/selector.h"
#include "os/report.h"

static const char help[] =
	"Shows in which strategies sessions can run here, why not in the others, and\n"
	"what boundary each gives.\n"
	"\n"
	"Usage: anet strategies [--agent NAME] [--json]\n"
	"\n"
	"The exit status is 0 if a session of the agent (without one: of any new "
	"agent)\n"
	"could start now. A strategy that was saved stays, also when it cannot run:\n"
	"then its sessions do not start. They never start in another one.\n"
	"\n"
	"Options:\n"
	"  --agent NAME  also which one the agent was saved with, and its mounts\n"
	"  --json        the same as JSON (schema anet.strategies/1)\n"
	"  --help        this text\n"
	"\n"
	"For example:\n"
	"  anet strategies\n"
	"  anet strategies --agent coder\n";

struct request {
	const char *agent; /* NULL: of a new one */
	bool json;
};

static void print_all_json(struct arena *arena, const struct selection_case *of,
			   const struct selection *selection)
{
	struct json_object *root = json_object_new_object();

	json_object_object_add(root, "schema", json_text("anet.strategies/1"));
	json_object_object_add(root, "agent",
			       json_text(of->agent ? of->agent->name : NULL));
	json_object_object_add(
		root, "probed",
		json_text(utc_time_text(arena, (uint64_t)of->table->probed_at)));
	selector_add_json(root, selection);
	print_json(root);
}

static enum reason look(struct arena *arena, const struct request *request,
			enum reason *ret_can_run, struct detail *ret_detail)
{
	struct places places;
	struct config config;
	struct agent agent;
	struct strategies table;
	struct selection_case of = {
		.places = &places, .config = &config, .table = &table};
	struct selection selection;
	enum reason reason;

	places_find(arena, &places);
	reason = config_load(arena, &places, &config, ret_detail);
	if (reason == REASON_OK && request->agent) {
		reason = agent_load(arena, &places, request->agent, &config, &agent,
				    ret_detail);
		of.agent = &agent;
	}
	if (reason != REASON_OK)
		return reason;
	selector_table(arena, &places, &config, &table);
	selection_make(arena, &of, &selection);
	if (request->json) {
		print_all_json(arena, &of, &selection);
	} else {
		selector_print(arena, &selection, 0);
		putchar('\n');
		selector_print_choice(arena, of.agent ? of.agent->name : NULL,
				      &selection);
	}
	*ret_can_run = selection.reason;
	return REASON_OK;
}

static int strategies_main(int argc, char **argv)
{
	struct request request = {0};
	struct arena arena = {0};
	struct detail detail;
	enum reason can_run = REASON_OK, reason;
	const struct command_option options[] = {
		{"agent", NULL, &request.agent},
		{"json", &request.json, NULL},
		{0},
	};
	int status = read_options(argc, argv, &command_strategies, options, NULL,
				  "for an agent write `--agent NAME`");

	if (status != GO_ON)
		return status;
	reason = look(&arena, &request, &can_run, &detail);
	status = reason == REASON_OK ? reason_exit_status(can_run)
				     : refuse(reason, "%s", detail.text);
	arena_free(&arena);
	return status;
}

const struct command command_strategies = {
	.name = "strategies",
	.summary = "shows in which strategies sessions can run, and why not",
	.help = help,
	.main = strategies_main,
};
