/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/egress-ask.h"

#include <stdio.h>
#include <string.h>
#include <termios.h>

#include "config/egress.h"
#include "core/limits.h"
#include "os/cleanup.h"

static bool is_in(char *const *list, const char *text)
{
	while (list && *list && strcmp(*list, text) != 0)
		list++;
	return list && *list;
}

char **egress_added(struct arena *arena, const struct config_egress *before,
		    const struct config_egress *after)
{
	struct list added = {0};
	char **host = after->hosts;

	if (egress_kind(before) == EGRESS_PUBLIC)
		return list_items(arena, &added);
	if (egress_kind(after) == EGRESS_PUBLIC)
		list_add(arena, &added, arena_copy(arena, "every public host"));
	for (; host && *host; host++)
		if (!is_in(before->hosts, *host))
			list_add(arena, &added, *host);
	return list_items(arena, &added);
}

bool egress_was_asked(char *const *asked, char *const *added)
{
	while (*added && is_in(asked, *added))
		added++;
	return !*added;
}

static enum reason no_terminal(struct detail *ret_detail)
{
	return explain(ret_detail, REASON_TERMINAL_REQUIRED,
		       "nothing is written: hosts that runs may reach are added by a "
		       "person at a terminal, and there is none");
}

static bool is_yes(FILE *terminal)
{
	char answer[16] = "";

	return fgets(answer, sizeof(answer), terminal) &&
	       (strcmp(answer, "y\n") == 0 || strcmp(answer, "yes\n") == 0);
}

static enum reason ask(const char *whose, char *const *added, struct detail *ret_detail)
{
	auto_file FILE *terminal = fopen("/dev/tty", "r+e");

	if (!terminal)
		return no_terminal(ret_detail);
	dprintf(fileno(terminal), "From now on %s could reach, by https:\n", whose);
	for (; *added; added++)
		dprintf(fileno(terminal), "  %s\n", *added);
	dprintf(fileno(terminal),
		"Each host is a way out for whatever a run can read: nobody looks at "
		"what it sends.\n");
	/* What was typed before this was seen is no answer to it. */
	(void)tcflush(fileno(terminal), TCIFLUSH);
	if (dprintf(fileno(terminal), "Add them? [y/N] ") < 0)
		return no_terminal(ret_detail);
	if (is_yes(terminal))
		return REASON_OK;
	return explain(ret_detail, REASON_NOT_CONFIRMED,
		       "nothing is written: the answer was not `y`");
}

enum reason egress_confirm(egress_write *write, void *context, const char *whose,
			   struct detail *ret_detail)
{
	char **asked = NULL;

	for (;;) {
		char **added = NULL;
		enum reason reason = write(context, asked, &added);

		if (reason != REASON_OK || !added)
			return reason;
		reason = ask(whose, added, ret_detail);
		if (reason != REASON_OK)
			return reason;
		asked = added;
	}
}

const char *egress_command(struct arena *arena, const struct agent *agent,
			   const char *host)
{
	char **hosts = agent->egress.hosts;
	struct list all = {0};

	if (egress_kind(&agent->egress) == EGRESS_PUBLIC)
		return NULL;
	if (hosts)
		list_add_all(arena, &all, hosts);
	if (all.n >= LIMIT_EGRESS_HOSTS)
		return NULL;
	list_add(arena, &all, arena_copy(arena, host));
	if (agent->path)
		return arena_format(arena, "anet agent set %s --egress %s", agent->name,
				    list_join(arena, all.items, ","));
	return arena_format(arena, "anet run --agent %s --egress %s", agent->name,
			    list_join(arena, all.items, ","));
}
