/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints the lists of anet-reasons(7) from src/core/reason.def as mdoc(7):
 * `reasons-page local` those that a person meets, `reasons-page http` those
 * that answer an agent.  A build tool; not installed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "mdoc.h"

struct row {
	const char *code;
	int exit_status, http_status;
	const char *sentence, *remedy;
};

static const struct row rows[] = {
#define R(symbol, code, exit_status, http_status, severity, sentence, remedy)          \
	{code, exit_status, http_status, sentence, remedy},
#include "core/reason.def"
#undef R
};

int main(int argc, char **argv)
{
	bool http = argc > 1 && !strcmp(argv[1], "http");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		if (http != (row->http_status != 0))
			continue;
		printf(".It Sy ");
		mdoc_escaped(row->code, strlen(row->code));
		if (http)
			printf(" Pq HTTP %d\n", row->http_status);
		else
			printf(" Pq exit status %d\n", row->exit_status);
		mdoc_sentence(row->sentence);
		if (row->remedy[0])
			mdoc_sentence(row->remedy);
	}
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
