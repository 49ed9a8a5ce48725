/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/session-name.h"

#include <stddef.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define WORD LETTERS "0123456789_"

bool session_name_parse(const char *instance, struct session_name *ret_name)
{
	size_t agent = strspn(instance, WORD), interaction;
	const char *rest = instance + agent;

	if (agent < 1 || agent > LIMIT_AGENT_NAME || !strchr(LETTERS, instance[0]))
		return false;
	if (*rest == 0) {
		rest = INTERACTION_MAIN;
		interaction = strlen(rest);
	} else {
		if (*rest++ != '-')
			return false;
		interaction = strspn(rest, WORD);
		if (interaction < 1 || interaction > LIMIT_INTERACTION_NAME ||
		    rest[interaction] != 0)
			return false;
	}
	*ret_name = (struct session_name){0};
	memcpy(ret_name->agent, instance, agent);
	memcpy(ret_name->interaction, rest, interaction);
	memcpy(ret_name->id, instance, agent);
	ret_name->id[agent] = '-';
	memcpy(ret_name->id + agent + 1, rest, interaction);
	return true;
}
