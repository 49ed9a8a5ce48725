/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_REFUSED_RECORD_H
#define ANET_CORE_REFUSED_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/limits.h"
#include "core/reason.h"

/*
 * What a session was refused lately, for `anet why ID`: a record of fixed size in a
 * file of its own (os/refused-file.h), written by its supervisor.  Same machine, same
 * build, as core/policy.h.  Readers do not trust it: details quote what the agent sent.
 */
#define REFUSED_MAGIC 0x524e4131u /* "1ANR" */
#define REFUSED_VERSION 1
/* Different ones; enough to see what an agent tries, small enough to be read as one. */
#define REFUSED_KEPT 16
#define REFUSED_HELPER 16 /* bytes of a helper's name, with its NUL */

/* The same refusal: reason, helper and detail are. */
struct refused_entry {
	uint32_t reason; /* enum reason */
	uint32_t reserved;
	uint64_t count;
	uint64_t first_usec, last_usec; /* CLOCK_REALTIME */
	char helper[REFUSED_HELPER];
	char detail[LIMIT_DETAIL + 1]; /* for people; the reader escapes it */
};

struct refused_record {
	uint32_t magic;
	uint16_t version;
	uint16_t size;	/* sizeof(struct refused_record) */
	uint64_t begun; /* writes of the whole; `done` differs while one is under way */
	uint64_t started_usec;
	uint64_t total;	    /* refusals of any kind, also of those that are not kept */
	uint64_t forgotten; /* entries that made room for others */
	uint32_t n;	    /* entries that there are, in no order */
	uint32_t reserved;
	char session[LIMIT_SESSION_ID + 1];
	char agent[LIMIT_AGENT_NAME + 1];
	struct refused_entry entries[REFUSED_KEPT];
	uint64_t done;
};

/* Begins a record of nothing; the names must fit. */
void refused_record_begin(struct refused_record *record, const char *session,
			  const char *agent, uint64_t usec);

/* Counts a refusal; where there is no room for another kind, the one that was refused
 * last before all others is forgotten. */
void refused_record_add(struct refused_record *record, enum reason reason,
			const char *helper, const char *detail, uint64_t usec);

/* Whether the bytes are a record that was written as a whole; every text then ends
 * inside of its field. */
bool refused_record_is_valid(const struct refused_record *record);

#endif
