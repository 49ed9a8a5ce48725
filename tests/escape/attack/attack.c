/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "attack.h"

static const struct attack *const all[] = {
	namespace_attacks, mount_attacks, kernel_attacks,   process_attacks,
	socket_attacks,	   setid_attacks, terminal_attacks, abi_attacks,
};

enum outcome achieved(void)
{
	puts("achieved");
	return ACHIEVED;
}

enum outcome refused(const char *what)
{
	const char *name = strerrorname_np(errno);

	printf("refused: %s: %s\n", what, name ? name : "no errno");
	return REFUSED;
}

enum outcome not_here(const char *why)
{
	const char *name = strerrorname_np(errno);

	printf("not here: %s: %s\n", why, name ? name : "no errno");
	return NOT_HERE;
}

enum outcome reached(long result, const char *what)
{
	if (result == -1 && (errno == EPERM || errno == ENOSYS || errno == EACCES))
		return refused(what);
	return achieved();
}

unsigned long number(const char *argument)
{
	char *end;
	unsigned long value = argument ? strtoul(argument, &end, 0) : 0;

	if (!argument || *end || end == argument) {
		fprintf(stderr, "attack: a number is missing\n");
		exit(2);
	}
	return value;
}

int wait_child(int pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	size_t i;

	setvbuf(stdout, NULL, _IONBF, 0);
	for (i = 0; argc > 1 && i < sizeof(all) / sizeof(*all); i++) {
		const struct attack *attack;

		for (attack = all[i]; attack->name; attack++)
			if (!strcmp(attack->name, argv[1]))
				return attack->run(argv + 2);
	}
	fprintf(stderr, "attack: no such attack\n");
	return 2;
}
