/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_TASK_H
#define ANET_CLI_TASK_H

#include "config/arena.h"
#include "os/explain.h"

/*
 * The task of `--task`: the word itself, or all of standard input for "-".  Afterwards
 * standard input is empty: an agent with a task may wait for the end of what is there.
 * REASON_OK, USAGE for what is empty, longer than LIMIT_TASK_BYTES, no UTF-8 or holds
 * a NUL, or SYSTEM.
 */
enum reason task_take(struct arena *arena, const char *word, const char **ret_task,
		      struct detail *ret_detail);

#endif
