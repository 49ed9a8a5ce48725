/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/config-check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/api-base.h"
#include "config/egress.h"
#include "config/model.h"
#include "config/mounts.h"
#include "config/runtime.h"
#include "strategies/selection.h"

void config_check_problem(struct config_check *check, enum reason reason,
			  const char *format, ...)
{
	struct detail detail;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(detail.text, sizeof(detail.text), format, arguments);
	va_end(arguments);
	notes_add_problem(check->arena, &check->notes, reason, detail.text);
}

enum reason config_check_reason(const struct config_check *check)
{
	return check->notes.n_problems ? check->notes.problems[0].reason : REASON_OK;
}

/* Those for every agent; what one strategy alone cannot make is told with the agents
 * that have it. */
static void check_mounts(struct config_check *check)
{
	struct detail detail;
	enum reason reason = mounts_check(check->arena, check->places, &check->config,
					  NULL, STRATEGY_SRT, &detail);

	if (reason == REASON_OK || reason == REASON_MOUNT_UNSUPPORTED)
		return;
	config_check_problem(check, reason, "%s", detail.text);
	check->mounts = arena_copy(check->arena, detail.text);
}

static void check_settings(struct config_check *check)
{
	struct detail detail;

	/* What it returns is the first of the problems that it notes. */
	(void)config_load_noted(check->arena, check->places, &check->notes,
				&check->config, &detail);
}

static void check_runtimes(struct config_check *check)
{
	struct list names = {0};
	struct config_notes *notes = &check->notes;

	runtime_list(check->arena, check->places, &names);
	check->n_runtimes = names.n;
	for (size_t i = 0; i < names.n; i++) {
		size_t before = notes->n_problems;
		struct runtime runtime;
		struct detail detail;
		enum reason reason =
			runtime_load_noted(check->arena, check->places, names.items[i],
					   notes, &runtime, &detail);

		/* A name that no runtime can have is none of its file's problems. */
		if (reason != REASON_OK && notes->n_problems == before)
			config_check_problem(check, reason, "%s", detail.text);
	}
}

static void check_models(struct config_check *check)
{
	struct model_table table;
	struct detail detail;

	(void)model_table_read(check->arena, check->places, &table, &check->notes,
			       &detail);
}

/* SPEC S8.1: no list names a model service.  Each is compared with all services, so
 * that a service need not be with the lists. */
static void check_egress(struct config_check *check, const struct egress_subject *of)
{
	struct detail detail;
	enum reason reason = egress_check_services(check->arena, check->places,
						   &check->config, of, &detail);

	if (reason == REASON_EGRESS_MODEL_HOST)
		config_check_problem(check, reason, "%s", detail.text);
}

/* What the model service of an agent needs, as its sessions would find it; and that
 * the agent reaches it in no other way. */
static void check_service(struct config_check *check, const struct agent *agent)
{
	struct runtime runtime;
	struct api_base base = {0};
	struct detail detail;
	struct model_choice model;
	const struct egress_subject egress = {.agent = agent->name,
					      .hosts = agent->egress.hosts,
					      .service = base.host};
	enum reason reason =
		api_runtime_load(check->arena, check->places, agent, &runtime, &detail);

	/* One that is there and wrong was told of already. */
	if (reason != REASON_OK &&
	    runtime_exists(check->arena, check->places, agent->runtime))
		return;
	if (reason == REASON_OK)
		reason = api_base_resolve(&runtime, agent, &base, &detail);
	check_egress(check, &egress);
	if (reason == REASON_OK && runtime.wire != WIRE_NONE)
		reason = model_resolve(check->arena, check->places, base.host,
				       agent->model, &model, &detail);
	if (reason != REASON_OK)
		config_check_problem(check, reason, "agent \"%s\": %s", agent->name,
				     detail.text);
}

/* Whether it can run now is for `anet strategies`; one that nobody has never can,
 * nor can one that cannot make the mounts that are written for it. */
static void check_strategy(struct config_check *check, const struct config *config,
			   const struct agent *agent)
{
	const char *name = selection_name(agent);
	struct detail detail;
	enum reason reason;
	size_t i = 0;

	while (i < STRATEGIES && strcmp(strategies_name(i), name) != 0)
		i++;
	if (i == STRATEGIES) {
		config_check_problem(
			check, REASON_STRATEGY_UNKNOWN,
			"agent \"%s\": this machine has no \"%s\" execution "
			"strategy",
			agent->name, SHOW(name));
		return;
	}
	if (strcmp(name, strategies_name(0)) == 0 &&
	    egress_check_boundary(agent, &detail) != REASON_OK)
		config_check_problem(check, REASON_EGRESS_UNSUPPORTED, "%s",
				     detail.text);
	reason = mounts_check(check->arena, check->places, config, agent,
			      (enum policy_strategy)(i + STRATEGY_HOST), &detail);
	/* What no agent can have is told once. */
	if (reason != REASON_OK &&
	    (!check->mounts || strcmp(check->mounts, detail.text) != 0))
		config_check_problem(check, reason, "agent \"%s\": %s", agent->name,
				     detail.text);
}

static void take_notes(struct config_check *check, const struct config_notes *notes)
{
	for (size_t i = 0; i < notes->n_problems; i++)
		notes_add_problem(check->arena, &check->notes,
				  notes->problems[i].reason, notes->problems[i].text);
	for (size_t i = 0; i < notes->warnings.n; i++)
		list_add(check->arena, &check->notes.warnings,
			 notes->warnings.items[i]);
}

static void check_agent(struct config_check *check, const char *name,
			struct config_workspace *ret_workspace)
{
	struct config_notes notes = {.complete = true};
	/* Its own copy: an agent's limits go over it. */
	struct config config = check->config;
	struct agent agent = {0};
	struct detail detail;
	enum reason reason;

	config.warnings = (struct list){0};
	reason = agent_load_noted(check->arena, check->places, name, &notes, &config,
				  &agent, &detail);
	take_notes(check, &notes);
	if (reason != REASON_OK && !notes.n_problems)
		config_check_problem(check, reason, "%s", detail.text);
	if (!agent.name)
		return;
	check_service(check, &agent);
	check_strategy(check, &config, &agent);
	config_check_workspace(check, &agent, ret_workspace);
}

static void check_agents(struct config_check *check)
{
	struct config_workspace *workspaces;
	struct list names = {0};
	struct detail detail;
	size_t n = 0;
	enum reason reason = agent_names(check->arena, check->places, &names, &detail);

	if (reason != REASON_OK)
		config_check_problem(check, reason, "%s", detail.text);
	check->n_agents = names.n;
	workspaces = arena_get(check->arena, (names.n + 1) * sizeof(*workspaces));
	for (size_t i = 0; i < names.n; i++) {
		check_agent(check, names.items[i], &workspaces[n]);
		n += workspaces[n].path != NULL;
	}
	config_check_apart(check, workspaces, n);
}

void config_check_all(struct arena *arena, const struct places *places,
		      struct config_check *ret_check)
{
	*ret_check = (struct config_check){
		.arena = arena,
		.places = places,
		.notes.complete = true,
	};
	check_settings(ret_check);
	check_mounts(ret_check);
	check_runtimes(ret_check);
	check_models(ret_check);
	check_egress(
		ret_check,
		&(const struct egress_subject){
			.hosts = ret_check->config.auto_reply.sandbox.egress_allow});
	config_check_roots(ret_check);
	check_agents(ret_check);
}
