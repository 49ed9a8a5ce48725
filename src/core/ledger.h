/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_LEDGER_H
#define ANET_CORE_LEDGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What a session has used up: the tiny state that all its helpers share.  A
 * memfd of LEDGER_BYTES sealed against growing, shrinking and further seals,
 * mapped shared; one page per writer, so that a helper taken over can lie
 * about its own counts only.  A gateway, which parses hostile bytes, gets a
 * descriptor that cannot be mapped for writing.
 */
#define LEDGER_MAGIC 0x4c4e4131u /* "1ANL" */
#define LEDGER_VERSION 2
/* Also on machines with larger pages: they only separate writers. */
#define LEDGER_PAGE 4096
#define LEDGER_BYTES (3 * LEDGER_PAGE)

/* Written by the supervisor only. */
struct ledger_session {
	uint32_t magic;
	uint32_t version;
	_Atomic uint64_t connections;	   /* accepted so far */
	_Atomic uint64_t connections_open; /* now */
	_Atomic uint64_t tunnels;	   /* of these connections, to the other endpoint */
	_Atomic uint64_t tunnels_open;
	_Atomic uint64_t refused;	   /* connections and requests refused */
	_Atomic uint64_t growth_bytes;	   /* last measured */
	_Atomic uint64_t growth_entries;
};

/* Written by the upstreams of the session only: the ones that spend. */
struct ledger_upstream {
	_Atomic uint64_t requests;	 /* reserved model requests */
	_Atomic uint64_t count_tokens;	 /* reserved token counts */
	_Atomic uint64_t request_bytes;	 /* reserved body bytes */
	_Atomic uint64_t response_bytes; /* passed to the agent */
};

/* Written by the tunnels of the session only. */
struct ledger_tunnel {
	_Atomic uint64_t sent;	   /* bytes to the hosts */
	_Atomic uint64_t received; /* bytes from them */
};

struct ledger {
	union {
		struct ledger_session session;
		uint8_t session_page[LEDGER_PAGE];
	};
	union {
		struct ledger_upstream upstream;
		uint8_t upstream_page[LEDGER_PAGE];
	};
	union {
		struct ledger_tunnel tunnel;
		uint8_t tunnel_page[LEDGER_PAGE];
	};
};

_Static_assert(sizeof(struct ledger) == LEDGER_BYTES, "one page per writer");

/* Adds `amount` to `counter` unless that would pass `limit` (0: unlimited).
 * Several processes may do so at once.  Returns whether it was added. */
static inline bool ledger_reserve(_Atomic uint64_t *counter, uint64_t amount, uint64_t limit)
{
	uint64_t old = atomic_load_explicit(counter, memory_order_relaxed);

	do {
		if (limit && (old > limit || amount > limit - old))
			return false;
	} while (!atomic_compare_exchange_weak(counter, &old, old + amount));
	return true;
}

#endif
