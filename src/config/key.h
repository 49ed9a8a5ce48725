/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_KEY_H
#define ANET_CONFIG_KEY_H

#include <stdbool.h>

#include "config/arena.h"
#include "os/explain.h"
#include "config/places.h"
#include "config/runtime.h"

/*
 * The operator's key for a runtime's service: the first of the runtime's
 * variables that is set, else the file credentials/NAME below the user's
 * configuration, as root also below the system's.
 */

/* The key in a sealed memfd; this process keeps no copy, its environment
 * neither.  REASON_OK, NO_API_KEY, CREDENTIAL_UNSAFE or SYSTEM. */
enum reason key_take(struct arena *arena, const struct places *places,
		     const struct runtime *runtime, int *ret_fd,
		     struct detail *ret_detail);

/* Where key_take() would find it, for people ("ANTHROPIC_API_KEY", a path);
 * NULL if nowhere.  Reads no key; a file that key_take() would refuse has its
 * reason in *ret_detail. */
const char *key_where(struct arena *arena, const struct places *places,
		      const struct runtime *runtime, enum reason *ret_reason,
		      struct detail *ret_detail);

/* Whether a key's file is there, and that nobody else can read it: a regular
 * file of the caller's, no link, not empty.  It is not read.  REASON_OK or
 * CREDENTIAL_UNSAFE. */
enum reason key_file_check(const char *path, bool *ret_found, struct detail *ret_detail);

/* Why a file with this status is not used for a key, NULL if it is: nobody else
 * may be able to read it. */
struct stat;
const char *key_file_problem(const struct stat *status);

/* What upstream takes: LIMIT_API_KEY_MIN to LIMIT_API_KEY visible ASCII bytes, of
 * which none would be written otherwise in JSON.  KEY_RULE says so to people, with
 * both numbers. */
#define KEY_RULE "%d to %d visible ASCII characters without quotes and backslashes"
bool key_is_plain(const char *key, size_t length);

#endif
