/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_RUNTIME_HERE_H
#define ANET_CLI_RUNTIME_HERE_H

#include "config/arena.h"
#include "config/places.h"
#include "config/runtime.h"
#include "os/explain.h"

/*
 * Whether a runtime's program is installed and can run here, without executing
 * anything.  REASON_OK, and then *ret_text says where it is and of which version;
 * RUNTIME_NOT_INSTALLED or INTERPRETER_OLD with the sentence.
 */
enum reason runtime_here(struct arena *arena, const struct places *places,
			 const struct runtime *runtime, const char **ret_text,
			 struct detail *ret_detail);

#endif
