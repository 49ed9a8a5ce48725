/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_CONFIG_STORE_H
#define ANET_CLI_CONFIG_STORE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "config/arena.h"
#include "config/places.h"
#include "os/explain.h"

/*
 * A directory that this caller's configuration is written to, root's the system's, and
 * a lock on it: one writer at a time.
 */
struct config_store {
	const char *directory;
	int fd, lock;
};

/* Which one: NULL is the directory of the configuration itself. */
#define STORE_AGENTS "agents.d"

/* A file in it, as it is. */
struct config_file_text {
	const char *path;
	const char *text; /* NULL: it is not there */
	struct stat status;
};

/* The path of NAME.json in the directory; NULL: this caller has none. */
const char *config_store_path(struct arena *arena, const struct places *places,
			      const char *below, const char *name);

/* Opens and locks it, made with its parents if `make`; where it is not there,
 * *ret_store has no descriptors.  REASON_OK, DIRECTORY_UNSAFE or SYSTEM. */
enum reason config_store_open(struct arena *arena, const struct places *places,
			      const char *below, bool make,
			      struct config_store *ret_store,
			      struct detail *ret_detail);
void config_store_close(struct config_store *store);

/* Reads NAME.json, which must be no link, and a file that is read as configuration.
 * REASON_OK, also when it is not there, CONFIG_UNREADABLE or CONFIG_INVALID. */
enum reason config_store_read(struct arena *arena, const struct config_store *store,
			      const char *name, struct config_file_text *ret_file,
			      struct detail *ret_detail);

/* Replaces it as a whole; its owner and mode stay, a new one is for all to read.
 * REASON_OK, SYSTEM, and then it is as it was, or CONFIG_INVALID: it is too long. */
enum reason config_store_write(const struct config_store *store, const char *name,
			       const struct config_file_text *file, const char *text,
			       struct detail *ret_detail);

/* Removes it, or gives it another name that is not taken.  REASON_OK or SYSTEM. */
enum reason config_store_remove(const struct config_store *store, const char *name,
				struct detail *ret_detail);
enum reason config_store_rename(const struct config_store *store, const char *name,
				const char *other, struct detail *ret_detail);

#endif
