/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet agent add and set: what is written, and what is told of it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/agent.h"
#include "cli/egress-ask.h"
#include "config/json-edit.h"

/* One of the two verbs. */
struct saving {
	struct agent_draft *draft;
	/* The text that the file is to have; NULL: it is so already. */
	enum reason (*make)(struct agent_draft *draft, struct config_store *store,
			    const char **ret_text);
	const char *text;
};

static enum reason write_file(void *context, char *const *asked, char ***ret_added)
{
	struct saving *saving = context;
	struct agent_draft *draft = saving->draft;
	struct agent_request *request = draft->request;
	struct arena *arena = &request->arena;
	struct config_store store;
	enum reason reason = config_store_open(arena, &request->places, STORE_AGENTS,
					       true, &store, &request->detail);
	char **added;

	if (reason != REASON_OK)
		return reason;
	reason = saving->make(draft, &store, &saving->text);
	if (reason == REASON_OK && saving->text) {
		added = egress_added(arena, &draft->before, &draft->agent.egress);
		if (!egress_was_asked(asked, added))
			*ret_added = added;
		else
			reason = config_store_write(&store, request->name, &draft->file,
						    saving->text, &request->detail);
	}
	config_store_close(&store);
	return reason;
}

static enum reason save(struct saving *saving)
{
	struct agent_request *request = saving->draft->request;

	return egress_confirm(
		write_file, saving,
		arena_format(&request->arena, "runs of agent \"%s\"", request->name),
		&request->detail);
}

static enum reason exists(struct agent_request *request, const char *path)
{
	return explain(&request->detail, REASON_AGENT_EXISTS,
		       "there is an agent \"%s\" already, in %s", request->name,
		       SHOW(path));
}

/* A runtime's own name needs no other word for it. */
static enum reason need_runtime(struct agent_request *request)
{
	struct arena *arena = &request->arena;
	struct list names = {0};

	if (changes_find(&request->changes, NULL, "runtime"))
		return REASON_OK;
	if (runtime_exists(arena, &request->places, request->name)) {
		changes_add(arena, &request->changes, NULL, "runtime",
			    json_quote(arena, request->name));
		return REASON_OK;
	}
	runtime_list(arena, &request->places, &names);
	return explain(&request->detail, REASON_USAGE,
		       "`anet agent add %s` needs `--runtime`; there are: %s",
		       request->name,
		       list_join(arena, list_items(arena, &names), ", "));
}

/* The saved strategy of a new agent that names none: the first that can run it. */
static enum reason choose(struct agent_draft *draft, const char **text)
{
	struct agent_request *request = draft->request;
	struct arena *arena = &request->arena;
	enum reason reason = agent_draft_read(draft, *text);

	if (reason == REASON_OK)
		reason = strategies_check_any(arena, &draft->selection.table,
					      &request->detail);
	if (reason != REASON_OK)
		return reason;
	changes_add(arena, &request->changes, NULL, "strategy",
		    json_quote(arena, draft->selection.fresh));
	return agent_draft_apply(draft, text);
}

static enum reason make_new(struct agent_draft *draft, struct config_store *store,
			    const char **ret_text)
{
	struct agent_request *request = draft->request;
	bool named = changes_find(&request->changes, NULL, "strategy") != NULL;
	const char *of_system = arena_format(&request->arena, "%s/agents.d/%s.json",
					     request->places.system, request->name);
	enum reason reason = config_store_read(&request->arena, store, request->name,
					       &draft->file, &request->detail);

	if (reason == REASON_OK && draft->file.text)
		return exists(request, draft->file.path);
	if (reason == REASON_OK && access(of_system, F_OK) == 0)
		return exists(request, of_system);
	if (reason == REASON_OK)
		reason = agent_draft_apply(draft, ret_text);
	if (reason == REASON_OK)
		reason = named ? REASON_OK : choose(draft, ret_text);
	if (reason == REASON_OK)
		reason = agent_draft_read(draft, *ret_text);
	return reason == REASON_OK ? agent_draft_check_strategy(draft) : reason;
}

enum reason agent_add(struct agent_request *request)
{
	bool named = changes_find(&request->changes, NULL, "strategy") != NULL;
	struct agent_draft draft = {.request = request};
	struct saving saving = {&draft, make_new, NULL};
	enum reason reason = agent_draft_begin(&draft);

	if (reason == REASON_OK)
		reason = need_runtime(request);
	if (reason == REASON_OK)
		reason = save(&saving);
	if (reason != REASON_OK)
		return reason;
	printf("Agent \"%s\" is in %s.\n", request->name, SHOW(draft.file.path));
	agent_tell_choice(&draft, named);
	agent_tell_layer(&draft);
	agent_tell_missing(&draft);
	return REASON_OK;
}

/* It must be an agent already: a runtime's name alone has no file.  What its runs could
 * reach before is what the good keys say. */
static enum reason check_is_agent(struct agent_draft *draft)
{
	struct agent_request *request = draft->request;
	struct config_notes notes = {.complete = true};
	struct config config = draft->machine;
	struct agent agent = {0};
	enum reason reason =
		agent_load_noted(&request->arena, &request->places, request->name,
				 &notes, &config, &agent, &request->detail);

	draft->before = agent.egress;
	/* What is wrong with it may be what this line corrects. */
	if (reason == REASON_AGENT_UNKNOWN)
		return reason;
	if (reason == REASON_OK && !agent.path)
		return explain(&request->detail, REASON_AGENT_UNKNOWN,
			       "\"%s\" is a runtime, and no agent yet: `anet agent add "
			       "%s` makes one",
			       request->name, request->name);
	return REASON_OK;
}

static enum reason make_other(struct agent_draft *draft, struct config_store *store,
			      const char **ret_text)
{
	struct agent_request *request = draft->request;
	enum reason reason = check_is_agent(draft);

	if (reason == REASON_OK)
		reason = config_store_read(&request->arena, store, request->name,
					   &draft->file, &request->detail);
	if (reason == REASON_OK)
		reason = agent_draft_apply(draft, ret_text);
	if (reason == REASON_OK)
		reason = agent_draft_read(draft, *ret_text);
	if (reason == REASON_OK)
		reason = agent_draft_check_strategy(draft);
	if (reason == REASON_OK && !agent_draft_is_other(draft, *ret_text))
		*ret_text = NULL;
	return reason;
}

static void tell_set(const struct agent_draft *draft, bool written)
{
	const char *name = draft->request->name;

	for (size_t i = 0; i < draft->absent.n; i++)
		printf("%s has no `%s`.\n", SHOW(draft->file.path),
		       SHOW(draft->absent.items[i]));
	if (!written)
		printf("Nothing is changed: agent \"%s\" is so already.\n", name);
	else if (!draft->file.text)
		printf("Agent \"%s\" has %s now, over the machine's.\n", name,
		       SHOW(draft->file.path));
	else
		printf("Agent \"%s\" is changed, in %s.\n", name,
		       SHOW(draft->file.path));
}

enum reason agent_set(struct agent_request *request)
{
	struct agent_draft draft = {.request = request};
	struct saving saving = {&draft, make_other, NULL};
	enum reason reason;

	if (request->changes.n == 0)
		return explain(&request->detail, REASON_USAGE,
			       "`anet agent set` needs something to set or unset");
	reason = agent_draft_begin(&draft);
	if (reason == REASON_OK)
		reason = save(&saving);
	if (reason != REASON_OK)
		return reason;
	tell_set(&draft, saving.text != NULL);
	if (changes_find(&request->changes, NULL, "strategy"))
		agent_tell_choice(&draft, true);
	agent_tell_layer(&draft);
	if (changes_find(&request->changes, NULL, "runtime"))
		agent_tell_missing(&draft);
	return REASON_OK;
}
