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
extern const struct command command_autoreply;
extern const struct command command_run;
extern const struct command command_config;
extern const struct command command_doctor;
extern const struct command command_credential;
extern const struct command command_models;
extern const struct command command_restart;
extern const struct command command_sessions;
extern const struct command command_status;
extern const struct command command_why;
extern const struct command command_strategies;

/* Refuses an option that getopt_long(3) did not take (it returned '?' or ':'),
 * with the nearest one; returns the exit status. */
struct option;
int refuse_option(int argc, char **argv, const struct option *options, int answer);

/* An option of a command: one of both is set. */
struct command_option {
	const char *name; /* NULL: the end of the list */
	bool *flag;	  /* set to true */
	const char **text; /* set to the value */
};

/* Reads the line of a command by its options, and --help, which needs no row; at most
 * COMMAND_MAX_OPTIONS.  Words may stand anywhere with `ret_words`, which then ends
 * with NULL; without it they are refused, and `hint` says what was perhaps meant
 * (NULL: nothing).  GO_ON, or the exit status when the help was printed or the line
 * was refused. */
#define GO_ON (-1)
#define COMMAND_MAX_OPTIONS 8
int read_options(int argc, char **argv, const struct command *command,
		 const struct command_option *options, char ***ret_words,
		 const char *hint);

/* The same for a command that takes --json alone. */
int read_json_option(int argc, char **argv, const struct command *command,
		     bool *ret_json);

#endif
