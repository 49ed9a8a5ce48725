/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/preparation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/api-base.h"
#include "config/egress.h"
#include "config/home-files.h"
#include "config/model.h"
#include "config/mounts.h"
#include "config/run-env.h"
#include "config/template.h"
#include "core/path.h"
#include "core/run.h"

enum reason preparation_load(struct preparation *p, const char *agent)
{
	enum reason reason = config_load(&p->arena, &p->places, &p->config, &p->detail);

	if (reason == REASON_OK)
		reason = agent_load(&p->arena, &p->places, agent, &p->config, &p->agent,
				    &p->detail);
	if (reason == REASON_OK)
		reason = api_runtime_load(&p->arena, &p->places, &p->agent, &p->runtime,
					  &p->detail);
	if (reason == REASON_OK && p->egress)
		p->agent.egress = *p->egress;
	return reason;
}

enum reason preparation_program(struct preparation *p, char *const *words)
{
	p->words = words;
	if (p->task && !*p->runtime.task)
		return explain(&p->detail, REASON_USAGE,
			       "the runtime \"%s\" of agent \"%s\" does not say how a "
			       "task is given to its program (`task` of "
			       "anet-runtime(5))",
			       p->runtime.name, p->agent.name);
	/* A runtime that has no program of its own runs what it is told. */
	if (*p->runtime.program.names)
		return program_find(&p->arena, &p->places, &p->runtime,
				    p->record.workspace, &p->program, &p->detail);
	if (*words || *p->agent.arguments)
		return REASON_OK;
	return explain(&p->detail, REASON_USAGE,
		       "agent \"%s\" runs the command that is given to it, and none is",
		       p->agent.name);
}

/* The hosts of the agent, which are no model service of anybody. */
static enum reason take_egress(struct preparation *p)
{
	const struct egress_subject subject = {
		.agent = p->agent.name,
		.list = p->egress ? "`--egress`" : NULL,
		.hosts = p->agent.egress.hosts,
		.service = p->policy.host,
	};

	egress_fill(&p->agent.egress, &p->policy);
	return egress_check_services(&p->arena, &p->places, &p->config, &subject,
				     &p->detail);
}

/* Which service and which model of it. */
static enum reason take_service(struct preparation *p)
{
	const struct runtime *runtime = &p->runtime;
	struct policy *policy = &p->policy;
	struct model_choice model = {.name = ""};
	struct api_base base = {0};
	enum reason reason = api_base_resolve(runtime, &p->agent, &base, &p->detail);

	if (reason != REASON_OK || runtime->wire == WIRE_NONE)
		return reason;
	reason = model_resolve(&p->arena, &p->places, base.host, p->agent.model, &model,
			       &p->detail);
	if (reason != REASON_OK)
		return reason;
	if (base.plain_http)
		policy->flags |= POLICY_PLAIN_HTTP;
	policy->port = base.port;
	/* The readers of configuration have checked the lengths. */
	snprintf(policy->credential, sizeof(policy->credential), "%s",
		 runtime->credential.name);
	snprintf(policy->host, sizeof(policy->host), "%s", base.host);
	snprintf(policy->base_path, sizeof(policy->base_path), "%s", base.prefix);
	snprintf(policy->model, sizeof(policy->model), "%s", model.name);
	policy->model_abilities = model.abilities;
	return REASON_OK;
}

enum reason preparation_policy(struct preparation *p)
{
	const struct runtime *runtime = &p->runtime;
	struct policy *policy = &p->policy;
	enum reason reason;

	*policy = (struct policy){
		.magic = POLICY_MAGIC,
		.version = POLICY_VERSION,
		.size = sizeof(struct policy),
		.wire = (uint16_t)runtime->wire,
		.profile = PROFILE_OWN,
		.strategy = (uint16_t)p->strategy,
		.server_tools = p->agent.server_tools,
		.limits = p->config.limits,
	};
	if (p->strategy == STRATEGY_SRT && p->agent.protect)
		policy->flags |= POLICY_PROTECT;
	snprintf(policy->agent, sizeof(policy->agent), "%s", p->agent.name);
	snprintf(policy->runtime, sizeof(policy->runtime), "%s", runtime->name);
	reason = take_service(p);
	return reason == REASON_OK ? take_egress(p) : reason;
}

static void add_program_mounts(struct preparation *p, size_t more)
{
	size_t n = 0;

	/* Without a boundary all is where it is. */
	while (p->policy.strategy != STRATEGY_HOST && p->program.mounts &&
	       p->program.mounts[n])
		n++;
	p->record.mounts =
		arena_get(&p->arena, (n + more + 1) * sizeof(struct run_mount));
	for (size_t i = 0; i < n; i++) {
		char *path = p->program.mounts[i];

		/* What lies in the workspace is seen anyway. */
		if (!path_is_inside(path, p->record.workspace))
			p->record.mounts[p->record.n_mounts++] =
				(struct run_mount){path, path, RUN_MOUNT_PROGRAM};
	}
}

/* What the names in the runtime's file stand for. */
static struct template_values values_of(struct preparation *p)
{
	const struct policy *policy = &p->policy;
	bool host = policy->strategy == STRATEGY_HOST;
	bool service = policy->wire != WIRE_NONE;
	struct template_values values = {
		.of = {
			[TEMPLATE_MODEL] = policy->model,
			[TEMPLATE_WORKSPACE] = p->record.workspace,
			[TEMPLATE_HOME] = !host			? RUN_HOME
					  : p->account.inherits ? p->places.home
								: p->account.home,
			[TEMPLATE_TASK] = p->task,
		}};

	if (!service)
		return values;
	values.of[TEMPLATE_ENDPOINT] = host ? ENDPOINT_UNKNOWN : ENDPOINT_ORIGIN;
	values.of[TEMPLATE_PLACEHOLDER_KEY] =
		host ? ENDPOINT_KEY_UNKNOWN : PLACEHOLDER_KEY;
	values.of[TEMPLATE_OUTPUT_TOKENS] =
		arena_format(&p->arena, "%" PRIu32, policy->limits.output_tokens);
	return values;
}

static void add_words(struct preparation *p, const struct template_values *values,
		      char *const *words, struct list *argv)
{
	for (; *words; words++) {
		char *word = template_fill(&p->arena, values, *words);

		if (word)
			list_add(&p->arena, argv, word);
	}
}

/* The runtime's arguments, the agent's, and then a task, what the caller says, or
 * what a person at a terminal needs. */
static void make_argv(struct preparation *p, const struct template_values *values)
{
	struct list argv = {0};

	list_add_all(&p->arena, &argv, p->program.argv);
	add_words(p, values, p->runtime.arguments, &argv);
	if (p->strategy != STRATEGY_HOST)
		add_words(p, values, p->runtime.sandboxed, &argv);
	list_add_all(&p->arena, &argv, p->agent.arguments);
	if (p->task)
		add_words(p, values, p->runtime.task, &argv);
	else if (*p->words)
		list_add_all(&p->arena, &argv, p->words);
	else if (p->terminal)
		add_words(p, values, p->runtime.interactive, &argv);
	p->record.argv = list_items(&p->arena, &argv);
}

enum reason preparation_record(struct preparation *p, size_t more)
{
	const struct template_values values = values_of(p);
	enum reason reason;

	make_argv(p, &values);
	add_program_mounts(p, mounts_count(p) + more);
	reason = mounts_resolve(p);
	if (reason == REASON_OK)
		reason = home_files_make(&p->arena, p->runtime.path, &p->runtime.files,
					 &values, &p->record, &p->detail);
	if (reason != REASON_OK)
		return reason;
	return run_env_build(&p->arena, &p->policy, &p->runtime, &p->agent,
			     p->account.name ? &p->account : NULL, &values,
			     p->program.directories, &p->record.env, &p->detail);
}
