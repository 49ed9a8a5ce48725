/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet run: prepares a session in the foreground and becomes its supervisor.
 * Everything that can be refused is refused here, before anything starts; only
 * what needs the sandbox itself is left to anet-session.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/foreground.h"
#include "cli/reporter.h"
#include "cli/task.h"
#include "config/egress.h"
#include "config/key.h"
#include "config/retired.h"
#include "config/preparation.h"
#include "core/run.h"
#include "os/report.h"
#include "strategies/session-start.h"

static const char help[] =
	"Runs a command or a coding agent in the sandbox, in the foreground.\n"
	"\n"
	"Usage: anet run [OPTION…] [--] COMMAND [ARGUMENT…]\n"
	"       anet run [OPTION…] --agent NAME [--] [ARGUMENT…]\n"
	"       anet run [OPTION…] --agent NAME --task TEXT\n"
	"\n"
	"The run can write its workspace and nothing else, reaches the model service "
	"of\n"
	"its agent and nothing else, and holds no key. Its exit status is that of the\n"
	"command. Words after the options are the command, or the agent's arguments.\n"
	"An agent that was saved with the strategy `host` has no sandbox: see anet "
	"strategies.\n"
	"\n"
	"Options:\n"
	"  --agent NAME      an agent of the configuration, or a runtime such as "
	"claude\n"
	"  --task TEXT       what the agent is to do; `-`: read it from standard "
	"input\n"
	"  --workspace DIR   the directory to work in [the agent's, else the current "
	"one]\n"
	"  --egress HOSTS    other hosts that the run may reach, by https and their exact\n"
	"                    names: a,b, or `none`, or `public` [the agent's, else none]\n"
	"  --require-sandbox refuse an agent whose strategy is `host` (no boundary)\n"
	"  --report[=FILE]   tell at the end what the run asked for and did not get, "
	"and\n"
	"                    what would allow it: on standard error, or in a file\n"
	"  --help            this text\n"
	"\n"
	"For example:\n"
	"  anet run -- make test\n"
	"  anet run --workspace ~/src/project -- sh -c 'ls && git status'\n"
	"  anet run --agent claude --task \"explain this directory\"\n"
	"  anet run --agent codex -- resume --last\n"
	"\n"
	"Files:\n"
	"  " ANET_CONFIG_DIR "/config.json, config.d/, agents.d/, runtimes/\n"
	"  ~/.config/anet/config.json, agents.d/, credentials/\n";

struct options {
	const char *agent;
	const char *task; /* as given; NULL: none */
	const char *workspace;
	const char *egress; /* as given; NULL: the agent's */
	bool require_sandbox;
	bool report;
	const char *report_file; /* NULL: standard error */
	char **words;
};

/* A session in the foreground. */
struct start {
	struct preparation preparation;
	struct config_egress egress; /* the caller's */
	int key_fd, lock_fd, report_fd;
};

/* EX_OK and the options, or -1 after --help, or the status to end with. */
static int parse_options(int argc, char **argv, struct options *ret_options)
{
	static const struct option known[] = {
		{"agent", required_argument, NULL, 'a'},
		{"task", required_argument, NULL, 't'},
		{"workspace", required_argument, NULL, 'w'},
		{"egress", required_argument, NULL, 'e'},
		{"require-sandbox", no_argument, NULL, 's'},
		{"report", optional_argument, NULL, 'r'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct options options = {0};
	int answer, which = 0;

	opterr = 0;
	while ((answer = getopt_long(argc, argv, "+:h", known, &which)) != -1) {
		/* getopt_long(3) takes it for the value; nobody means it so. */
		if (optarg && strcmp(optarg, "--") == 0)
			return refuse(REASON_USAGE,
				      "`--%s` needs a value, and `--` is none",
				      known[which].name);
		switch (answer) {
		case 'a':
			options.agent = optarg;
			break;
		case 't':
			options.task = optarg;
			break;
		case 'w':
			options.workspace = optarg;
			break;
		case 'e':
			options.egress = optarg;
			break;
		case 's':
			options.require_sandbox = true;
			break;
		case 'r':
			options.report = true;
			options.report_file = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return -1;
		default:
			return refuse_option(argc, argv, known, answer);
		}
	}
	options.words = argv + optind;
	*ret_options = options;
	return EX_OK;
}

static int refuse_no_command(void)
{
	int status = refuse(REASON_USAGE, "`anet run` needs a command or an agent");

	fputs("For example: anet run -- make test\n"
	      "             anet run --agent claude --task \"explain this "
	      "directory\"\n",
	      stderr);
	return status;
}

static enum reason take_key(struct start *start)
{
	struct preparation *run = &start->preparation;

	if (run->runtime.wire == WIRE_NONE)
		return REASON_OK;
	run->policy.flags |= POLICY_CREDENTIAL_FD;
	return key_take(&run->arena, &run->places, &run->runtime, &start->key_fd,
			&run->detail);
}

static void add_home(struct start *start)
{
	struct preparation *run = &start->preparation;
	struct run_record *record = &run->record;

	if (!run->home)
		return;
	record->mounts[record->n_mounts++] = (struct run_mount){
		.source = arena_copy(&run->arena, run->home),
		.target = arena_copy(&run->arena, RUN_HOME),
		.flags = RUN_MOUNT_WRITABLE | RUN_MOUNT_ASSIGNED,
	};
}

/* Two uids, of which a run without a boundary has its caller's. */
static enum reason take_uids(struct start *start)
{
	struct preparation *run = &start->preparation;
	enum reason reason =
		session_take_uids(&run->policy, &start->lock_fd, &run->detail);

	if (run->strategy == STRATEGY_HOST)
		run->policy.run_uid = run->places.uid;
	return reason;
}

/* What the agent is to do, if the line says so. */
static enum reason take_task(struct preparation *run, const struct options *options)
{
	/* The agent's program then finds a terminal too. */
	run->terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	if (!options->task)
		return REASON_OK;
	if (!options->agent)
		return explain(&run->detail, REASON_USAGE,
			       "`--task` is for an agent: name it with `--agent`");
	if (*options->words)
		return explain(&run->detail, REASON_USAGE,
			       "`--task` comes in the place of further words, and here "
			       "are both");
	return task_take(&run->arena, options->task, &run->task, &run->detail);
}

/* From what is cheap to refuse to what costs most. */
static enum reason prepare(struct start *start, const struct options *options)
{
	struct preparation *run = &start->preparation;
	enum reason reason = take_task(run, options);

	if (reason == REASON_OK && options->egress)
		reason = egress_parse(&run->arena, "egress", options->egress,
				      &start->egress, &run->detail);
	if (options->egress)
		run->egress = &start->egress;
	if (reason == REASON_OK)
		reason = foreground_load(run, options->agent, options->workspace,
					 options->words);
	if (reason == REASON_OK)
		retired_tell(&run->arena, &run->places, &run->config, "anet", NULL,
			     run->agent.name);
	if (reason == REASON_OK)
		reason = take_key(start);
	if (reason == REASON_OK)
		reason = session_check_programs(
			run->strategy, (enum wire)run->runtime.wire,
			egress_kind(&run->agent.egress), &run->detail);
	if (reason == REASON_OK)
		reason = foreground_probe(run);
	if (reason == REASON_OK)
		reason = foreground_home(run);
	if (reason != REASON_OK)
		return reason;
	session_name(&run->policy, run->agent.name);
	if (run->strategy == STRATEGY_HOST)
		run->account = (struct run_account){.name = "", .inherits = true};
	reason = take_uids(start);
	if (reason == REASON_OK)
		reason = preparation_record(run, 1);
	if (reason == REASON_OK)
		add_home(start);
	return reason;
}

static enum reason start_report(struct start *start, const struct options *options)
{
	struct preparation *run = &start->preparation;

	if (run->strategy == STRATEGY_HOST)
		return explain(
			&run->detail, REASON_USAGE,
			"`--report` tells what a boundary has kept from a run, and "
			"agent \"%s\" has none: its strategy is host",
			run->agent.name);
	run->policy.flags |= POLICY_REPORT;
	return reporter_start(run, options->report_file, &start->report_fd);
}

static int run_main(int argc, char **argv)
{
	struct start start = {.key_fd = -1, .lock_fd = -1, .report_fd = -1};
	struct preparation *run = &start.preparation;
	struct options options = {0};
	enum reason reason;
	int status = parse_options(argc, argv, &options);

	if (status != EX_OK)
		return status < 0 ? EX_OK : status;
	if (!options.agent && !*options.words && !options.task)
		return refuse_no_command();
	run->require_sandbox = options.require_sandbox;
	reason = prepare(&start, &options);
	if (reason == REASON_OK && options.report)
		reason = start_report(&start, &options);
	if (reason == REASON_OK)
		reason = session_exec(&run->policy, &run->record, start.key_fd,
				      start.lock_fd, start.report_fd, &run->detail);
	/* The descriptors end with the process. */
	status = refuse(reason, "%s", run->detail.text);
	arena_free(&run->arena);
	return status;
}

const struct command command_run = {
	.name = "run",
	.summary = "runs a command or an agent in the sandbox, in the foreground",
	.help = help,
	.main = run_main,
};
