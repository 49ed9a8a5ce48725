/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/preparation.h"

#include <stdio.h>
#include <string.h>

#include "config/api-base.h"
#include "config/model.h"
#include "config/mounts.h"
#include "config/run-env.h"
#include "core/path.h"

enum reason preparation_load(struct preparation *p, const char *agent)
{
	enum reason reason = config_load(&p->arena, &p->places, &p->config, &p->detail);

	if (reason == REASON_OK)
		reason = agent_load(&p->arena, &p->places, agent, &p->config, &p->agent,
				    &p->detail);
	if (reason == REASON_OK)
		reason = runtime_load(&p->arena, &p->places, p->agent.runtime,
				      &p->runtime, &p->detail);
	return reason;
}

enum reason preparation_program(struct preparation *p, char *const *words)
{
	struct list argv = {0};

	/* A runtime that has no program of its own runs what it is told. */
	if (*p->runtime.program.names) {
		enum reason reason = program_find(&p->arena, &p->places, &p->runtime,
						  p->record.workspace, &p->program,
						  &p->detail);

		if (reason != REASON_OK)
			return reason;
	} else if (!*words && !*p->agent.arguments) {
		return explain(&p->detail, REASON_USAGE,
			       "agent \"%s\" runs the command that is given to it, and "
			       "none is",
			       p->agent.name);
	}
	list_add_all(&p->arena, &argv, p->program.argv);
	list_add_all(&p->arena, &argv, p->runtime.arguments);
	list_add_all(&p->arena, &argv, p->agent.arguments);
	list_add_all(&p->arena, &argv, words);
	p->record.argv = argv.items;
	return REASON_OK;
}

enum reason preparation_policy(struct preparation *p)
{
	const struct runtime *runtime = &p->runtime;
	struct api_base base = {0};
	struct model_choice model = {.name = ""};
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
	reason = api_base_resolve(runtime, &p->agent, &base, &p->detail);
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

enum reason preparation_record(struct preparation *p, size_t more)
{
	enum reason reason;

	add_program_mounts(p, mounts_count(p) + more);
	reason = mounts_resolve(p);
	if (reason != REASON_OK)
		return reason;
	return run_env_build(&p->arena, &p->policy, &p->runtime, &p->agent,
			     p->account.name ? &p->account : NULL,
			     p->program.directories, &p->record.env, &p->detail);
}
