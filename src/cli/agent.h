/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_AGENT_H
#define ANET_CLI_AGENT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/changes.h"
#include "cli/config-store.h"
#include "config/arena.h"
#include "config/config.h"
#include "config/places.h"
#include "config/runtime.h"
#include "os/explain.h"
#include "strategies/selection.h"

/* anet agent: what the words of its line ask for. */

struct agent_request {
	struct arena arena;
	struct places places;
	struct detail detail;
	const char *name;
	const char *other;	/* of `rename`: the new one */
	struct changes changes; /* of its file */
	bool json, yes;
};

/* The options of `add` and `set`: agent-options.c.  One that was found by
 * getopt_long(3), with its argument.  REASON_OK, USAGE or HOST_INVALID. */
struct option;
const struct option *agent_options(struct arena *arena);
bool agent_option_is_change(int answer);
enum reason agent_take_option(struct agent_request *request, int answer,
			      const char *argument);

/* The words behind `--`: the agent's arguments. */
void agent_take_words(struct agent_request *request, char *const *words);

/* An agent as it would be. */
struct agent_draft {
	struct agent_request *request;
	struct config machine; /* without the agent's limits */
	struct config config;
	struct agent agent;
	struct runtime runtime;
	struct strategies table;
	struct selection selection;
	struct config_file_text file;
	struct config_egress before; /* what it could reach */
	struct list absent;	     /* names of what was to go and is not there */
};

/* Before the directory is locked: what takes its time. */
enum reason agent_draft_begin(struct agent_draft *draft);

/* The text that its file would have after all changes. */
enum reason agent_draft_apply(struct agent_draft *draft, const char **ret_text);
/* Whether that is another one than it has. */
bool agent_draft_is_other(const struct agent_draft *draft, const char *text);

/* The agent and what its strategies would be, if its file had this text; checked
 * against the machine and the other agents. */
enum reason agent_draft_read(struct agent_draft *draft, const char *text);

/* Whether it may be saved with its strategy: SPEC S1.5. */
enum reason agent_draft_check_strategy(struct agent_draft *draft);

/* What there is to know of one that was saved: agent-tell.c.  The boundary of its
 * sessions, and why it is that if no strategy was named. */
void agent_tell_choice(const struct agent_draft *draft, bool named);

/* Another file that says over this one. */
void agent_tell_layer(const struct agent_draft *draft);

/* What it lacks before it can run, as warnings. */
void agent_tell_missing(const struct agent_draft *draft);

/* What sessions of an agent keep on disk under its name: agent-kept.c. */
struct agent_kept {
	const char *root;	  /* a directory that only its owner can write */
	const char *name, *other; /* in it, and under the new name */
};

/* Those that are there; `other` NULL: only to name them.  In the arena. */
enum reason agent_kept_find(struct arena *arena, const struct places *places,
			    const char *name, const char *other,
			    struct agent_kept **ret_kept, size_t *ret_n,
			    struct detail *ret_detail);

/* Gives each its new name, or none.  REASON_OK or SYSTEM, AGENT_EXISTS where one of
 * the new ones is taken. */
enum reason agent_kept_move(const struct agent_kept *kept, size_t n,
			    struct detail *ret_detail);

/* The verbs.  Each prints what it did, and returns why it did not. */
enum reason agent_add(struct agent_request *request);
enum reason agent_set(struct agent_request *request);
enum reason agent_show(struct agent_request *request);
enum reason agent_list(struct agent_request *request);
enum reason agent_remove(struct agent_request *request);
enum reason agent_rename(struct agent_request *request);

#endif
