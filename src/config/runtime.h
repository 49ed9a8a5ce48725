/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_RUNTIME_H
#define ANET_CONFIG_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "config/arena.h"
#include "config/config-table.h"
#include "config/notes.h"
#include "os/explain.h"
#include "config/places.h"
#include "core/policy.h"

/* A kind of agent program, as its file describes it: anet-runtime(5).
 * Lists are never NULL. */
struct runtime {
	char *path; /* of its file */
	char *name;
	unsigned int wire; /* enum wire */
	char *host;	   /* NULL without a wire, or if agents name it */
	uint16_t port;
	unsigned int scheme; /* enum runtime_scheme */
	char *base_path;     /* NULL: none */
	unsigned int api_base; /* enum runtime_api_base, of one without a host */
	struct {
		char *name; /* of the file with the key */
		char **env; /* variables that may hold it, in order */
	} credential;
	struct {
		char **names;  /* empty: the caller says what is run */
		char **search; /* directories after those of PATH */
		char **skip;   /* names of launchers that only look for the program */
		char *install; /* how a person installs it; NULL: not told */
	} program;
	struct config_texts env;   /* of the run, with ${…}: config/template.h */
	struct config_texts files; /* in its home, with ${…} */
	/* With ${…}: always first; then, where a boundary takes the place of the
	 * program's own questions and sandbox; then for one task, or for a person at
	 * a terminal. */
	char **arguments;
	char **sandboxed;
	char **task;
	char **interactive;
	char *unsupported; /* why a sandbox cannot run it; NULL: it can */
};

enum runtime_api_base {
	RUNTIME_API_BASE_REQUIRED,
	/* An agent that names none uses no model service. */
	RUNTIME_API_BASE_OPTIONAL,
};

enum runtime_scheme {
	RUNTIME_HTTPS,
	RUNTIME_HTTP, /* only to a loopback address: S6 */
};

/* Reads NAME.json of the system's configuration, else the one that came with
 * anet.  REASON_OK, AGENT_UNKNOWN, CONFIG_UNREADABLE or CONFIG_INVALID. */
enum reason runtime_load(struct arena *arena, const struct places *places,
			 const char *name, struct runtime *ret_runtime,
			 struct detail *ret_detail);

/* The same; all problems of its file stand in the notes, which may be NULL. */
enum reason runtime_load_noted(struct arena *arena, const struct places *places,
			       const char *name, struct config_notes *notes,
			       struct runtime *ret_runtime, struct detail *ret_detail);

/* Whether a strategy can run it.  `agent`, whose runtime it is, may be "".  REASON_OK,
 * FILES_NEED_SANDBOX or AGENT_UNSUPPORTED. */
enum reason runtime_check_strategy(const struct runtime *runtime, const char *agent,
				   enum policy_strategy strategy,
				   struct detail *ret_detail);

bool runtime_exists(struct arena *arena, const struct places *places, const char *name);

/* Adds the names of all runtimes, each once. */
void runtime_list(struct arena *arena, const struct places *places, struct list *list);

/* 127.0.0.0/8 in the usual spelling, ::1, localhost. */
bool host_is_loopback(const char *host);

#endif
