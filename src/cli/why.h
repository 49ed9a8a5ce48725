/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_WHY_H
#define ANET_CLI_WHY_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/table.h"
#include "config/notes.h"
#include "config/preparation.h"

/* Exit status of `anet why`: it is refused, or not visible. */
#define WHY_REFUSED 1

#define WHY_FACTS 12

/* One thing that there is to say of an answer. */
struct why_fact {
	const char *key;  /* of --json */
	const char *text; /* as it can be shown; NULL: null, and left out for people */
};

/* What the policy of an agent would do with a path, a host or a request. */
struct why {
	struct preparation run;
	struct config_notes notes; /* where each value comes from */
	bool no_origins;	   /* they could not be read again */

	const char *kind; /* "path", "host", "request" */
	const char *subject;
	const char *verdict; /* a few words that never change */
	bool allowed;
	struct why_fact facts[WHY_FACTS];
	size_t n_facts;
	struct json_object *changes; /* of a request that goes out; else NULL */
	struct table *changes_table;
};

/* Everything lives in why->run.arena. */
void why_add(struct why *why, const char *key, const char *text);

/* "FILE:LINE" of a value that the configuration has, or NULL. */
const char *why_origin(struct why *why, const char *name);

/* Each fills in the answer.  REASON_OK, or why there is none, in run.detail. */
enum reason why_path(struct why *why, const char *path);
enum reason why_host(struct why *why, const char *host);
enum reason why_request(struct why *why, const char *file);

/* What was changed between the request that an agent sent and the one that would
 * go to the service: rows of place, what it was, what it becomes. */
void why_compare(struct why *why, struct json_object *sent, struct json_object *goes);

#endif
