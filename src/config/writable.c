/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/writable.h"

#include <string.h>

struct find {
	struct arena *arena;
	const struct places *places;
	const struct config *config;
	const struct agent *agent;
	struct writable_list *found;
};

static void add_writable(struct find *find, const char *path, const char *agent,
			 bool own)
{
	const char *resolved;

	path = path ? places_expand(find->arena, find->places, path) : NULL;
	resolved = path ? path_without_links(find->arena, path) : NULL;
	if (!resolved)
		return; /* what is not there holds nothing */
	if (find->found->n == find->found->room) {
		size_t room = find->found->room * 2 + 16;
		struct writable *list = arena_get(find->arena, room * sizeof(*list));

		if (find->found->n)
			memcpy(list, find->found->list, find->found->n * sizeof(*list));
		find->found->list = list;
		find->found->room = room;
	}
	find->found->list[find->found->n++] =
		(struct writable){.path = resolved, .agent = agent, .own = own};
}

static void add_writable_mounts(struct find *find, const struct config_mounts *mounts,
				const char *agent, bool own)
{
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->list[i].mode == CONFIG_MOUNT_WRITABLE)
			add_writable(find, mounts->list[i].source, agent, own);
}

/* One whose file is not valid has no session that could write anything. */
static void add_other_agents(struct find *find)
{
	struct list names = {0};
	struct detail ignored;

	if (agent_names(find->arena, find->places, &names, &ignored) != REASON_OK)
		return;
	for (size_t i = 0; i < names.n; i++) {
		struct config limits = *find->config;
		struct agent agent = {0};

		if ((find->agent && strcmp(names.items[i], find->agent->name) == 0) ||
		    agent_load(find->arena, find->places, names.items[i], &limits,
			       &agent, &ignored) != REASON_OK)
			continue;
		add_writable(find, agent.workspace, agent.name, false);
		add_writable_mounts(find, &agent.mounts, agent.name, false);
	}
}

void writable_find(struct arena *arena, const struct places *places,
		   const struct config *config, const struct agent *agent,
		   const char *workspace, struct writable_list *ret_list)
{
	struct writable_list list = {0};
	struct find find = {arena, places, config, agent, &list};

	if (workspace)
		add_writable(&find, workspace, NULL, true);
	else if (agent)
		add_writable(&find, agent->workspace, NULL, true);
	if (agent)
		add_writable_mounts(&find, &agent->mounts, NULL, true);
	add_writable_mounts(&find, &config->sandbox.mounts, NULL, false);
	add_other_agents(&find);
	*ret_list = list;
}
