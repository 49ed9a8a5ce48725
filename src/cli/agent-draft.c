/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * anet agent add and set: the text that the file would have is read as configuration
 * before it is written.
 */
#include <stdio.h>
#include <string.h>

#include "cli/agent.h"
#include "cli/config-check.h"
#include "cli/selector.h"
#include "config/api-base.h"
#include "config/egress.h"
#include "config/model.h"
#include "config/run-env.h"
#include "config/runtime.h"

/* A file that has no member yet. */
#define EMPTY "{\n}\n"

/* What cannot wait until the directory is locked: a probe may take seconds. */
enum reason agent_draft_begin(struct agent_draft *draft)
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

/* SPEC S8.1: a list and a model service, of this agent and of others, if the line says
 * something new about either. */
static enum reason check_services(struct agent_draft *draft,
				  const struct api_base *base)
{
	struct agent_request *request = draft->request;
	const struct changes *changes = &request->changes;
	const struct egress_subject subject = {
		.agent = request->name,
		.hosts = draft->agent.egress.hosts,
		.service = draft->runtime.wire != WIRE_NONE ? base->host : NULL,
		.new_service = changes_find(changes, NULL, "api_base") ||
			       changes_find(changes, NULL, "runtime"),
	};

	return egress_check_services(&request->arena, &request->places, &draft->machine,
				     &subject, &request->detail);
}

/* What its sessions need of the runtime. */
static enum reason check_runtime(struct agent_draft *draft)
{
	struct agent_request *request = draft->request;
	struct api_base base = {0};
	struct model_choice model;
	enum reason reason = api_base_resolve(&draft->runtime, &draft->agent, &base,
					      &request->detail);

	if (reason == REASON_OK && draft->runtime.wire != WIRE_NONE)
		reason = model_resolve(&request->arena, &request->places, base.host,
				       draft->agent.model, &model, &request->detail);
	if (reason == REASON_OK)
		reason = check_services(draft, &base);
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
	const struct change *change =
		changes_find(&request->changes, NULL, "workspace");
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

enum reason agent_draft_read(struct agent_draft *draft, const char *text)
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
 * stays, unless it is this line's mounts or hosts that it cannot have. */
enum reason agent_draft_check_strategy(struct agent_draft *draft)
{
	struct agent_request *request = draft->request;
	const struct change *strategy =
		changes_find(&request->changes, NULL, "strategy");
	const struct selection *selection = &draft->selection;
	bool of_mounts = selection->reason == REASON_MOUNT_INVALID ||
			 selection->reason == REASON_MOUNT_UNSUPPORTED;

	if ((strategy && strategy->value) ||
	    (of_mounts && changes_find(&request->changes, NULL, "mounts")) ||
	    (selection->reason == REASON_EGRESS_UNSUPPORTED &&
	     changes_find(&request->changes, NULL, "egress")))
		return selection_check_save(selection, selection->strategy,
					    &request->detail);
	return REASON_OK;
}

static enum reason apply_one(struct agent_draft *draft, const struct change *change,
			     const char **text)
{
	struct agent_request *request = draft->request;
	struct arena *arena = &request->arena;
	const char *after = *text;
	enum reason reason = change_apply(arena, change, draft->file.path, *text,
					  &after, &request->detail);

	if (reason == REASON_OK && !change->value && strcmp(after, *text) == 0)
		list_add(arena, &draft->absent,
			 arena_format(arena, "%s%s%s",
				      change->section ? change->section : "",
				      change->section ? "." : "", change->key));
	*text = after;
	return reason;
}

/* What a reader wants to know first comes first in a new file. */
static unsigned int rank(const struct agent_draft *draft, const struct change *change)
{
	if (draft->file.text || change->section)
		return 2;
	return strcmp(change->key, "runtime") == 0    ? 0
	       : strcmp(change->key, "strategy") == 0 ? 1
						      : 2;
}

/* The text after all changes. */
enum reason agent_draft_apply(struct agent_draft *draft, const char **ret_text)
{
	struct agent_request *request = draft->request;
	const struct changes *changes = &request->changes;
	const char *text = draft->file.text ? draft->file.text : EMPTY;
	enum reason reason = REASON_OK;

	draft->absent = (struct list){0};
	for (unsigned int now = 0; now <= 2; now++)
		for (size_t i = 0; i < changes->n && reason == REASON_OK; i++)
			if (rank(draft, &changes->list[i]) == now)
				reason = apply_one(draft, &changes->list[i], &text);
	if (reason == REASON_OK)
		*ret_text = text;
	return reason;
}

bool agent_draft_is_other(const struct agent_draft *draft, const char *text)
{
	return strcmp(text, draft->file.text ? draft->file.text : EMPTY) != 0;
}
