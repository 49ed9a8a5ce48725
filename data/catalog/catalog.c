/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints the message catalog of the journal from src/core/reason.def: for each
 * reason what happened and what to do, which `journalctl -x` shows below a record
 * (systemd.io, CATALOG).  A build tool; not installed.
 */
#include <stdio.h>
#include <string.h>

#include "core/reason.h"

#define WIDTH 78

/* The next words of a text on lines of WIDTH. */
static void print_wrapped(const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (column && column + 1 + length > WIDTH) {
			putchar('\n');
			column = 0;
		} else if (column) {
			putchar(' ');
			column++;
		}
		fwrite(text, 1, length, stdout);
		column += length;
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_remedy(const char *remedy)
{
	char line[1024];

	snprintf(line, sizeof(line), "What to do: %s.", remedy);
	print_wrapped(line);
}

/* What the subject, the sentence of the reason, does not say. */
static void print_circumstances(enum reason reason)
{
	char answer[160];
	int http = reason_http_status(reason);

	if (reason == REASON_OK)
		print_wrapped(
			"A session, or the connection of a helper, came to its end "
			"without anything that needs attention.");
	if (http >= 500)
		print_wrapped(
			"The agent was told so, unless its answer had begun already.");
	if (http < 400 || http >= 500)
		return;
	snprintf(answer, sizeof(answer),
		 "The agent was answered with HTTP status %d and this sentence; "
		 "nothing was "
		 "forwarded to the model service.",
		 http);
	print_wrapped(answer);
}

static void print_entry(unsigned int number, const char *subject)
{
	printf("-- " REASON_MESSAGE_ID "\nSubject: anet: %s\nDefined-By: anet\n"
	       "Documentation: man:anet-reasons(7)\n\n",
	       number, subject);
}

static void print_end(const char *code)
{
	print_wrapped("The record itself says on which object and why; with "
		      "`journalctl -o verbose` also session, agent and program "
		      "(ANET_SESSION, ANET_AGENT, ANET_HELPER).");
	printf("The reason code is %s.\n\n", code);
}

int main(void)
{
	for (unsigned int i = 0; i < REASON_COUNT; i++) {
		enum reason reason = (enum reason)i;

		print_entry(i, reason_sentence(reason));
		print_circumstances(reason);
		if (*reason_remedy(reason))
			print_remedy(reason_remedy(reason));
		print_end(reason_code(reason));
	}
	print_entry(REASON_MESSAGE_CONNECTION, "a connection came to its end");
	print_wrapped(
		"A helper has served one connection of the agent to the model service "
		"and has ended. The record also has where it led "
		"(ANET_DESTINATION), its bytes (ANET_BYTES_IN, ANET_BYTES_OUT) and "
		"its time in microseconds (ANET_USEC).");
	print_end("@ANET_REASON@");
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
