/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet run: prepares a session in the foreground and becomes its supervisor.
 * Everything that can be refused is refused here, before anything starts; only
 * what needs the sandbox itself is left to anet-session.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "cli/arena.h"
#include "cli/command.h"
#include "cli/config.h"
#include "cli/key.h"
#include "cli/model.h"
#include "cli/places.h"
#include "cli/probe-cache.h"
#include "cli/program.h"
#include "cli/run-env.h"
#include "cli/runtime.h"
#include "os/report.h"
#include "strategies/session-start.h"

#define DEFAULT_AGENT "command"

static const char help[] =
	"Runs a command or a coding agent in the sandbox, in the foreground.\n"
	"\n"
	"Usage: anet run [OPTION…] [--] COMMAND [ARGUMENT…]\n"
	"       anet run [OPTION…] --agent NAME [--] [ARGUMENT…]\n"
	"\n"
	"The run can write its workspace and nothing else, reaches the model service "
	"of\n"
	"its agent and nothing else, and holds no key. Its exit status is that of the\n"
	"command. Words after the options are the command, or the agent's arguments.\n"
	"\n"
	"Options:\n"
	"  --agent NAME      an agent of the configuration, or a runtime such as "
	"claude\n"
	"  --workspace DIR   the directory to work in [the agent's, else the current "
	"one]\n"
	"  --egress none     other hosts that the run may reach; this build has only "
	"none\n"
	"  --help            this text\n"
	"\n"
	"For example:\n"
	"  anet run -- make test\n"
	"  anet run --workspace ~/src/project -- sh -c 'ls && git status'\n"
	"  anet run --agent claude -- -p \"explain this directory\"\n"
	"\n"
	"Files:\n"
	"  " ANET_CONFIG_DIR "/config.json, config.d/, agents.d/, runtimes/\n"
	"  ~/.config/anet/config.json, agents.d/, credentials/\n";

struct options {
	const char *agent;
	const char *workspace;
	char **words;
};

struct preparation {
	struct arena arena;
	struct places places;
	struct config config;
	struct agent agent;
	struct runtime runtime;
	struct program program;
	struct policy policy;
	struct run_record record;
	int key_fd, lock_fd;
	struct detail detail;
};

/* EX_OK and the options, or -1 after --help, or the status to end with. */
static int parse_options(int argc, char **argv, struct options *ret_options)
{
	static const struct option known[] = {
		{"agent", required_argument, NULL, 'a'},
		{"workspace", required_argument, NULL, 'w'},
		{"egress", required_argument, NULL, 'e'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct options options = {0};
	int answer;

	opterr = 0;
	while ((answer = getopt_long(argc, argv, "+:h", known, NULL)) != -1) {
		switch (answer) {
		case 'a':
			options.agent = optarg;
			break;
		case 'w':
			options.workspace = optarg;
			break;
		case 'e':
			if (strcmp(optarg, "none") != 0)
				return refuse(
					REASON_EGRESS_UNSUPPORTED,
					"`--egress %s` asks for hosts that this build "
					"cannot open to a run",
					SHOW(optarg));
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
	      "             anet run --agent claude -- -p \"explain this directory\"\n",
	      stderr);
	return status;
}

static bool is_inside(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 &&
	       (path[length] == '/' || path[length] == 0);
}

/* What anet-session cannot know: where the environment puts the caller's
 * configuration, sockets and the cache of the probe. */
static enum reason check_own_places(struct preparation *run, const char *workspace)
{
	const char *const own[] = {
		run->places.user,
		run->places.runtime,
		run->places.cache
			? arena_format(&run->arena, "%s/anet", run->places.cache)
			: NULL,
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		char resolved[PATH_MAX];

		if (!own[i] || !realpath(own[i], resolved))
			continue;
		if (is_inside(workspace, resolved) || is_inside(resolved, workspace))
			return explain(
				&run->detail, REASON_NEVER_VISIBLE,
				"the workspace %s is, contains or lies inside %s",
				SHOW(workspace), SHOW(resolved));
	}
	return REASON_OK;
}

/* The directory to work in, links resolved. */
static enum reason find_workspace(struct preparation *run, const char *asked)
{
	const char *path = asked ? asked : run->agent.workspace;
	char resolved[PATH_MAX];
	struct stat status;

	if (!asked && path)
		path = places_expand(&run->arena, &run->places, path);
	if (path && !*path)
		return explain(&run->detail, REASON_WORKSPACE_INVALID,
			       "the name of the workspace is empty");
	if (!realpath(path ? path : ".", resolved))
		return explain(&run->detail, REASON_WORKSPACE_INVALID,
			       "%s cannot be the workspace: %s",
			       path ? SHOW(path) : "the current directory",
			       strerror(errno));
	if (stat(resolved, &status) < 0 || !S_ISDIR(status.st_mode))
		return explain(&run->detail, REASON_WORKSPACE_INVALID,
			       "%s cannot be the workspace: it is not a directory",
			       SHOW(resolved));
	run->record.workspace = arena_copy(&run->arena, resolved);
	return check_own_places(run, resolved);
}

static enum reason find_program(struct preparation *run, char **words)
{
	struct list argv = {0};

	/* A runtime that has no program of its own runs what it is told. */
	if (*run->runtime.program.names) {
		enum reason reason =
			program_find(&run->arena, &run->places, &run->runtime,
				     &run->program, &run->detail);

		if (reason != REASON_OK)
			return reason;
	} else if (!*words) {
		return explain(&run->detail, REASON_USAGE,
			       "agent \"%s\" runs the command that is given to it, and "
			       "none is",
			       run->agent.name);
	}
	list_add_all(&run->arena, &argv, run->program.argv);
	list_add_all(&run->arena, &argv, run->runtime.arguments);
	list_add_all(&run->arena, &argv, words);
	run->record.argv = argv.items;
	return REASON_OK;
}

static void add_program_mounts(struct preparation *run)
{
	size_t n = 0;

	while (run->program.mounts && run->program.mounts[n])
		n++;
	run->record.mounts = arena_get(&run->arena, (n + 1) * sizeof(struct run_mount));
	for (size_t i = 0; i < n; i++) {
		char *path = run->program.mounts[i];

		/* What lies in the workspace is seen anyway. */
		if (!is_inside(path, run->record.workspace))
			run->record.mounts[run->record.n_mounts++] =
				(struct run_mount){path, path, RUN_MOUNT_PROGRAM};
	}
}

static enum reason fill_policy(struct preparation *run)
{
	const struct runtime *runtime = &run->runtime;
	const char *model = "";
	struct policy *policy = &run->policy;
	enum reason reason;

	*policy = (struct policy){
		.magic = POLICY_MAGIC,
		.version = POLICY_VERSION,
		.size = sizeof(struct policy),
		.wire = (uint16_t)runtime->wire,
		.profile = PROFILE_OWN,
		.server_tools = run->agent.server_tools,
		.limits = run->config.limits,
	};
	session_name(policy, run->agent.name);
	snprintf(policy->runtime, sizeof(policy->runtime), "%s", runtime->name);
	if (runtime->wire == WIRE_NONE)
		return REASON_OK;
	reason = model_resolve(&run->arena, &run->places, runtime, run->agent.model,
			       &model, &run->detail);
	if (reason != REASON_OK)
		return reason;
	policy->flags |= POLICY_CREDENTIAL_FD;
	if (runtime->scheme == RUNTIME_HTTP)
		policy->flags |= POLICY_PLAIN_HTTP;
	policy->port = runtime->port;
	/* The readers of configuration have checked the lengths. */
	snprintf(policy->credential, sizeof(policy->credential), "%s",
		 runtime->credential.name);
	snprintf(policy->host, sizeof(policy->host), "%s", runtime->host);
	snprintf(policy->base_path, sizeof(policy->base_path), "%s",
		 runtime->base_path ? runtime->base_path : "");
	snprintf(policy->model, sizeof(policy->model), "%s", model);
	return REASON_OK;
}

static enum reason load(struct preparation *run, const char *agent)
{
	enum reason reason;

	places_find(&run->arena, &run->places);
	reason = config_load(&run->arena, &run->places, &run->config, &run->detail);
	if (reason == REASON_OK)
		reason = agent_load(&run->arena, &run->places, agent, &run->config,
				    &run->agent, &run->detail);
	if (reason == REASON_OK)
		reason = runtime_load(&run->arena, &run->places, run->agent.runtime,
				      &run->runtime, &run->detail);
	if (reason == REASON_OK && !run->config.sandbox.srt)
		reason = explain(&run->detail, REASON_STRATEGY_OFF,
				 "sandbox.srt is off on this machine");
	return reason;
}

/* From what is cheap to refuse to what costs most. */
static enum reason prepare(struct preparation *run, const struct options *options)
{
	enum reason reason = load(run, options->agent ? options->agent : DEFAULT_AGENT);

	if (reason == REASON_OK)
		reason = find_workspace(run, options->workspace);
	if (reason == REASON_OK)
		reason = find_program(run, options->words);
	if (reason == REASON_OK)
		reason = fill_policy(run);
	if (reason == REASON_OK && run->runtime.wire != WIRE_NONE)
		reason = key_take(&run->arena, &run->places, &run->runtime,
				  &run->key_fd, &run->detail);
	if (reason == REASON_OK)
		reason = session_check_programs((enum wire)run->runtime.wire,
						&run->detail);
	if (reason == REASON_OK)
		reason = probe_cached(&run->arena, &run->places, &run->config,
				      &run->detail);
	if (reason == REASON_OK)
		reason = session_take_uids(&run->policy, &run->lock_fd, &run->detail);
	if (reason != REASON_OK)
		return reason;
	add_program_mounts(run);
	return run_env_build(&run->arena, &run->policy, &run->runtime, &run->agent,
			     run->program.directories, &run->record.env, &run->detail);
}

static int run_main(int argc, char **argv)
{
	struct preparation run = {.key_fd = -1, .lock_fd = -1};
	struct options options = {0};
	enum reason reason;
	int status = parse_options(argc, argv, &options);

	if (status != EX_OK)
		return status < 0 ? EX_OK : status;
	if (!options.agent && !*options.words)
		return refuse_no_command();
	reason = prepare(&run, &options);
	if (reason == REASON_OK)
		reason = session_exec(&run.policy, &run.record, run.key_fd, run.lock_fd,
				      &run.detail);
	/* The descriptors end with the process. */
	status = refuse(reason, "%s", run.detail.text);
	arena_free(&run.arena);
	return status;
}

const struct command command_run = {
	.name = "run",
	.summary = "runs a command or an agent in the sandbox, in the foreground",
	.help = help,
	.main = run_main,
};
