/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_MACHINE_H
#define ANET_CLI_MACHINE_H

#include <stdbool.h>

#include "config/arena.h"
#include "config/places.h"

/* Whether systemd runs this machine, as sd_booted(3) tells. */
bool machine_has_systemd(void);

/* The socket of the systemd manager that holds scopes: of the units and of root,
 * or of another caller's runs.  NULL when it cannot be told. */
#define MACHINE_MANAGER "/run/systemd/private"
const char *machine_manager(struct arena *arena, const struct places *places);

/* What is missing for limits on memory and tasks (SPEC S2.8) in scopes of this
 * manager (NULL: none is known), a sentence; NULL: nothing, they are full. */
const char *machine_limits_missing(struct arena *arena, const char *manager);

#endif
