/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet credential: the keys of the model services, for runs of this account and,
 * as root, for the units.  Of a name there is one key: setting it anew in another
 * way removes the one before.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/credential.h"
#include "cli/machine.h"
#include "config/config.h"
#include "os/cleanup.h"
#include "os/report.h"
#include "os/session-dir.h"

static const char help[] =
	"Keeps the keys of model services.\n"
	"\n"
	"Usage: anet credential set [--plain | --sealed] NAME\n"
	"       anet credential list [--json]\n"
	"       anet credential remove NAME\n"
	"\n"
	"`set` asks for the key on a terminal, without showing it, or reads one line\n"
	"from standard input. It is never an argument: others could see it. NAME is\n"
	"the one that a runtime asks for, such as anthropic.\n"
	"\n"
	"Set by root the key is the units' (and root's own runs'): encrypted for this\n"
	"machine by systemd-creds where that works, else in a file that only root\n"
	"reads. Set by another user it is for that user's runs.\n"
	"\n"
	"Options:\n"
	"  --plain   keep it in a file of mode 0600, also where it could be encrypted\n"
	"  --sealed  encrypt it, or fail\n"
	"  --json    the list as JSON (schema anet.credentials/1)\n"
	"  --help    this text\n"
	"\n"
	"For example:\n"
	"  sudo anet credential set anthropic\n"
	"  anet credential set anthropic <key.txt\n"
	"\n"
	"Files:\n"
	"  " SEALED_DIRECTORY "/, " KEYS_DIRECTORY "/\n"
	"  ~/.config/anet/credentials/\n";

struct request {
	bool plain, sealed, json;
	const char *name; /* NULL: none */
	struct arena arena;
	struct places places;
	struct detail detail;
};

/* Writes to `at` and removes the key from the other places. */
static enum reason put(struct request *request, const struct credential_place *places,
		       size_t n, size_t at, const void *bytes, size_t length)
{
	auto_fd int fd = -1;
	enum reason reason =
		credential_open_place(&places[at], true, &fd, &request->detail);

	if (reason == REASON_OK)
		reason = credential_write(fd, &places[at], request->name, bytes, length,
					  &request->detail);
	for (size_t i = 0; i < n && reason == REASON_OK; i++) {
		auto_fd int other = -1;
		bool removed = false;

		if (i == at)
			continue;
		reason = credential_open_place(&places[i], false, &other,
					       &request->detail);
		if (reason == REASON_OK && other >= 0)
			reason = credential_remove(other, &places[i], request->name,
						   &removed, &request->detail);
		if (removed)
			printf("Removed the one before, %s/%s.\n",
			       SHOW(places[i].directory), request->name);
	}
	return reason;
}

/* Whether the key is to be encrypted, and is; else *ret_why says why not, for
 * people.  A reason only where it must be and is not. */
static enum reason seal(struct request *request, const struct credential_key *key,
			char **ret_text, size_t *ret_length, const char **ret_why)
{
	enum reason reason;

	*ret_text = NULL;
	if (request->plain) {
		*ret_why = "as you asked";
		return REASON_OK;
	}
	/* What is encrypted here only this machine's systemd opens, which is not
	 * there, or not yet, in a container or while one is built. */
	if (!request->sealed && !machine_has_systemd()) {
		*ret_why = "systemd does not run here";
		return REASON_OK;
	}
	reason = credential_seal(&request->arena, request->name, key, ret_text,
				 ret_length, &request->detail);
	if (reason == REASON_OK || request->sealed)
		return reason;
	*ret_why = request->detail.text;
	return REASON_OK;
}

static void tell_who_uses_it(struct request *request)
{
	char **names = credential_names(&request->arena, &request->places);

	if (!*credential_runtimes(&request->arena, &request->places, request->name))
		printf("No runtime asks for a key of this name%s\n",
		       *names ? DID_YOU_MEAN(request->name, (const char *const *)names)
			      : ".");
}

static enum reason set_for_units(struct request *request,
				 const struct credential_place *places, size_t n,
				 const struct credential_key *key)
{
	const char *why = NULL;
	size_t length = 0;
	char *text;
	enum reason reason = seal(request, key, &text, &length, &why);

	if (reason != REASON_OK)
		return reason;
	if (text)
		reason = put(request, places, n, 0, text, length);
	else
		reason = put(request, places, n, 1, key->bytes, key->length);
	if (reason == REASON_OK && text)
		printf("The key `%s` is sealed in %s/%s.\n", request->name,
		       places[0].directory, request->name);
	else if (reason == REASON_OK)
		printf("The key `%s` is in %s/%s, which only root reads; not sealed: "
		       "%s.\n",
		       request->name, places[1].directory, request->name, why);
	return reason;
}

static enum reason set(struct request *request)
{
	struct credential_place places[CREDENTIAL_PLACES];
	size_t n = credential_places(&request->arena, &request->places, places);
	struct credential_key key;
	enum reason reason;

	if (n == 0)
		return explain(&request->detail, REASON_SYSTEM,
			       "this account has no home to keep a key in");
	if (request->sealed && !places[0].units)
		return explain(&request->detail, REASON_USAGE,
			       "only root's keys are sealed: systemd opens them for "
			       "the units, and for nobody else");
	reason = credential_read_key(request->name, &key, &request->detail);
	if (reason != REASON_OK)
		return reason;
	if (places[0].units)
		reason = set_for_units(request, places, n, &key);
	else
		reason = put(request, places, n, 0, key.bytes, key.length);
	explicit_bzero(&key, sizeof(key));
	if (reason == REASON_OK && !places[0].units)
		printf("The key `%s` is in %s/%s.\n", request->name,
		       SHOW(places[0].directory), request->name);
	if (reason == REASON_OK)
		tell_who_uses_it(request);
	return reason;
}

static enum reason unknown(struct request *request)
{
	struct credential_list list;
	struct list names = {0};
	enum reason reason = credential_list_read(&request->arena, &request->places,
						  &list, &request->detail);

	for (size_t i = 0; reason == REASON_OK && i < list.n; i++)
		list_add(&request->arena, &names, list.entries[i].name);
	if (reason != REASON_OK)
		return reason;
	return explain(&request->detail, REASON_CREDENTIAL_UNKNOWN,
		       "there is no key `%s`%s", request->name,
		       DID_YOU_MEAN(request->name, (const char *const *)list_items(
							   &request->arena, &names)));
}

static enum reason remove_all(struct request *request)
{
	struct credential_place places[CREDENTIAL_PLACES];
	size_t n = credential_places(&request->arena, &request->places, places);
	enum reason reason = REASON_OK;
	bool any = false;

	for (size_t i = 0; i < n && reason == REASON_OK; i++) {
		auto_fd int fd = -1;
		bool removed = false;

		reason =
			credential_open_place(&places[i], false, &fd, &request->detail);
		if (reason == REASON_OK && fd >= 0)
			reason = credential_remove(fd, &places[i], request->name,
						   &removed, &request->detail);
		if (removed)
			printf("Removed %s/%s.\n", SHOW(places[i].directory),
			       request->name);
		any = any || removed;
	}
	return reason == REASON_OK && !any ? unknown(request) : reason;
}

static enum reason list(struct request *request)
{
	struct credential_list found;
	enum reason reason = credential_list_read(&request->arena, &request->places,
						  &found, &request->detail);

	if (reason == REASON_OK && request->json)
		credential_list_print_json(&request->arena, &found);
	else if (reason == REASON_OK)
		credential_list_print(&request->arena, &found);
	return reason;
}

static const struct {
	const char *word;
	enum reason (*run)(struct request *request);
	bool named;
} verbs[] = {{"set", set, true}, {"list", list, false}, {"remove", remove_all, true}};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static int refuse_verb(const char *word)
{
	const char *names[N_VERBS + 1] = {NULL};

	for (size_t i = 0; i < N_VERBS; i++)
		names[i] = verbs[i].word;
	/* Not repeated: it may be a key. */
	return refuse(REASON_USAGE, "`anet credential` has set, list and remove%s",
		      DID_YOU_MEAN(word, names));
}

/* EX_OK, or the status to end with. */
static int check_words(const struct request *request, size_t verb, char *const *words)
{
	const char *word = verbs[verb].word;

	if (request->plain && request->sealed)
		return refuse(REASON_USAGE,
			      "`--plain` and `--sealed` do not go together");
	if ((request->plain || request->sealed) && verbs[verb].run != set)
		return refuse(REASON_USAGE,
			      "`--plain` and `--sealed` are for `anet credential set`");
	if (request->json && verbs[verb].run != list)
		return refuse(REASON_USAGE, "`--json` is for `anet credential list`");
	if (!verbs[verb].named)
		return *words ? refuse(REASON_USAGE,
				       "`anet credential %s` takes no argument", word)
			      : EX_OK;
	if (!*words)
		return refuse(REASON_USAGE, "`anet credential %s` needs a name", word);
	/* What stands there may be a key: it is not repeated, here or in the
	 * journal. */
	if (words[1])
		return refuse(REASON_USAGE,
			      "`anet credential %s` takes a name and nothing more; a "
			      "key that was an argument may have been seen: replace it",
			      word);
	if (!agent_name_is_valid(words[0]))
		return refuse(REASON_USAGE,
			      "this is not the name of a key, which has a-z, 0-9 and "
			      "_, a letter first, at most 32");
	return EX_OK;
}

static int run_verb(struct request *request, size_t verb)
{
	enum reason reason;

	/* Directories that are made are what their modes say, and no wider. */
	umask(022);
	places_find(&request->arena, &request->places);
	reason = verbs[verb].run(request);
	if (reason != REASON_OK)
		fflush(stdout); /* what was done comes before what was not */
	return reason == REASON_OK ? EX_OK : refuse(reason, "%s", request->detail.text);
}

static int credential_main(int argc, char **argv)
{
	static const struct option known[] = {
		{"plain", no_argument, NULL, 'p'},
		{"sealed", no_argument, NULL, 's'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct request request = {0};
	size_t verb = 0;
	int answer, status;

	opterr = 0;
	while ((answer = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
		if (answer == 'h') {
			fputs(help, stdout);
			return EX_OK;
		}
		if (answer == 'p')
			request.plain = true;
		else if (answer == 's')
			request.sealed = true;
		else if (answer == 'j')
			request.json = true;
		else
			return refuse_option(argc, argv, known, answer);
	}
	if (!argv[optind])
		return refuse(REASON_USAGE,
			      "`anet credential` needs one of: set, list, remove");
	while (verb < N_VERBS && strcmp(verbs[verb].word, argv[optind]) != 0)
		verb++;
	if (verb == N_VERBS)
		return refuse_verb(argv[optind]);
	status = check_words(&request, verb, argv + optind + 1);
	request.name = argv[optind + 1];
	if (status == EX_OK)
		status = run_verb(&request, verb);
	arena_free(&request.arena);
	return status;
}

const struct command command_credential = {
	.name = "credential",
	.summary = "keeps the keys of model services",
	.help = help,
	.main = credential_main,
};
