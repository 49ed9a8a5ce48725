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

int read_json_option(int argc, char **argv, const struct command *command,
		     bool *ret_json)
{
	static const struct option known[] = {
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	bool json = false;
	int answer;

	opterr = 0;
	while ((answer = getopt_long(argc, argv, "+:h", known, NULL)) != -1) {
		if (answer == 'h') {
			fputs(command->help, stdout);
			return EX_OK;
		}
		if (answer != 'j')
			return refuse_option(argc, argv, known, answer);
		json = true;
	}
	if (argv[optind])
		return refuse(REASON_USAGE, "`anet %s` takes no argument `%s`",
			      command->name, SHOW(argv[optind]));
	*ret_json = json;
	return GO_ON;
}
