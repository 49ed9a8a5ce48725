/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_SEEN_RECORD_H
#define ANET_CORE_SEEN_RECORD_H

#include <stdint.h>
#include "core/limits.h"

/*
 * What a run with POLICY_REPORT asked for: messages on one SOCK_SEQPACKET socket to
 * whoever prints the report, from anet-watch while the run lasts, then from the
 * supervisor.  A message is this record up to the NUL of its text.  All of it may be
 * the run's choice: whoever prints it escapes it and believes nothing.
 */
#define SEEN_MAGIC 0x444e4131u /* "1AND" */
#define SEEN_VERSION 1

enum seen_kind {
	/* From anet-watch. */
	SEEN_PATH = 1,	  /* absolute, without ".", ".." and "//" */
	SEEN_ADDRESS = 2, /* "192.0.2.1", and `port` */
	SEEN_NAME = 3,	  /* of a host, from a question to a name server */
	SEEN_WATCHED = 4, /* the last one: `count` calls, `lost` items */
	/* From the supervisor, at the end. */
	SEEN_REFUSED =
		5, /* `count` requests for `reason`; text: the first one's detail */
	SEEN_LIMIT = 6, /* `reason`, of the run as a whole */
	SEEN_BLIND = 7, /* nothing was watched; text: why */
	/* From the supervisor, at once and each time. */
	SEEN_HOST = 8, /* that a tunnel was asked for, and refused by the list */
};

struct seen_record {
	uint32_t magic;
	uint16_t version;
	uint16_t kind;
	uint32_t reason; /* enum reason */
	uint16_t port;
	uint16_t reserved;
	uint64_t count;
	uint64_t lost; /* that found no room, or could not be read */
	char text[LIMIT_SEEN_TEXT + 1];
};

#endif
