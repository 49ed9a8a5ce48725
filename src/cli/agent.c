/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet agent: the agents of this machine, or of a user, as files.  What is written is
 * checked first by the reader of configuration, and written as a whole.
 */
#include "cli/agent.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/command.h"
#include "os/report.h"

static const char help[] =
	"Keeps agents: which program runs, in which boundary, with which model.\n"
	"\n"
	"Usage: anet agent add NAME --runtime RUNTIME [OPTION…] [-- ARGUMENT…]\n"
	"       anet agent set NAME [OPTION…] [-- ARGUMENT…]\n"
	"       anet agent show NAME [--json]\n"
	"       anet agent list [--json]\n"
	"       anet agent remove NAME [--yes]\n"
	"       anet agent rename NAME NEW\n"
	"\n"
	"An agent is a file, NAME.json. Root's are the machine's, a user's are his "
	"own,\n"
	"and say over the machine's, key by key, what he sets. `set` changes only what "
	"it\n"
	"names; what else the file has stays, comments too. Sessions that run go on "
	"as\n"
	"they began. Words behind `--` are the arguments of its program, or the "
	"command.\n"
	"\n"
	"Options of add and set:\n"
	"  --runtime NAME        the kind of program: claude, command, …\n"
	"  --strategy NAME       host (no boundary), srt or microsandbox [host, where "
	"it\n"
	"                        can run, else the first that can]\n"
	"  --model NAME          an id, an alias, or `agent`: what the agent asks for\n"
	"  --api-base URL        the model service: https://HOST[:PORT][/PREFIX]\n"
	"  --workspace DIR       the directory to work in\n"
	"  --mount SRC[:DST][:MODE]  what it sees besides: readonly, writable or "
	"overlay;\n"
	"                        all of one line are the list\n"
	"  --home KIND           kept or ephemeral\n"
	"  --protect BOOL        true: files of the workspace that others execute are\n"
	"                        read-only; false: they are not\n"
	"  --limit NAME=NUMBER   one of the limits, 0 for none: anet.conf(5)\n"
	"  --env NAME=VALUE      one more variable\n"
	"  --egress HOSTS        other hosts that it may reach, by their exact names: "
	"a,b,\n"
	"                        or `none`, or `public`; what is new is asked about\n"
	"  --server-tool NAME    web_search, web_fetch or code_execution; all of one "
	"line\n"
	"                        are the list\n"
	"  --unset KEY           as if it had never been set: model, limits, "
	"limits.tasks,\n"
	"                        env.NAME, arguments, …\n"
	"\n"
	"Options of the others:\n"
	"  --json                JSON (schema anet.agent/1, of list anet.agents/1)\n"
	"  --yes                 remove without asking\n"
	"  --help                this text\n"
	"\n"
	"For example:\n"
	"  anet agent add coder --runtime claude --strategy srt --workspace ~/project\n"
	"  anet agent set coder --limit requests=100 --model opus\n"
	"  anet agent add nightly --runtime command --strategy srt -- make -C test\n"
	"\n"
	"Files:\n"
	"  " ANET_CONFIG_DIR "/agents.d/, ~/.config/anet/agents.d/\n";

enum takes {
	CHANGES = 1 << 0, /* options of add and set, and words behind `--` */
	JSON = 1 << 1,
	YES = 1 << 2,
};

static const struct {
	const char *word;
	enum reason (*run)(struct agent_request *request);
	unsigned int names; /* that it needs */
	unsigned int takes; /* enum takes */
} verbs[] = {
	{"add", agent_add, 1, CHANGES},	  {"set", agent_set, 1, CHANGES},
	{"show", agent_show, 1, JSON},	  {"list", agent_list, 0, JSON},
	{"remove", agent_remove, 1, YES}, {"rename", agent_rename, 2, 0},
};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static int refuse_verb(const char *word)
{
	const char *names[N_VERBS + 1] = {NULL};

	for (size_t i = 0; i < N_VERBS; i++)
		names[i] = verbs[i].word;
	if (!word)
		return refuse(REASON_USAGE,
			      "`anet agent` needs one of: add, set, show, list, "
			      "remove, rename");
	return refuse(REASON_USAGE, "`anet agent` has no `%s`%s", SHOW(word),
		      DID_YOU_MEAN(word, names));
}

static int refuse_count(size_t verb)
{
	static const char *const wants[] = {"takes no name", "needs one name",
					    "needs two names: the agent's, and its "
					    "new one"};

	return refuse(REASON_USAGE, "`anet agent %s` %s", verbs[verb].word,
		      wants[verbs[verb].names]);
}

static int refuse_for_verb(size_t verb, const char *option)
{
	return refuse(REASON_USAGE, "`%s` is not for `anet agent %s`", option,
		      verbs[verb].word);
}

/* GO_ON, or the status to end with. */
static int take_option(struct agent_request *request, size_t verb, int answer,
		       const char *option)
{
	unsigned int takes = verbs[verb].takes;
	enum reason reason;

	if (answer == 'j' && !(takes & JSON))
		return refuse_for_verb(verb, "--json");
	if (answer == 'y' && !(takes & YES))
		return refuse_for_verb(verb, "--yes");
	request->json = request->json || answer == 'j';
	request->yes = request->yes || answer == 'y';
	if (!agent_option_is_change(answer))
		return GO_ON;
	if (!(takes & CHANGES))
		return refuse_for_verb(verb, option);
	reason = agent_take_option(request, answer, optarg);
	return reason == REASON_OK ? GO_ON : refuse(reason, "%s", request->detail.text);
}

static int parse(int argc, char **argv, size_t verb, struct agent_request *request)
{
	const struct option *options = agent_options(&request->arena);
	const char *names[2] = {NULL, NULL};
	unsigned int n = 0;
	int answer, which = 0, status;

	opterr = 0;
	optind = 1;
	/* "-": words are answers too, in their place, up to `--`. */
	while ((answer = getopt_long(argc, argv, "-:h", options, &which)) != -1) {
		if (answer == 'h') {
			fputs(help, stdout);
			return EX_OK;
		}
		if (answer == '?' || answer == ':')
			return refuse_option(argc, argv, options, answer);
		if (answer == 1 && n >= verbs[verb].names)
			return refuse(REASON_USAGE,
				      "`anet agent %s` does not take the word `%s`%s",
				      verbs[verb].word, SHOW(optarg),
				      verbs[verb].takes & CHANGES
					      ? "; arguments of the agent stand "
						"behind `--`"
					      : "");
		if (answer == 1) {
			names[n++] = optarg;
			continue;
		}
		status = take_option(
			request, verb, answer,
			arena_format(&request->arena, "--%s", options[which].name));
		if (status != GO_ON)
			return status;
	}
	if (n != verbs[verb].names)
		return refuse_count(verb);
	if (argv[optind] && !(verbs[verb].takes & CHANGES))
		return refuse(REASON_USAGE, "`anet agent %s` takes nothing behind `--`",
			      verbs[verb].word);
	agent_take_words(request, argv + optind);
	request->name = names[0];
	request->other = names[1];
	return GO_ON;
}

static int agent_main(int argc, char **argv)
{
	struct agent_request request = {0};
	size_t verb = 0;
	enum reason reason;
	int status;

	if (argc > 1 &&
	    (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(help, stdout);
		return EX_OK;
	}
	while (argc > 1 && verb < N_VERBS && strcmp(verbs[verb].word, argv[1]) != 0)
		verb++;
	if (argc < 2 || verb == N_VERBS)
		return refuse_verb(argc < 2 ? NULL : argv[1]);
	status = parse(argc - 1, argv + 1, verb, &request);
	if (status != GO_ON)
		return status;
	places_find(&request.arena, &request.places);
	reason = verbs[verb].run(&request);
	if (reason != REASON_OK) {
		fflush(stdout); /* what was done comes before what was not */
		status = refuse(reason, "%s", request.detail.text);
	}
	arena_free(&request.arena);
	return reason == REASON_OK ? EX_OK : status;
}

const struct command command_agent = {
	.name = "agent",
	.summary = "keeps agents: program, boundary, model, limits",
	.help = help,
	.main = agent_main,
};
