/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/machine.h"

#include <unistd.h>

#include "os/cgroup.h"
#include "os/explain.h"

bool machine_has_systemd(void)
{
	return access("/run/systemd/system/", F_OK) == 0;
}

const char *machine_manager(struct arena *arena, const struct places *places)
{
	if (places->uid == 0)
		return MACHINE_MANAGER;
	if (!places->runtime)
		return NULL;
	return arena_format(arena, "%s/systemd/private", places->runtime);
}

const char *machine_limits_missing(struct arena *arena, const char *manager)
{
	char missing[256];

	if (!manager)
		return "XDG_RUNTIME_DIR is not set, so no user manager is found";
	if (access(manager, F_OK) < 0)
		return arena_format(
			arena,
			"no systemd manager answers at %s: memory and tasks "
			"are not limited",
			SHOW(manager));
	if (cgroup_probe(missing, sizeof(missing)) < 0)
		return arena_format(arena, "%s: memory and tasks are not limited",
				    SHOW(missing));
	return NULL;
}
