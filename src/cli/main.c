/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet: what an operator types.
 *
 * Job: reads options and configuration, finds programs and keys, tells people
 * what is wrong; then becomes anet-session, or keeps a key, or prints.  It trusts
 * its caller, who owns the configuration, and reads nothing that a run wrote; what
 * supervisors wrote about their sessions has a fixed size and is shown escaped.
 * Descriptors: the caller's 0 to 2.  A process of its own because it holds the
 * configuration and for a moment the key, which what starts the run must not.
 */
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/command.h"
#include "os/explain.h"
#include "os/process.h"
#include "os/report.h"

static const struct command *const commands[] = {
	&command_run,	  &command_agent,    &command_strategies, &command_why,
	&command_models,  &command_sessions, &command_status,	  &command_config,
	&command_restart, &command_doctor,   &command_credential, &command_autoreply,
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const char overview[] = "anet runs coding agents in a sandbox on this machine.\n"
			       "\n"
			       "Usage: anet COMMAND [OPTION…] [ARGUMENT…]\n"
			       "\n"
			       "Commands:\n";

static const char overview_end[] =
	"  help [COMMAND]  this text, or that of a command\n"
	"\n"
	"Options:\n"
	"  --help          this text\n"
	"  --version       the version\n"
	"\n"
	"For example:\n"
	"  anet run -- make test\n"
	"  anet run --agent claude -- -p \"explain this directory\"\n";

static int print_overview(void)
{
	fputs(overview, stdout);
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("  %-14s  %s\n", commands[i]->name, commands[i]->summary);
	fputs(overview_end, stdout);
	return EX_OK;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int refuse_command(const char *name)
{
	const char *names[N_COMMANDS + 2] = {"help"};

	for (size_t i = 0; i < N_COMMANDS; i++)
		names[i + 1] = commands[i]->name;
	return refuse(REASON_USAGE, "there is no command `%s`%s", SHOW(name),
		      DID_YOU_MEAN(name, names));
}

static int print_help(const char *name)
{
	const struct command *command;

	if (!name)
		return print_overview();
	command = find_command(name);
	if (!command)
		return refuse_command(name);
	fputs(command->help, stdout);
	return EX_OK;
}

static int run_command(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2)
		return refuse(REASON_USAGE, "a command is missing after `anet`");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_overview();
	if (strcmp(argv[1], "--version") == 0) {
		puts(PACKAGE_NAME " " PACKAGE_VERSION);
		return EX_OK;
	}
	if (strcmp(argv[1], "help") == 0)
		return print_help(argv[2]);
	command = find_command(argv[1]);
	if (!command)
		return refuse_command(argv[1]);
	return command->main(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int r, status;

	process_harden();
	r = process_pin_stdio();
	process_inherit_signals();
	report_set_program("anet");
	if (r < 0)
		return refuse(REASON_SYSTEM, "cannot open /dev/null: %s", strerror(-r));
	status = run_command(argc, argv);
	/* What was printed for a program may not be cut in silence. */
	if ((ferror(stdout) || fflush(stdout) != 0) && status == EX_OK)
		return refuse(REASON_SYSTEM, "cannot write to standard output: %m");
	return status;
}
