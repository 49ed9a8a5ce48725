/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an operator may write so that something is not refused any more.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/agent.h"
#include "cli/egress-ask.h"
#include "cli/why-session.h"
#include "config/config-keys.h"
#include "config/egress.h"
#include "core/hostname.h"

/* How remedies name a key of `limits` (core/reason.def). */
#define LIMIT_REMEDY "raise `limits."

static const struct config_key *find_limit(enum reason reason)
{
	const char *remedy = reason_remedy(reason);
	const struct config_key *key = limit_keys;
	size_t length;

	if (strncmp(remedy, LIMIT_REMEDY, strlen(LIMIT_REMEDY)) != 0)
		return NULL;
	remedy += strlen(LIMIT_REMEDY);
	length = strcspn(remedy, "`");
	while (key->name &&
	       (strlen(key->name) != length || strncmp(key->name, remedy, length) != 0))
		key++;
	return key->name ? key : NULL;
}

/* Twice what the agent has now: an example, and enough of one to go on with. */
static const char *limit_line(struct why_session *session, enum reason reason,
			      const struct policy_limits *limits)
{
	const struct config_key *key = find_limit(reason);
	const char *place;
	uint64_t now;

	if (!key)
		return NULL;
	place = (const char *)limits + key->offset;
	now = (key->type == CONFIG_UINT64 ? *(const uint64_t *)place
					  : *(const uint32_t *)place) /
	      (key->unit ? key->unit : 1);
	/* It was raised since to no limit at all, or cannot be raised any more. */
	if (!now || now >= key->max)
		return NULL;
	return arena_format(&session->arena, "\"limits\": { \"%s\": %" PRIu64 " }",
			    key->name, 2 * now < key->max ? 2 * now : key->max);
}

/* The tool that a refusal is about, and those that the agent may have already. */
static const char *server_tool_line(struct why_session *session,
				    const struct refused_entry *entry, uint32_t allowed)
{
	const struct config_key *key = agent_keys;
	struct list names = {0};
	bool named = false;

	while (key->name && strcmp(key->name, "server_tools") != 0)
		key++;
	for (size_t i = 0; key->name && key->words[i]; i++) {
		bool wanted = strstr(entry->detail, key->words[i]) != NULL;

		named |= wanted;
		if (wanted || allowed & 1u << i)
			list_add(
				&session->arena, &names,
				arena_format(&session->arena, "\"%s\"", key->words[i]));
	}
	return named ? arena_format(&session->arena, "\"server_tools\": [ %s ]",
				    list_join(&session->arena, names.items, ", "))
		     : NULL;
}

/* The host that a list has refused, where the list is known. */
static bool refused_host(const struct why_session *session,
			 const struct refused_entry *entry,
			 char ret_host[LIMIT_HOST_NAME + 1])
{
	return entry->reason == REASON_TUNNEL_HOST && session->agent_is_known &&
	       hostname_quoted(entry->detail, ret_host);
}

bool why_session_is_allowed_now(const struct why_session *session,
				const struct refused_entry *entry)
{
	const struct config_egress *egress = &session->configured.egress;
	char host[LIMIT_HOST_NAME + 1];

	if (!refused_host(session, entry, host))
		return false;
	for (size_t i = 0; egress->hosts && egress->hosts[i]; i++)
		if (strcmp(egress->hosts[i], host) == 0)
			return true;
	return egress_kind(egress) == EGRESS_PUBLIC;
}

const char *why_session_command(struct why_session *session,
				const struct refused_entry *entry)
{
	char host[LIMIT_HOST_NAME + 1];

	if (!refused_host(session, entry, host) ||
	    why_session_is_allowed_now(session, entry))
		return NULL;
	return egress_command(&session->arena, &session->configured, host);
}

bool why_session_line(struct why_session *session, const struct refused_entry *entry,
		      const char **ret_file, const char **ret_line)
{
	enum reason reason = (enum reason)entry->reason;
	const struct agent *agent = &session->configured;

	if (!session->agent_is_known)
		return false;
	*ret_line = reason == REASON_RULE_SERVER_TOOL
			    ? server_tool_line(session, entry, agent->server_tools)
			    : limit_line(session, reason, &session->config.limits);
	*ret_file = agent->path ? agent->path
				: config_store_path(&session->arena, &session->places,
						    STORE_AGENTS, session->agent);
	return *ret_line && *ret_file;
}
