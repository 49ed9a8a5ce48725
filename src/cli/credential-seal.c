/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/capture.h"
#include "cli/credential.h"
#include "os/session-dir.h"

/* Not looked for in PATH: it is given the key. */
#define SYSTEMD_CREDS "/usr/bin/systemd-creds"

enum reason credential_seal(struct arena *arena, const char *name,
			    const struct credential_key *key, char **ret_text,
			    size_t *ret_length, struct detail *ret_detail)
{
	char program[] = SYSTEMD_CREDS, verb[] = "encrypt", from[] = "-", to[] = "-";
	/* The file is bound to this name: as another it cannot be opened. */
	char *bound = arena_format(arena, "--name=" SEALED_PREFIX "%s", name);
	char *argv[] = {program, verb, bound, from, to, NULL};
	struct capture said;
	int r;

	if (access(SYSTEMD_CREDS, X_OK) < 0)
		return explain(ret_detail, REASON_CREDENTIAL_NOT_SEALED,
			       SYSTEMD_CREDS ": %s", strerror(errno));
	r = capture(argv, key->bytes, key->length, &said);
	if (r < 0)
		return explain(ret_detail, REASON_CREDENTIAL_NOT_SEALED,
			       "cannot start " SYSTEMD_CREDS ": %s", strerror(-r));
	said.err[strcspn(said.err, "\n")] = 0;
	if (r > 0)
		return explain(ret_detail, REASON_CREDENTIAL_NOT_SEALED,
			       "systemd-creds ended with status %d%s%s", r,
			       *said.err ? " and said: " : "", SHOW(said.err));
	if (said.out_length == 0 || said.out_length >= sizeof(said.out))
		return explain(ret_detail, REASON_CREDENTIAL_NOT_SEALED,
			       "systemd-creds printed %zu bytes", said.out_length);
	*ret_text = arena_copy_bytes(arena, said.out, said.out_length);
	*ret_length = said.out_length;
	return REASON_OK;
}
