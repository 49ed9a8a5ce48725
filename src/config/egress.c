/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/egress.h"

#include <stdio.h>
#include <string.h>

#include "config/api-base.h"
#include "config/model-table.h"
#include "config/runtime.h"
#include "core/hostname.h"
#include "core/limits.h"

const char *const egress_words[] = {
	[CONFIG_EGRESS_NONE] = "none", [CONFIG_EGRESS_PUBLIC] = "public", NULL};

const char *egress_check_host(const char *text)
{
	const char *why = NULL;

	for (size_t i = 0; egress_words[i]; i++)
		if (strcmp(text, egress_words[i]) == 0)
			return "this word stands alone, not in a list of hosts";
	(void)hostname_check((const uint8_t *)text, strlen(text), &why);
	return why;
}

static enum reason refuse_host(const char *option, const char *host, const char *why,
			       struct detail *ret_detail)
{
	return explain(ret_detail, REASON_HOST_INVALID,
		       "`--%s` has \"%s\", which is no host that can be allowed: %s",
		       option, SHOW(host), why);
}

enum reason egress_parse_hosts(struct arena *arena, const char *option,
			       const char *text, char ***ret_hosts,
			       struct detail *ret_detail)
{
	struct list hosts = {0};
	const char *at = text;

	while (*text) {
		size_t length = strcspn(at, ",");
		char *host = arena_copy_bytes(arena, at, length);
		const char *wrong = egress_check_host(host);

		if (wrong)
			return refuse_host(option, host, wrong, ret_detail);
		for (size_t i = 0; i < hosts.n; i++)
			if (strcmp(hosts.items[i], host) == 0)
				return refuse_host(option, host,
						   "it stands there twice", ret_detail);
		if (hosts.n == LIMIT_EGRESS_HOSTS)
			return explain(ret_detail, REASON_HOST_INVALID,
				       "`--%s` has more than %d hosts", option,
				       LIMIT_EGRESS_HOSTS);
		list_add(arena, &hosts, host);
		if (!at[length])
			break;
		at += length + 1;
	}
	*ret_hosts = list_items(arena, &hosts);
	return REASON_OK;
}

enum reason egress_parse(struct arena *arena, const char *option, const char *text,
			 struct config_egress *ret_egress, struct detail *ret_detail)
{
	struct config_egress egress = {0};
	enum reason reason;

	for (; egress_words[egress.word]; egress.word++)
		if (strcmp(text, egress_words[egress.word]) == 0) {
			*ret_egress = egress;
			return REASON_OK;
		}
	egress.word = CONFIG_EGRESS_NONE;
	if (!*text)
		return explain(ret_detail, REASON_HOST_INVALID,
			       "`--%s` names no host: `none` is the word for that",
			       option);
	reason = egress_parse_hosts(arena, option, text, &egress.hosts, ret_detail);
	if (reason == REASON_OK)
		*ret_egress = egress;
	return reason;
}

enum policy_egress egress_kind(const struct config_egress *egress)
{
	if (egress->hosts)
		return *egress->hosts ? EGRESS_LIST : EGRESS_NONE;
	return egress->word == CONFIG_EGRESS_PUBLIC ? EGRESS_PUBLIC : EGRESS_NONE;
}

void egress_fill(const struct config_egress *egress, struct policy *policy)
{
	policy->egress = (uint16_t)egress_kind(egress);
	policy->n_egress_hosts = 0;
	if (policy->egress != EGRESS_LIST)
		return;
	for (char **host = egress->hosts; *host; host++)
		snprintf(policy->egress_hosts[policy->n_egress_hosts++],
			 sizeof(policy->egress_hosts[0]), "%s", *host);
}

enum reason egress_check_boundary(const struct agent *agent, struct detail *ret_detail)
{
	if (egress_kind(&agent->egress) == EGRESS_NONE)
		return REASON_OK;
	return explain(ret_detail, REASON_EGRESS_UNSUPPORTED,
		       "agent \"%s\" has hosts that it may reach (`egress`), and "
		       "without a boundary it reaches what this machine does, whatever "
		       "that says",
		       agent->name);
}

/* One comparison of lists with services. */
struct services {
	struct arena *arena;
	const struct places *places;
	const struct egress_subject *subject;
	struct detail *detail;
};

static const char *list_of(struct arena *arena, const char *agent)
{
	return agent ? arena_format(arena, "the `egress` of agent \"%s\"", agent)
		     : "`auto_reply.sandbox.egress_allow`";
}

static bool has(char *const *hosts, const char *host)
{
	while (hosts && *hosts && strcmp(*hosts, host) != 0)
		hosts++;
	return hosts && *hosts;
}

/* A host that is a model service, by the words of `of`. */
static enum reason check_host(const struct services *services, const char *host,
			      const char *of)
{
	const struct egress_subject *subject = services->subject;

	if (!has(subject->hosts, host))
		return REASON_OK;
	return explain(services->detail, REASON_EGRESS_MODEL_HOST,
		       "%s names %s, which is a model service: %s",
		       subject->list ? subject->list
				     : list_of(services->arena, subject->agent),
		       SHOW(host), of);
}

/* The list of another one. */
static enum reason check_list(const struct services *services, const char *agent,
			      char *const *hosts)
{
	const struct egress_subject *subject = services->subject;

	if (!subject->new_service || !subject->service || !has(hosts, subject->service))
		return REASON_OK;
	return explain(services->detail, REASON_EGRESS_MODEL_HOST,
		       "%s cannot be a model service: %s names it",
		       SHOW(subject->service), list_of(services->arena, agent));
}

static enum reason check_models(const struct services *services)
{
	struct model_table table;
	enum reason reason = model_table_read(services->arena, services->places, &table,
					      NULL, services->detail);

	for (size_t i = 0; i < MODEL_FILES && reason == REASON_OK; i++)
		for (size_t j = 0; j < table.files[i].n && reason == REASON_OK; j++)
			reason = check_host(services, table.files[i].services[j].host,
					    arena_format(services->arena,
							 "its models are in %s",
							 table.files[i].path));
	return reason;
}

static enum reason check_runtimes(const struct services *services)
{
	struct arena *arena = services->arena;
	enum reason reason = REASON_OK;
	struct list names = {0};

	runtime_list(arena, services->places, &names);
	for (size_t i = 0; i < names.n && reason == REASON_OK; i++) {
		struct runtime runtime;
		struct detail unused;

		/* One that cannot be read has no sessions, and no service. */
		if (runtime_load(arena, services->places, names.items[i], &runtime,
				 &unused) == REASON_OK &&
		    runtime.host)
			reason = check_host(
				services, runtime.host,
				arena_format(arena, "it is that of the runtime \"%s\"",
					     runtime.name));
	}
	return reason;
}

static enum reason check_agent(const struct services *services,
			       const struct config *config, const char *name)
{
	struct config_notes notes = {.complete = true};
	struct config machine = *config;
	struct agent agent = {0};
	struct api_base base;
	struct detail unused;
	enum reason reason = REASON_OK;

	/* What is wrong with it otherwise is not for its neighbours to tell. */
	(void)agent_load_noted(services->arena, services->places, name, &notes,
			       &machine, &agent, &unused);
	if (agent.api_base && !api_base_parse(agent.api_base, &base))
		reason = check_host(services, base.host,
				    arena_format(services->arena,
						 "it is the `api_base` of agent \"%s\"",
						 name));
	return reason == REASON_OK ? check_list(services, name, agent.egress.hosts)
				   : reason;
}

static enum reason check_agents(const struct services *services,
				const struct config *config)
{
	const char *own = services->subject->agent;
	enum reason reason = REASON_OK;
	struct list names = {0};
	struct detail unused;

	/* Those that can be listed. */
	(void)agent_names(services->arena, services->places, &names, &unused);
	for (size_t i = 0; i < names.n && reason == REASON_OK; i++)
		if (!own || strcmp(own, names.items[i]) != 0)
			reason = check_agent(services, config, names.items[i]);
	return reason;
}

enum reason egress_check_services(struct arena *arena, const struct places *places,
				  const struct config *config,
				  const struct egress_subject *subject,
				  struct detail *ret_detail)
{
	const struct services services = {arena, places, subject, ret_detail};
	bool lists = subject->new_service && subject->service;
	enum reason reason = REASON_OK;

	/* Nearly all agents: nothing is read for them. */
	if ((!subject->hosts || !*subject->hosts) && !lists)
		return REASON_OK;
	if (subject->service)
		reason = check_host(&services, subject->service,
				    "it is the agent's own");
	if (reason == REASON_OK)
		reason = check_models(&services);
	if (reason == REASON_OK)
		reason = check_runtimes(&services);
	if (reason == REASON_OK)
		reason = check_agents(&services, config);
	if (reason == REASON_OK && subject->agent)
		reason = check_list(&services, NULL,
				    config->auto_reply.sandbox.egress_allow);
	return reason;
}
