/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_JSON_SCAN_H
#define ANET_CORE_JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include "core/limits.h"
#include "core/reason.h"

/*
 * Says whether bytes are one JSON object that every parser reads alike, before
 * any parser sees them.  Stricter than RFC 8259, because json-c silently keeps
 * the last of two equal keys, cuts a key at U+0000, replaces an unpaired
 * surrogate, saturates an integer and turns -0 into 0:
 *
 *   one object, then nothing but white space      json_not_object, json_syntax
 *   UTF-8 (RFC 3629), no byte order mark           json_utf8
 *   no key twice in an object, however escaped    json_duplicate_key
 *   surrogate escapes paired, no U+0000 in a key  json_string
 *   integers within int64 and uint64, not -0;
 *   other numbers finite as double; each at most
 *   LIMIT_JSON_NUMBER bytes                       json_number
 *   at most LIMIT_JSON_DEPTH objects and arrays
 *   inside each other                             json_depth
 *   at most LIMIT_JSON_NODES keys and values      json_nodes
 *   at most LIMIT_BODY_BYTES                      http_body_too_large
 */

/* A place for one key.  Only the scan looks inside. */
struct json_scan_slot {
	uint32_t object; /* which object it is in; 0: empty */
	uint32_t at;	 /* offset of the key's first byte */
	uint32_t length; /* in bytes, as written */
	uint32_t hash;
};

/* Secret of the key table: 16 random bytes, so that nobody can choose keys
 * that fall onto each other. */
struct json_scan_seed {
	uint64_t k[2];
};

/* How many slots a scan of `text` needs: a power of two, at most
 * JSON_SCAN_MAX_SLOTS, small for small texts. */
#define JSON_SCAN_MAX_SLOTS (UINT32_C(1) << 18)
size_t json_scan_slots(const uint8_t *text, size_t length);

/* `slots` needs no initialisation; n_slots is json_scan_slots() of the same
 * text.  When refused, *ret_offset is where in the text it went wrong. */
enum reason json_scan(const uint8_t *text, size_t length,
		      const struct json_scan_seed *seed, struct json_scan_slot *slots,
		      size_t n_slots, size_t *ret_offset);

#endif
