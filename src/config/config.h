/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_CONFIG_H
#define ANET_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "config/arena.h"
#include "config/auto-reply.h"
#include "os/explain.h"
#include "config/notes.h"
#include "config/places.h"
#include "core/policy.h"

/* A directory or file of the machine that runs see besides their workspace, as it
 * is written (SPEC S9). */
struct config_mount {
	char *source;
	char *target;	   /* NULL: the source's own place */
	unsigned int mode; /* enum config_mount_mode */
};

enum config_mount_mode {
	CONFIG_MOUNT_READONLY,
	CONFIG_MOUNT_WRITABLE,
	CONFIG_MOUNT_OVERLAY,
};

struct config_mounts {
	struct config_mount *list;
	size_t n;
};

/* What one virtual machine gets.  SPEC S1.2. */
struct config_microsandbox {
	uint16_t cpus;
	uint32_t memory_mib;
	uint32_t disk_gib;
	char *image; /* NULL: the default one */
};

/* Which strategies are offered, and what they are given. */
struct config_sandbox {
	bool host, srt, microsandbox;
	struct config_microsandbox machine;
	struct config_mounts mounts; /* for every agent in a sandbox */
};

/* What the configuration says, defaults filled in.  SPEC S1.2, S2.8, S6.10. */
struct config {
	struct config_sandbox sandbox;
	/* The account that sessions of the strategy `host` have under systemd. */
	char *host_user;
	/* Retired `sandbox.backend` (SPEC S1.8): what agents take that were saved
	 * with `runInSandbox` and no strategy; NULL: not there. */
	char *retired_backend;
	struct policy_limits limits;
	struct config_auto_reply auto_reply;
	/* Paths of the files that were read, in their order. */
	struct list files;
	/* Retired keys that were read, those of the agent too: config/retired.h. */
	struct list warnings;
};

/* In the directory of /run, of XDG_RUNTIME_DIR: as long as it is there it is as if
 * `sandbox.host` were false (`anet restart --require-sandbox`). */
#define REQUIRE_SANDBOX_FILE "anet/require-sandbox"

/* config.json and config.d/<*>.json of the system, then the user's
 * config.json; what comes later wins, but a strategy that is off for the
 * machine stays off.  REASON_OK, CONFIG_UNREADABLE, CONFIG_INVALID or KEY_REFUSED. */
enum reason config_load(struct arena *arena, const struct places *places,
			struct config *ret_config, struct detail *ret_detail);

/* A text in the place of a file, before it is written there; NULL: as if there were
 * no such file. */
struct config_edit {
	const char *path;
	const char *text;
	size_t length;
};

/* The same, with what there is to tell besides.  Where the notes are `complete`,
 * *ret_config is what the good keys say, whatever the reason, and the problems stand
 * in the notes. */
enum reason config_load_noted(struct arena *arena, const struct places *places,
			      struct config_notes *notes, struct config *ret_config,
			      struct detail *ret_detail);

/* The same with that in the place of the file.  `edit` may be NULL. */
enum reason config_load_edited(struct arena *arena, const struct places *places,
			       const struct config_edit *edit,
			       struct config_notes *notes, struct config *ret_config,
			       struct detail *ret_detail);

/* The other hosts that a run reaches, as it is written: SPEC S8.1. */
struct config_egress {
	char **hosts;	   /* NULL: it is a word */
	unsigned int word; /* enum config_egress_word */
};

enum config_egress_word {
	CONFIG_EGRESS_NONE,
	CONFIG_EGRESS_PUBLIC,
};

enum agent_home {
	AGENT_HOME_DEFAULT, /* kept under systemd, ephemeral in the foreground */
	AGENT_HOME_EPHEMERAL,
	AGENT_HOME_KEPT,
};

/* An agent: agents.d/NAME.json of the system, then of the user. */
struct agent {
	const char *name;
	char *path; /* of the last of its files; NULL: it is a runtime's name only */
	char *runtime;
	/* As it was saved, by the old names too (SPEC S1.8); it need not be one that
	 * this machine has.  NULL: none was saved, and then it is srt (S1.5). */
	char *strategy;
	char *model;	/* NULL: none configured */
	char *api_base; /* NULL: the runtime's own */
	char *workspace;
	struct config_mounts mounts; /* without those of `sandbox.mounts` */
	unsigned int home;	     /* enum agent_home */
	bool protect;		     /* the workspace: core/protected.h */
	char **arguments;	     /* before the caller's; never NULL */
	char **env;		     /* "NAME=VALUE"; never NULL */
	uint32_t server_tools;	     /* enum policy_server_tools */
	struct config_egress egress;
};

/* Fills *ret_agent and, over what `config` has, its limits.  A name that no
 * file has but that is a runtime's stands for that runtime.  REASON_OK,
 * AGENT_UNKNOWN, CONFIG_UNREADABLE, CONFIG_INVALID or KEY_REFUSED. */
enum reason agent_load(struct arena *arena, const struct places *places,
		       const char *name, struct config *config, struct agent *ret_agent,
		       struct detail *ret_detail);

/* The same, with what there is to tell besides; problems of its files stand in the
 * notes.  Where these are `complete`, *ret_agent is what the good keys say, unless
 * they name no runtime: then it stays as it was. */
enum reason agent_load_noted(struct arena *arena, const struct places *places,
			     const char *name, struct config_notes *notes,
			     struct config *config, struct agent *ret_agent,
			     struct detail *ret_detail);

/* agent_load() with that in the place of the file.  `edit` may be NULL. */
enum reason agent_load_edited(struct arena *arena, const struct places *places,
			      const char *name, const struct config_edit *edit,
			      struct config *config, struct agent *ret_agent,
			      struct detail *ret_detail);

/* Adds the names of all agents that have a file, each once.  REASON_OK, or
 * CONFIG_UNREADABLE, and then those that could be listed. */
enum reason agent_names(struct arena *arena, const struct places *places,
			struct list *list, struct detail *ret_detail);

/* SPEC S4.1: [a-z][a-z0-9_]{0,31}. */
bool agent_name_is_valid(const char *name);

/* The names of the *.json files of a directory, sorted, without the suffix, are
 * added to `list`; a directory that is not there has none.  0 or -errno. */
int list_json_names(struct arena *arena, const char *directory, struct list *list);

#endif
