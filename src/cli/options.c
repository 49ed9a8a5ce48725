/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/command.h"
#include "os/explain.h"
#include "os/report.h"

int refuse_option(int argc, char **argv, const struct option *options, int answer)
{
	const char *word = optind > 0 && optind <= argc ? argv[optind - 1] : "";
	const char *names[32] = {NULL};
	char spellings[32][24], name[64];
	unsigned int beginnings = 0;
	size_t n = 0;

	if (answer == ':')
		return refuse(REASON_USAGE, "`%s` needs a value", SHOW(word));
	if (strncmp(word, "--", 2) != 0)
		return refuse(REASON_USAGE, "there is no option `-%c`", optopt);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	for (; n < 31 && options[n].name; n++) {
		snprintf(spellings[n], sizeof(spellings[n]), "--%s", options[n].name);
		if (strcmp(spellings[n], name) == 0)
			return refuse(REASON_USAGE, "`%s` takes no value", SHOW(name));
		beginnings += strncmp(spellings[n], name, strlen(name)) == 0;
		names[n] = spellings[n];
	}
	if (beginnings > 1)
		return refuse(REASON_USAGE, "`%s` may stand for more than one option",
			      SHOW(name));
	return refuse(REASON_USAGE, "there is no option `%s`%s", SHOW(name),
		      DID_YOU_MEAN(name, names));
}

/* getopt_long(3) answers with the number of the row. */
static void name_options(const struct command_option *options,
			 struct option ret_known[COMMAND_MAX_OPTIONS + 2])
{
	int n = 0;

	for (; n < COMMAND_MAX_OPTIONS && options[n].name; n++)
		ret_known[n] = (struct option){
			options[n].name,
			options[n].text ? required_argument : no_argument, NULL, n};
	ret_known[n] = (struct option){"help", no_argument, NULL, 'h'};
	ret_known[n + 1] = (struct option){0};
}

int read_options(int argc, char **argv, const struct command *command,
		 const struct command_option *options, char ***ret_words,
		 const char *hint)
{
	struct option known[COMMAND_MAX_OPTIONS + 2];
	int answer;

	name_options(options, known);
	opterr = 0;
	while ((answer = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
		if (answer == 'h') {
			fputs(command->help, stdout);
			return EX_OK;
		}
		if (answer >= COMMAND_MAX_OPTIONS)
			return refuse_option(argc, argv, known, answer);
		/* getopt_long(3) takes it for the value; nobody means it so. */
		if (optarg && strcmp(optarg, "--") == 0)
			return refuse(REASON_USAGE,
				      "`--%s` needs a value, and `--` is none",
				      options[answer].name);
		if (options[answer].text)
			*options[answer].text = optarg;
		else
			*options[answer].flag = true;
	}
	if (ret_words)
		*ret_words = argv + optind;
	else if (argv[optind])
		return refuse(REASON_USAGE, "`anet %s` takes no argument `%s`%s%s",
			      command->name, SHOW(argv[optind]), hint ? "; " : "",
			      hint ? hint : "");
	return GO_ON;
}

int read_json_option(int argc, char **argv, const struct command *command,
		     bool *ret_json)
{
	const struct command_option options[] = {{"json", ret_json, NULL}, {0}};

	return read_options(argc, argv, command, options, NULL, NULL);
}
