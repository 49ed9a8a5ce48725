/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CLI_SETTINGS_H
#define ANET_CLI_SETTINGS_H

#include "cli/changes.h"
#include "config/arena.h"
#include "os/explain.h"

/*
 * Options that each set a member of a file of configuration, by a table.  What the
 * values may be is for the reader of configuration to say.
 */
enum setting_kind {
	SETTING_TEXT,
	SETTING_DIRECTORY, /* text, from here when it does not begin with `/` or `~` */
	SETTING_TRUTH,
	SETTING_TEXT_OF,   /* NAME=TEXT, of the section `key` */
	SETTING_NUMBER_OF, /* NAME=NUMBER, the same */
	SETTING_LIST,	   /* one more of a list */
	SETTING_MOUNT,	   /* the same: SOURCE[:TARGET][:MODE] */
	SETTING_EGRESS,	   /* `none`, `public`, or HOST,HOST */
	SETTING_HOSTS,	   /* HOST,HOST; "": an empty list */
};

struct setting {
	const char *option;
	const char *section; /* with dots between more than one; NULL: the file's */
	const char *key;
	enum setting_kind kind;
};

/* The options of the table, which getopt_long(3) answers with SETTING_FIRST and more,
 * in front of `others`, which end with a row of zeros. */
#define SETTING_FIRST 256
struct option;
const struct option *settings_options(struct arena *arena,
				      const struct setting *settings, size_t n,
				      const struct option *others);

/* Adds what the option with this argument changes.  REASON_OK, USAGE or
 * HOST_INVALID. */
enum reason setting_take(struct arena *arena, const struct setting *setting,
			 const char *argument, struct changes *changes,
			 struct detail *ret_detail);

#endif
