/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_JSON_KEYS_H
#define ANET_CORE_JSON_KEYS_H

#include <stdbool.h>
#include "core/json-scan.h"

/*
 * The key table of json_scan(): one open-addressed table for all objects of a
 * text, hashed with SipHash-1-3 over the object's number and the key's bytes
 * after unescaping.
 */
struct json_keys {
	const uint8_t *text;
	const struct json_scan_seed *seed;
	struct json_scan_slot *slots;
	size_t n_slots;
};

/* Adds the key of `length` bytes at offset `at`, already known to be a valid
 * JSON string, to an object (any number but 0).  False: the object has it. */
bool json_keys_add(struct json_keys *keys, uint32_t object, size_t at, size_t length);

#endif
