/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_COMMAND_H
#define ANET_CLI_COMMAND_H

#include <stdbool.h>

/* A word after `anet`.  Gets the arguments from that word on and returns the
 * exit status of the program. */
struct command {
	const char *name;
	const char *summary;
	const char *help; /* whole text of --help */
	int (*main)(int argc, char **argv);
};

extern const struct command command_agent;
extern const struct command command_run;
extern const struct command command_config;
extern const struct command command_doctor;
extern const struct command command_credential;
extern const struct command command_restart;
extern const struct command command_sessions;
extern const struct command command_status;
extern const struct command command_why;
extern const struct command command_strategies;

/* Refuses an option that getopt_long(3) did not take (it returned '?' or ':'),
 * with the nearest one; returns the exit status. */
struct option;
int refuse_option(int argc, char **argv, const struct option *options, int answer);

/* Reads the line of a command that takes --json and --help alone.  GO_ON, or the
 * exit status when the help was printed or the line was refused. */
#define GO_ON (-1)
int read_json_option(int argc, char **argv, const struct command *command,
		     bool *ret_json);

#endif
