/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/capture.h"
#include "cli/credential.h"
#include "os/session-dir.h"

/* Not looked for in PATH: it is given the key. */
#define SYSTEMD_CREDS "/usr/bin/systemd-creds"

/* `systemd-creds VERB --name=BOUND - -`, from and to pipes. */
static enum reason run_creds(const char *verb, const char *bound, const void *input,
			     size_t length, struct capture *said,
			     struct detail *ret_detail)
{
	char program[] = SYSTEMD_CREDS, how[16], name[sizeof(SEALED_PREFIX) + 64];
	char from[] = "-", to[] = "-";
	char *argv[] = {program, how, name, from, to, NULL};
	int r;

	snprintf(how, sizeof(how), "%s", verb);
	snprintf(name, sizeof(name), "--name=%s", bound);
	r = capture(argv, input, length, said);
	if (r < 0)
		return explain(ret_detail, REASON_CREDENTIAL_NOT_SEALED,
			       "cannot start " SYSTEMD_CREDS ": %s", strerror(-r));
	said->err[strcspn(said->err, "\n")] = 0;
	if (r > 0)
		return explain(ret_detail, REASON_CREDENTIAL_NOT_SEALED,
			       "`systemd-creds %s` ended with status %d%s%s", verb, r,
			       *said->err ? " and said: " : "", SHOW(said->err));
	return REASON_OK;
}

/* One file that systemd cannot decrypt fails each upstream of every session
 * (systemd.exec(5), exit status 243): it must not come to be there. */
static enum reason check_sealed(const char *bound, const struct credential_key *key,
				const char *text, size_t length,
				struct detail *ret_detail)
{
	struct capture said;
	enum reason reason =
		run_creds("decrypt", bound, text, length, &said, ret_detail);

	if (reason == REASON_OK && (said.out_length != key->length ||
				    memcmp(said.out, key->bytes, key->length) != 0))
		reason = explain(ret_detail, REASON_CREDENTIAL_NOT_SEALED,
				 "what systemd-creds encrypted does not decrypt to "
				 "what it was");
	explicit_bzero(&said, sizeof(said));
	return reason;
}

enum reason credential_seal(struct arena *arena, const char *name,
			    const struct credential_key *key, char **ret_text,
			    size_t *ret_length, struct detail *ret_detail)
{
	/* The file is bound to this name: as another it cannot be opened. */
	const char *bound = arena_format(arena, SEALED_PREFIX "%s", name);
	struct capture said;
	enum reason reason;

	if (access(SYSTEMD_CREDS, X_OK) < 0)
		return explain(ret_detail, REASON_CREDENTIAL_NOT_SEALED,
			       SYSTEMD_CREDS ": %s", strerror(errno));
	reason =
		run_creds("encrypt", bound, key->bytes, key->length, &said, ret_detail);
	if (reason != REASON_OK)
		return reason;
	if (said.out_length == 0 || said.out_length > CAPTURE_INPUT)
		return explain(ret_detail, REASON_CREDENTIAL_NOT_SEALED,
			       "`systemd-creds encrypt` printed %zu bytes",
			       said.out_length);
	reason = check_sealed(bound, key, said.out, said.out_length, ret_detail);
	if (reason != REASON_OK)
		return reason;
	*ret_text = arena_copy_bytes(arena, said.out, said.out_length);
	*ret_length = said.out_length;
	return REASON_OK;
}
