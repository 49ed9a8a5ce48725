/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_NEEDLE_H
#define ANET_CORE_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/limits.h"

/*
 * Finds a secret in a stream, however the stream is split, and says which
 * bytes may be passed on at once: all but those at the very end that could be
 * the beginning of the secret (Knuth, Morris and Pratt).  So not even a part
 * of a secret that comes in pieces leaves, and a piece that does not end like
 * the secret begins is not delayed.
 *
 * What is found is the secret's own bytes.  A spelling of them that differs
 * (JSON's \u0041, base64, percent signs, compression) is not: this is against
 * a service that repeats what it was sent, as error pages and echo servers do;
 * one that means to give a key away has no need to send it through here.
 */
struct needle {
	const uint8_t *bytes; /* the caller's; must outlive this */
	size_t length;
	/* So many bytes at the end of what was fed begin the secret.  They are
	 * held back; they equal bytes[0..matched). */
	size_t matched;
	/* border[i]: length of the longest proper prefix of the secret that is
	 * also a suffix of its first i + 1 bytes. */
	uint16_t border[LIMIT_API_KEY];
};

/* What may leave after a piece, in this order. */
struct needle_release {
	size_t held;  /* bytes from bytes[], held back until now */
	size_t piece; /* bytes from the beginning of the piece */
};

/* `length` is 1 to LIMIT_API_KEY. */
void needle_init(struct needle *needle, const uint8_t *bytes, size_t length);

/* Begins a new stream. */
void needle_reset(struct needle *needle);

/* Looks through the next piece.  Returns false when the secret ends in it:
 * nothing more of the stream may leave, *ret is not written, and the needle is
 * to be reset.  Else true. */
bool needle_feed(struct needle *needle, const uint8_t *piece, size_t length,
		 struct needle_release *ret) __attribute__((warn_unused_result));

/* Whether the secret stands in one piece of bytes. */
bool needle_in(const struct needle *needle, const uint8_t *bytes, size_t length)
	__attribute__((warn_unused_result));

#endif
