/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet agent add and set: the text that the file would have is read as configuration
 * before it is written.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/agent.h"
#include "cli/config-check.h"
#include "cli/selector.h"
#include "config/api-base.h"
#include "config/json-edit.h"
#include "config/json-file.h"
#include "config/model.h"
#include "config/run-env.h"
#include "config/runtime.h"

/* A file that has no member yet. */
#define EMPTY "{\n}\n"

/* What cannot wait until the directory is locked: a probe may take seconds. */
static enum reason begin(struct agent_draft *draft)
{
	struct agent_request *request = draft->request;
	struct arena *arena = &request->arena;
	enum reason reason =
		config_load(arena, &request->places, &draft->machine, &request->detail);

	if (reason == REASON_OK && !agent_name_is_valid(request->name))
		return explain(&request->detail, REASON_USAGE,
			       "no agent can be called \"%s\": names are a-z, then "
			       "a-z, 0-9 and _, at most %d",
			       SHOW(request->name), LIMIT_AGENT_NAME);
	if (reason == REASON_OK)
		selector_table(arena, &request->places, &draft->machine, &draft->table);
	return reason;
}

/* What its sessions need of the runtime. */
static enum reason check_runtime(struct agent_draft *draft)
{
	struct agent_request *request = draft->request;
	struct api_base base;
	struct model_choice model;
	enum reason reason = api_base_resolve(&draft->runtime, &draft->agent, &base,
					      &request->detail);

	if (reason == REASON_OK && draft->runtime.wire != WIRE_NONE)
		reason = model_resolve(&request->arena, &request->places, base.host,
				       draft->agent.model, &model, &request->detail);
	if (reason == REASON_OK)
		reason = run_env_check_agent(&draft->runtime, &draft->agent,
					     &request->detail);
	return reason;
}

/* SPEC S2.3: against the workspaces of the other agents. */
static void check_apart(struct agent_draft *draft, struct config_check *check,
			const struct config_workspace *own)
{
	struct agent_request *request = draft->request;
	struct list names = {0};
	struct detail unused;

	(void)agent_names(&request->arena, &request->places, &names, &unused);
	for (size_t i = 0; i < names.n; i++) {
		/* What is wrong with another one is not this one's to tell. */
		struct config_check other = *check;
		struct config_workspace both[2] = {*own};
		struct config config = draft->machine;
		struct agent agent;

		if (strcmp(names.items[i], request->name) == 0 ||
		    agent_load(&request->arena, &request->places, names.items[i],
			       &config, &agent, &unused) != REASON_OK)
			continue;
		config_check_workspace(&other, &agent, &both[1]);
		if (both[1].path)
			config_check_apart(check, both, 2);
	}
}

static enum reason check_workspace(struct agent_draft *draft)
{
	struct agent_request *request = draft->request;
	const struct agent_change *change = agent_find_change(request, "workspace");
	struct config_workspace own = {0};
	struct config_check check = {
		.arena = &request->arena,
		.places = &request->places,
		.notes.complete = true,
	};

	if (!change || !change->value)
		return REASON_OK;
	config_check_workspace(&check, &draft->agent, &own);
	if (own.path)
		check_apart(draft, &check, &own);
	if (check.notes.n_problems == 0)
		return REASON_OK;
	return explain(&request->detail, check.notes.problems[0].reason, "%s",
		       check.notes.problems[0].text);
}

/* The agent and what its strategies would be, if its file had this text. */
static enum reason read_draft(struct agent_draft *draft, const char *text)
{
	struct agent_request *request = draft->request;
	struct arena *arena = &request->arena;
	const struct config_edit edit = {draft->file.path, text, strlen(text)};
	const struct selection_case of = {
		.places = &request->places,
		.table = &draft->table,
		.config = &draft->config,
		.agent = &draft->agent,
		.runtime = &draft->runtime,
	};
	struct detail why;
	enum reason reason;

	draft->config = draft->machine;
	reason = agent_load_edited(arena, &request->places, request->name, &edit,
				   &draft->config, &draft->agent, &request->detail);
	if (reason == REASON_OK)
		reason = api_runtime_load(arena, &request->places, &draft->agent,
					  &draft->runtime, &request->detail);
	if (reason == REASON_OK)
		reason = check_runtime(draft);
	if (reason == REASON_OK)
		reason = check_workspace(draft);
	if (reason == REASON_OK) {
		selection_make(arena, &of, &draft->selection);
		return REASON_OK;
	}
	/* What it names is not there: it would be. */
	why = request->detail;
	return explain(&request->detail, reason, "nothing is written: %.1000s",
		       why.text);
}

/* SPEC S1.5: what is saved anew must be able to run.  A choice that was saved before
 * stays, unless it is this line's mounts that it cannot have. */
static enum reason check_strategy(struct agent_draft *draft)
{
	struct agent_request *request = draft->request;
	const struct agent_change *strategy = agent_find_change(request, "strategy");
	const struct selection *selection = &draft->selection;
	bool of_mounts = selection->reason == REASON_MOUNT_INVALID ||
			 selection->reason == REASON_MOUNT_UNSUPPORTED;

	if ((strategy && strategy->value) ||
	    (of_mounts && agent_find_change(request, "mounts")))
		return selection_check_save(selection, selection->strategy,
					    &request->detail);
	return REASON_OK;
}

static enum reason apply_one(struct agent_draft *draft,
			     const struct agent_change *change, const char **text)
{
	struct agent_request *request = draft->request;
	const char *after = json_edit(&request->arena, *text, change->section,
				      change->key, change->value);

	if (!after)
		return explain(&request->detail, REASON_CONFIG_INVALID,
			       "%s: `%s` is not an object", SHOW(draft->file.path),
			       change->section);
	if (!change->value && strcmp(after, *text) == 0)
		printf("%s has no `%s%s%s`.\n", SHOW(draft->file.path),
		       change->section ? change->section : "",
		       change->section ? "." : "", SHOW(change->key));
	*text = after;
	return REASON_OK;
}

/* What a reader wants to know first comes first in a new file. */
static unsigned int rank(const struct agent_draft *draft,
			 const struct agent_change *change)
{
	if (draft->file.text || change->section)
		return 2;
	return strcmp(change->key, "runtime") == 0    ? 0
	       : strcmp(change->key, "strategy") == 0 ? 1
						      : 2;
}

/* The text after all changes. */
static enum reason apply(struct agent_draft *draft, const char **ret_text)
{
	struct agent_request *request = draft->request;
	const char *text = draft->file.text ? draft->file.text : EMPTY;
	enum reason reason = REASON_OK;

	for (unsigned int now = 0; now <= 2; now++)
		for (size_t i = 0; i < request->n_changes && reason == REASON_OK; i++)
			if (rank(draft, &request->changes[i]) == now)
				reason = apply_one(draft, &request->changes[i], &text);
	if (reason == REASON_OK)
		*ret_text = text;
	return reason;
}

static enum reason write_text(struct agent_draft *draft,
			      const struct agent_store *store, const char *text)
{
	struct agent_request *request = draft->request;

	if (strlen(text) > JSON_FILE_MAX)
		return explain(&request->detail, REASON_CONFIG_INVALID,
			       "%s would be longer than 1 MiB", SHOW(draft->file.path));
	return agent_store_write(store, request->name, &draft->file, text,
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

	if (agent_find_change(request, "runtime"))
		return REASON_OK;
	if (runtime_exists(arena, &request->places, request->name)) {
		agent_change(request, NULL, "runtime",
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
	enum reason reason = read_draft(draft, *text);

	if (reason == REASON_OK)
		reason = strategies_check_any(arena, &draft->selection.table,
					      &request->detail);
	if (reason != REASON_OK)
		return reason;
	agent_change(request, NULL, "strategy",
		     json_quote(arena, draft->selection.fresh));
	return apply(draft, text);
}

static enum reason add(struct agent_draft *draft, struct agent_store *store)
{
	struct agent_request *request = draft->request;
	bool named = agent_find_change(request, "strategy") != NULL;
	const char *text = NULL;
	const char *of_system = arena_format(&request->arena, "%s/agents.d/%s.json",
					     request->places.system, request->name);
	enum reason reason = agent_store_read(&request->arena, store, request->name,
					      &draft->file, &request->detail);

	if (reason == REASON_OK && draft->file.text)
		return exists(request, draft->file.path);
	if (reason == REASON_OK && access(of_system, F_OK) == 0)
		return exists(request, of_system);
	if (reason == REASON_OK)
		reason = apply(draft, &text);
	if (reason == REASON_OK)
		reason = named ? REASON_OK : choose(draft, &text);
	if (reason == REASON_OK)
		reason = read_draft(draft, text);
	if (reason == REASON_OK)
		reason = check_strategy(draft);
	if (reason == REASON_OK)
		reason = write_text(draft, store, text);
	if (reason != REASON_OK)
		return reason;
	printf("Agent \"%s\" is in %s.\n", request->name, SHOW(draft->file.path));
	agent_tell_choice(draft, named);
	return REASON_OK;
}

enum reason agent_add(struct agent_request *request)
{
	struct agent_draft draft = {.request = request};
	struct agent_store store;
	enum reason reason = begin(&draft);

	if (reason == REASON_OK)
		reason = need_runtime(request);
	if (reason == REASON_OK)
		reason = agent_store_open(&request->arena, &request->places, true,
					  &store, &request->detail);
	if (reason != REASON_OK)
		return reason;
	reason = add(&draft, &store);
	agent_store_close(&store);
	if (reason != REASON_OK)
		return reason;
	agent_tell_layer(&draft);
	agent_tell_missing(&draft);
	return REASON_OK;
}

/* It must be an agent already: a runtime's name alone has no file. */
static enum reason check_is_agent(struct agent_draft *draft)
{
	struct agent_request *request = draft->request;
	struct config config = draft->machine;
	struct agent agent;
	enum reason reason =
		agent_load(&request->arena, &request->places, request->name, &config,
			   &agent, &request->detail);

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

static enum reason set(struct agent_draft *draft, struct agent_store *store)
{
	struct agent_request *request = draft->request;
	const char *text = NULL;
	enum reason reason = check_is_agent(draft);

	if (reason == REASON_OK)
		reason = agent_store_read(&request->arena, store, request->name,
					  &draft->file, &request->detail);
	if (reason != REASON_OK)
		return reason;
	reason = apply(draft, &text);
	if (reason == REASON_OK)
		reason = read_draft(draft, text);
	if (reason == REASON_OK)
		reason = check_strategy(draft);
	if (reason != REASON_OK)
		return reason;
	if (strcmp(text, draft->file.text ? draft->file.text : EMPTY) == 0) {
		printf("Nothing is changed: agent \"%s\" is so already.\n",
		       request->name);
		return REASON_OK;
	}
	reason = write_text(draft, store, text);
	if (reason == REASON_OK && !draft->file.text)
		printf("Agent \"%s\" has %s now, over the machine's.\n", request->name,
		       SHOW(draft->file.path));
	else if (reason == REASON_OK)
		printf("Agent \"%s\" is changed, in %s.\n", request->name,
		       SHOW(draft->file.path));
	return reason;
}

enum reason agent_set(struct agent_request *request)
{
	struct agent_draft draft = {.request = request};
	struct agent_store store;
	enum reason reason;

	if (request->n_changes == 0)
		return explain(&request->detail, REASON_USAGE,
			       "`anet agent set` needs something to set or unset");
	reason = begin(&draft);
	if (reason == REASON_OK)
		reason = agent_store_open(&request->arena, &request->places, true,
					  &store, &request->detail);
	if (reason != REASON_OK)
		return reason;
	reason = set(&draft, &store);
	agent_store_close(&store);
	if (reason != REASON_OK)
		return reason;
	if (agent_find_change(request, "strategy"))
		agent_tell_choice(&draft, true);
	agent_tell_layer(&draft);
	if (agent_find_change(request, "runtime"))
		agent_tell_missing(&draft);
	return REASON_OK;
}
