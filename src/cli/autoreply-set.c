/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet autoreply set: the text that config.json would have is read as configuration
 * before it is written.
 */
#include <stdio.h>
#include <string.h>

#include "cli/autoreply.h"
#include "cli/config-store.h"
#include "cli/egress-ask.h"
#include "config/egress.h"

#define FILE_NAME "config"
/* A file that has no member yet. */
#define EMPTY "{\n}\n"

/* The configuration as it is and as it would be. */
struct draft {
	struct autoreply_request *request;
	struct config_file_text file;
	struct config_egress before, after;
	const char *text;
};

/* Values that another file says over would be written for nothing. */
static enum reason check_in_force(struct draft *draft, const struct config_notes *notes)
{
	struct autoreply_request *request = draft->request;

	for (size_t i = 0; i < request->changes.n; i++) {
		const struct change *change = &request->changes.list[i];
		const char *name = arena_format(&request->arena, "%s.%s",
						change->section, change->key);
		const struct config_origin *origin = notes_find_origin(notes, name);

		if (origin && strcmp(origin->path, draft->file.path) != 0)
			return explain(&request->detail, REASON_SETTING_OVERRIDDEN,
				       "`%s` stands in %s:%u, which comes after %s",
				       name, SHOW(origin->path), origin->line,
				       SHOW(draft->file.path));
	}
	return REASON_OK;
}

/* What the configuration would be with the new text. */
static enum reason read_draft(struct draft *draft)
{
	struct autoreply_request *request = draft->request;
	struct arena *arena = &request->arena;
	struct config_notes notes = {.complete = true};
	const struct config_edit edit = {draft->file.path, draft->text,
					 strlen(draft->text)};
	struct config config;
	struct egress_subject subject = {0};
	enum reason reason = config_load_edited(arena, &request->places, &edit, &notes,
						&config, &request->detail);

	if (reason != REASON_OK)
		return explain(&request->detail, notes.problems[0].reason, "%s",
			       notes.problems[0].text);
	subject.hosts = draft->after.hosts = config.auto_reply.sandbox.egress_allow;
	reason = check_in_force(draft, &notes);
	return reason == REASON_OK
		       ? egress_check_services(arena, &request->places, &config,
					       &subject, &request->detail)
		       : reason;
}

static enum reason make_text(struct draft *draft, const struct config_store *store)
{
	struct autoreply_request *request = draft->request;
	struct arena *arena = &request->arena;
	struct config_notes notes = {.complete = true};
	struct config config;
	struct detail why;
	enum reason reason;

	/* What is wrong in it may be what this line corrects. */
	(void)config_load_noted(arena, &request->places, &notes, &config,
				&request->detail);
	draft->before.hosts = config.auto_reply.sandbox.egress_allow;
	reason = config_store_read(arena, store, FILE_NAME, &draft->file,
				   &request->detail);
	draft->text = draft->file.text ? draft->file.text : EMPTY;
	for (size_t i = 0; i < request->changes.n && reason == REASON_OK; i++)
		reason =
			change_apply(arena, &request->changes.list[i], draft->file.path,
				     draft->text, &draft->text, &request->detail);
	if (reason == REASON_OK)
		reason = read_draft(draft);
	if (reason == REASON_OK)
		return REASON_OK;
	why = request->detail;
	return explain(&request->detail, reason, "nothing is written: %.1000s",
		       why.text);
}

static bool is_other(const struct draft *draft)
{
	return strcmp(draft->text, draft->file.text ? draft->file.text : EMPTY) != 0;
}

static enum reason write_file(void *context, char *const *asked, char ***ret_added)
{
	struct draft *draft = context;
	struct autoreply_request *request = draft->request;
	struct arena *arena = &request->arena;
	struct config_store store;
	enum reason reason = config_store_open(arena, &request->places, NULL, true,
					       &store, &request->detail);
	char **added;

	if (reason != REASON_OK)
		return reason;
	reason = make_text(draft, &store);
	if (reason == REASON_OK && is_other(draft)) {
		added = egress_added(arena, &draft->before, &draft->after);
		if (!egress_was_asked(asked, added))
			*ret_added = added;
		else
			reason = config_store_write(&store, FILE_NAME, &draft->file,
						    draft->text, &request->detail);
	}
	config_store_close(&store);
	return reason;
}

enum reason autoreply_set(struct autoreply_request *request)
{
	struct draft draft = {.request = request};
	enum reason reason;

	if (request->places.uid != 0)
		return explain(&request->detail, REASON_NEEDS_ROOT,
			       "`anet autoreply set` changes the configuration of the "
			       "machine, which is root's");
	reason = egress_confirm(write_file, &draft, "turns that answer peers",
				&request->detail);
	if (reason != REASON_OK)
		return reason;
	if (is_other(&draft))
		printf("%s is changed; it counts from the next turn on.\n",
		       SHOW(draft.file.path));
	else
		printf("Nothing is changed: %s says so already.\n",
		       SHOW(draft.file.path));
	return REASON_OK;
}
