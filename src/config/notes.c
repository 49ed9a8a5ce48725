/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/notes.h"

#include <string.h>

/* Room for one more element of a list in the arena. */
static void *grown(struct arena *arena, void *list, size_t n, size_t *room, size_t size)
{
	void *larger;

	if (n < *room)
		return list;
	*room = n ? 2 * n : 16;
	larger = arena_get(arena, *room * size);
	if (n)
		memcpy(larger, list, n * size);
	return larger;
}

void notes_add_problem(struct arena *arena, struct config_notes *notes,
		       enum reason reason, const char *text)
{
	notes->problems = grown(arena, notes->problems, notes->n_problems,
				&notes->room_problems, sizeof(*notes->problems));
	notes->problems[notes->n_problems++] =
		(struct config_problem){reason, arena_copy(arena, text)};
}

static struct config_origin *find(const struct config_notes *notes, const char *name)
{
	for (size_t i = 0; i < notes->n_origins; i++)
		if (strcmp(notes->origins[i].name, name) == 0)
			return &notes->origins[i];
	return NULL;
}

void notes_set_origin(struct arena *arena, struct config_notes *notes, const char *name,
		      const char *path, unsigned int line)
{
	struct config_origin *origin = find(notes, name);

	if (!origin) {
		notes->origins = grown(arena, notes->origins, notes->n_origins,
				       &notes->room_origins, sizeof(*notes->origins));
		origin = &notes->origins[notes->n_origins++];
		origin->name = arena_copy(arena, name);
	}
	origin->path = arena_copy(arena, path);
	origin->line = line;
}

const struct config_origin *notes_find_origin(const struct config_notes *notes,
					      const char *name)
{
	return find(notes, name);
}
