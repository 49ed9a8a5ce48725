/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_AGENT_H
#define ANET_CLI_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "config/arena.h"
#include "config/config.h"
#include "config/places.h"
#include "config/runtime.h"
#include "os/explain.h"
#include "strategies/selection.h"

/* anet agent: what the words of its line ask for. */

/* A member of an agent's file that is to be changed: config/json-edit.h. */
struct agent_change {
	const char *section, *key;
	const char *value; /* JSON; NULL: it goes */
};

struct agent_request {
	struct arena arena;
	struct places places;
	struct detail detail;
	const char *name;
	const char *other; /* of `rename`: the new one */
	struct agent_change *changes;
	size_t n_changes, room;
	bool json, yes;
};

/* Adds a change, in the place of an earlier one of the same member. */
void agent_change(struct agent_request *request, const char *section, const char *key,
		  const char *value);

/* NULL: the line does not name this key. */
const struct agent_change *agent_find_change(const struct agent_request *request,
					     const char *key);

/* The options of `add` and `set`: agent-options.c.  One that was found by
 * getopt_long(3), with its argument.  REASON_OK, USAGE or EGRESS_UNSUPPORTED. */
struct option;
const struct option *agent_options(void);
bool agent_option_is_change(int answer);
enum reason agent_take_option(struct agent_request *request, int answer,
			      const char *argument);

/* The words behind `--`: the agent's arguments. */
void agent_take_words(struct agent_request *request, char *const *words);

/*
 * The directory that this caller's agents are written to, root's the system's
 * (agent-store.c), and a lock on it: one writer at a time.
 */
struct agent_store {
	const char *directory;
	int fd, lock;
};

/* A file of an agent in it, as it is. */
struct agent_file_text {
	const char *path;
	const char *text; /* NULL: it is not there */
	struct stat status;
};

/* The path of the agent's file in the directory; NULL: this caller has none. */
const char *agent_store_path(struct arena *arena, const struct places *places,
			     const char *name);

/* Opens and locks it, made with its parents if `make`; where it is not there,
 * *ret_store has no descriptors.  REASON_OK, DIRECTORY_UNSAFE or SYSTEM. */
enum reason agent_store_open(struct arena *arena, const struct places *places,
			     bool make, struct agent_store *ret_store,
			     struct detail *ret_detail);
void agent_store_close(struct agent_store *store);

/* Reads NAME.json, which must be no link, and a file that is read as configuration.
 * REASON_OK, also when it is not there, CONFIG_UNREADABLE or CONFIG_INVALID. */
enum reason agent_store_read(struct arena *arena, const struct agent_store *store,
			     const char *name, struct agent_file_text *ret_file,
			     struct detail *ret_detail);

/* Replaces it as a whole; its owner and mode stay, a new one is for all to read.
 * REASON_OK or SYSTEM, and then it is as it was. */
enum reason agent_store_write(const struct agent_store *store, const char *name,
			      const struct agent_file_text *file, const char *text,
			      struct detail *ret_detail);

/* Removes it, or gives it another name that is not taken.  REASON_OK or SYSTEM. */
enum reason agent_store_remove(const struct agent_store *store, const char *name,
			       struct detail *ret_detail);
enum reason agent_store_rename(const struct agent_store *store, const char *name,
			       const char *other, struct detail *ret_detail);

/* An agent as it would be. */
struct agent_draft {
	struct agent_request *request;
	struct config machine; /* without the agent's limits */
	struct config config;
	struct agent agent;
	struct runtime runtime;
	struct strategies table;
	struct selection selection;
	struct agent_file_text file;
};

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
