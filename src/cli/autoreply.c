/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet autoreply: how this machine answers the tasks of peers.
 */
#include "cli/autoreply.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "cli/values.h"
#include "os/report.h"

static const char help[] =
	"Shows or sets how this machine answers the tasks of peers.\n"
	"\n"
	"Usage: anet autoreply show [--json]\n"
	"       anet autoreply set OPTION…\n"
	"\n"
	"`set` writes the section `auto_reply` of the machine's configuration, so it "
	"is "
	"for\n"
	"root. It changes only what it names, after the whole was checked; turns that "
	"run\n"
	"go on as they began.\n"
	"\n"
	"Options:\n"
	"  --egress-allow HOSTS  the other hosts that turns in a sandbox may reach, "
	"by\n"
	"                        their exact names: a,b; \"\": none. What is new is "
	"asked\n"
	"                        about at the terminal\n"
	"  --json                JSON (schema anet.autoreply/1)\n"
	"  --help                this text\n"
	"\n"
	"For example:\n"
	"  sudo anet autoreply set --egress-allow pypi.org,files.pythonhosted.org\n"
	"\n"
	"Files:\n"
	"  " ANET_CONFIG_DIR "/config.json, config.d/\n";

static const struct setting settings[] = {
	{"egress-allow", "auto_reply.sandbox", "egress_allow", SETTING_HOSTS},
};

#define N_SETTINGS (sizeof(settings) / sizeof(settings[0]))

static const struct {
	const char *word;
	enum reason (*run)(struct autoreply_request *request);
	bool sets; /* takes the settings, and no --json */
} verbs[] = {
	{"show", autoreply_show, false},
	{"set", autoreply_set, true},
};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

/* What the table of keys calls this section, of which all is shown. */
#define SECTION "auto_reply."

static void take_section(void *context, const struct config_value *value)
{
	if (strncmp(value->name, SECTION, strlen(SECTION)) == 0)
		values_take(context, value);
	else
		json_object_put(value->json);
}

enum reason autoreply_show(struct autoreply_request *request)
{
	struct arena *arena = &request->arena;
	struct config_notes notes = {.complete = true};
	struct json_object *root;
	struct config config;
	struct values values;

	/* What a file has wrong is told as it is by all others. */
	if (config_load_noted(arena, &request->places, &notes, &config,
			      &request->detail) != REASON_OK)
		return explain(&request->detail, notes.problems[0].reason, "%s",
			       notes.problems[0].text);
	values_begin(&values, arena);
	config_values(arena, &config, &notes, take_section, &values);
	if (!request->json) {
		table_print(&values.table, 0);
		json_object_put(values.array);
		return REASON_OK;
	}
	root = json_object_new_object();
	json_object_object_add(root, "schema", json_text("anet.autoreply/1"));
	json_object_object_add(root, "values", values.array);
	print_json(root);
	return REASON_OK;
}

static int refuse_verb(const char *word)
{
	const char *names[N_VERBS + 1] = {NULL};

	for (size_t i = 0; i < N_VERBS; i++)
		names[i] = verbs[i].word;
	if (!word)
		return refuse(REASON_USAGE, "`anet autoreply` needs one of: show, set");
	return refuse(REASON_USAGE, "`anet autoreply` has no `%s`%s", SHOW(word),
		      DID_YOU_MEAN(word, names));
}

/* GO_ON, or the status to end with. */
static int take_option(struct autoreply_request *request, size_t verb, int answer,
		       const char *option)
{
	enum reason reason;

	if ((answer == 'j') == verbs[verb].sets)
		return refuse(REASON_USAGE, "`--%s` is not for `anet autoreply %s`",
			      option, verbs[verb].word);
	if (answer == 'j') {
		request->json = true;
		return GO_ON;
	}
	reason = setting_take(&request->arena, &settings[answer - SETTING_FIRST],
			      optarg, &request->changes, &request->detail);
	return reason == REASON_OK ? GO_ON : refuse(reason, "%s", request->detail.text);
}

static int parse(int argc, char **argv, size_t verb, struct autoreply_request *request)
{
	static const struct option others[] = {
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	const struct option *options =
		settings_options(&request->arena, settings, N_SETTINGS, others);
	int answer, which = 0, status;

	opterr = 0;
	optind = 1;
	while ((answer = getopt_long(argc, argv, ":h", options, &which)) != -1) {
		if (answer == 'h') {
			fputs(help, stdout);
			return EX_OK;
		}
		if (answer == '?' || answer == ':')
			return refuse_option(argc, argv, options, answer);
		status = take_option(request, verb, answer, options[which].name);
		if (status != GO_ON)
			return status;
	}
	if (argv[optind])
		return refuse(REASON_USAGE,
			      "`anet autoreply %s` takes no argument `%s`",
			      verbs[verb].word, SHOW(argv[optind]));
	if (verbs[verb].sets && request->changes.n == 0)
		return refuse(REASON_USAGE,
			      "`anet autoreply set` needs something to set");
	return GO_ON;
}

static int autoreply_main(int argc, char **argv)
{
	struct autoreply_request request = {0};
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
	if (status == GO_ON) {
		places_of_system(&request.places);
		reason = verbs[verb].run(&request);
		status = reason == REASON_OK
				 ? EX_OK
				 : refuse(reason, "%s", request.detail.text);
	}
	arena_free(&request.arena);
	return status;
}

const struct command command_autoreply = {
	.name = "autoreply",
	.summary = "shows or sets how tasks of peers are answered",
	.help = help,
	.main = autoreply_main,
};
