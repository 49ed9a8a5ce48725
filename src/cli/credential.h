/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_CREDENTIAL_H
#define ANET_CLI_CREDENTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "config/arena.h"
#include "config/places.h"
#include "core/limits.h"
#include "os/explain.h"

/* The keys of model services, as `anet credential` keeps them for key_take()
 * (config/key.h) and for the units (os/session-dir.h). */

enum credential_kind {
	CREDENTIAL_SEALED, /* encrypted by systemd-creds(1) for this machine */
	CREDENTIAL_PLAIN,
};

const char *credential_kind_name(enum credential_kind kind);

/* A directory with keys, one file each. */
struct credential_place {
	enum credential_kind kind;
	bool units; /* the units', ANET_CONFIG_DIR above it; else the caller's own */
	const char *directory;
};

/* Where this caller's keys may be: root's are the units', sealed and plain, and
 * his own; another's only his own.  Returns how many. */
#define CREDENTIAL_PLACES 3
size_t credential_places(struct arena *arena, const struct places *places,
			 struct credential_place ret_places[CREDENTIAL_PLACES]);

/* A key; who has one wipes it. */
struct credential_key {
	char bytes[LIMIT_API_KEY + 2]; /* a newline, and a byte too many */
	size_t length;
};

/* Reads one from standard input: a terminal is asked, without echo, and left as
 * it was found, also by a signal; else one line.  REASON_OK, NO_API_KEY,
 * CREDENTIAL_UNSAFE or SYSTEM; no detail ever quotes it. */
enum reason credential_read_key(const char *name, struct credential_key *ret_key,
				struct detail *ret_detail);

/* The key as systemd-creds(1) encrypts it, under the name that the units know it
 * by (os/session-dir.h).  REASON_OK, or CREDENTIAL_NOT_SEALED with what it said. */
enum reason credential_seal(struct arena *arena, const char *name,
			    const struct credential_key *key, char **ret_text,
			    size_t *ret_length, struct detail *ret_detail);

/* Opens the directory, made with its parents if `make`; checks that nobody else
 * can write it, no link followed.  *ret_fd is -1 if it is not there.  REASON_OK,
 * CREDENTIAL_UNSAFE or SYSTEM. */
enum reason credential_open_place(const struct credential_place *place, bool make,
				  int *ret_fd, struct detail *ret_detail);

/* Replaces NAME as a whole, 0600, on disk before this returns.  REASON_OK or
 * SYSTEM; then it is as it was. */
enum reason credential_write(int directory, const struct credential_place *place,
			     const char *name, const void *bytes, size_t length,
			     struct detail *ret_detail);

/* Removes NAME if it is there.  REASON_OK or SYSTEM. */
enum reason credential_remove(int directory, const struct credential_place *place,
			      const char *name, bool *ret_removed,
			      struct detail *ret_detail);

/* One that is there.  The name may be any bytes. */
struct credential_entry {
	char *name;
	const struct credential_place *place;
	time_t modified;
	char **runtimes;     /* that take it */
	const char *problem; /* why it is not used; NULL: none */
};

struct credential_list {
	struct credential_place places[CREDENTIAL_PLACES];
	size_t n_places;
	struct credential_entry *entries; /* by name, then by place */
	size_t n, room;
};

enum reason credential_list_read(struct arena *arena, const struct places *places,
				 struct credential_list *ret_list,
				 struct detail *ret_detail);

void credential_list_print(struct arena *arena, const struct credential_list *list);
void credential_list_print_json(struct arena *arena,
				const struct credential_list *list);

/* The names of the runtimes that take the key `name`. */
char **credential_runtimes(struct arena *arena, const struct places *places,
			   const char *name);

/* All names that runtimes take, each once. */
char **credential_names(struct arena *arena, const struct places *places);

#endif
