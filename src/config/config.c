/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/config.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config-keys.h"
#include "config/retired.h"
#include "core/limits.h"

#define DEFAULT_HOST_USER "anet-host"

#define AT(field) offsetof(struct config_file, field)

/* SPEC S1.2. */
static const struct config_key microsandbox_keys[] = {
	{"cpus", CONFIG_UINT16, AT(config.sandbox.machine.cpus), .min = 1, .max = 255},
	{"memoryMiB", CONFIG_UINT32, AT(config.sandbox.machine.memory_mib), .min = 1,
	 .max = UINT32_MAX},
	{"diskGiB", CONFIG_UINT32, AT(config.sandbox.machine.disk_gib), .min = 1,
	 .max = 4194303},
	{"image", CONFIG_TEXT, AT(config.sandbox.machine.image),
	 .unset = "the one that comes with anet"},
	{0},
};

static const struct config_key sandbox_keys[] = {
	{"host", CONFIG_BOOL_ONCE, AT(config.sandbox.host)},
	{"srt", CONFIG_BOOL_ONCE, AT(config.sandbox.srt)},
	{"microsandbox", CONFIG_OFFER, AT(config.sandbox.microsandbox),
	 .section = microsandbox_keys},
	MOUNTS_KEY(AT(config.sandbox.mounts)),
	{"backend", CONFIG_TEXT, AT(config.retired_backend),
	 .check = retired_check_backend, .retired = retired_backend},
	{0},
};

/* useradd(8): a letter or _, then these. */
static const char *check_account(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	size_t length = strlen(text);

	if (length <= 31 && strchr(letters, text[0]) &&
	    strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789-") == length)
		return strcmp(text, "root")
			       ? NULL
			       : "sessions without a boundary would be "
				 "root's: give them an account of their own";
	return "the name of an account has a-z, 0-9, _ and -, at most 31";
}

static const struct config_key host_keys[] = {
	{"user", CONFIG_TEXT, AT(config.host_user), .check = check_account},
	{0},
};

static const struct config_key security_keys[] = {
	{"requireSandbox", CONFIG_BOOL, AT(require_sandbox),
	 .retired = retired_require_sandbox},
	{"sandboxReadRoots", CONFIG_REFUSED},
	{"sandboxWriteRoots", CONFIG_REFUSED},
	{0},
};

/* clang-format off */
#define OF_EVERYBODY                                                                   \
	{"sandbox", CONFIG_SECTION, .section = sandbox_keys},                          \
	{"host", CONFIG_SECTION, .section = host_keys},                                \
	{"limits", CONFIG_SECTION, AT(config.limits), .section = limit_keys},          \
	{"security", CONFIG_SECTION, .section = security_keys}
/* clang-format on */

const struct config_key config_keys[] = {
	OF_EVERYBODY,
	{"auto_reply", CONFIG_SECTION, AT(config.auto_reply),
	 .section = auto_reply_keys},
	{0},
};

/* It is the machine that answers peers: what a user wrote about it would be read by
 * nobody. */
static const struct config_key user_keys[] = {
	OF_EVERYBODY,
	{"auto_reply", CONFIG_OF_MACHINE},
	{0},
};

/* SPEC S1.2, S2.8, S6.10: what an operator's own agent costs is not limited unless
 * he says so; what it can take from the machine is. */
static const struct config defaults = {
	.sandbox =
		{
			.host = true,
			.srt = true,
			.microsandbox = true,
			.machine = {.cpus = 2, .memory_mib = 2048, .disk_gib = 10},
		},
	.limits =
		{
			.memory_bytes = LIMIT_MEMORY_BYTES,
			.tasks = LIMIT_TASKS,
			.growth_bytes = LIMIT_GROWTH_BYTES,
			.growth_entries = LIMIT_GROWTH_ENTRIES,
			.connections_at_once = LIMIT_CONNECTIONS_AT_ONCE,
			.tunnels_at_once = LIMIT_TUNNELS_AT_ONCE,
			.output_tokens = LIMIT_OUTPUT_TOKENS,
		},
};

/* One reading of all files. */
struct load {
	struct arena *arena;
	const struct places *places;
	struct config_notes *notes;
	const struct config_edit *edit; /* NULL: none */
	struct config_file file;
	struct detail *detail;
};

static void require_sandbox(struct load *load, const char *path, unsigned int line)
{
	if (load->file.config.sandbox.host && load->notes->complete)
		notes_set_origin(load->arena, load->notes, "sandbox.host", path, line);
	load->file.config.sandbox.host = false;
}

static enum reason read_config(struct load *load, char *path,
			       const struct config_key *keys)
{
	const struct config_origin *origin;
	bool found = false;
	enum reason reason =
		read_by_table(load->arena, path, keys, &load->file, load->edit,
			      load->notes, &found, load->detail);

	if (found)
		list_add(load->arena, &load->file.config.files, path);
	if (load->file.require_sandbox) {
		origin = notes_find_origin(load->notes, "security.requireSandbox");
		require_sandbox(load, path, origin ? origin->line : 0);
	}
	/* Another file's `false` does not take it back. */
	load->file.require_sandbox = false;
	return reason;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int list_json_names(struct arena *arena, const char *directory, struct list *list)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	size_t before = list->n;

	if (!entries)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while ((entry = readdir(entries))) {
		size_t length = strlen(entry->d_name);

		if (entry->d_name[0] == '.' || length <= strlen(".json") ||
		    strcmp(entry->d_name + length - strlen(".json"), ".json") != 0)
			continue;
		list_add(arena, list,
			 arena_copy_bytes(arena, entry->d_name,
					  length - strlen(".json")));
	}
	closedir(entries);
	if (list->n > before)
		qsort(list->items + before, list->n - before, sizeof(char *),
		      compare_names);
	return 0;
}

/* The machine's files of one reading, in their order. */
static enum reason list_files(struct load *load, struct list *ret_files)
{
	const struct places *places = load->places;
	char *directory = arena_format(load->arena, "%s/config.d", places->system);
	struct list names = {0};
	enum reason reason = REASON_OK;
	int r = list_json_names(load->arena, directory, &names);

	if (r < 0) {
		reason = explain(load->detail, REASON_CONFIG_UNREADABLE,
				 "cannot list %s: %s", SHOW(directory), strerror(-r));
		notes_add_problem(load->arena, load->notes, reason, load->detail->text);
	}
	list_add(load->arena, ret_files,
		 arena_format(load->arena, "%s/config.json", places->system));
	for (size_t i = 0; i < names.n; i++)
		list_add(load->arena, ret_files,
			 arena_format(load->arena, "%s/%s.json", directory,
				      names.items[i]));
	return reason;
}

/* `anet restart --require-sandbox`, of the machine or of the user.  Where it
 * cannot be told whether it was said, it was. */
static void read_markers(struct load *load)
{
	const char *const runtimes[] = {load->places->machine, load->places->runtime};

	for (size_t i = 0; i < 2; i++) {
		const char *path;

		if (!runtimes[i])
			continue;
		path = arena_format(load->arena, "%s/" REQUIRE_SANDBOX_FILE,
				    runtimes[i]);
		if (access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR))
			require_sandbox(load, path, 0);
	}
}

enum reason config_load_edited(struct arena *arena, const struct places *places,
			       const struct config_edit *edit,
			       struct config_notes *notes, struct config *ret_config,
			       struct detail *ret_detail)
{
	struct load load = {arena,     places, notes, edit, {.config = defaults},
			    ret_detail};
	struct list files = {0};
	enum reason first;
	size_t n;

	load.file.config.host_user = arena_copy(arena, DEFAULT_HOST_USER);
	first = list_files(&load, &files);
	n = files.n;
	if (places->user)
		list_add(arena, &files,
			 arena_format(arena, "%s/config.json", places->user));
	for (size_t i = 0; i < files.n && (first == REASON_OK || notes->complete);
	     i++) {
		enum reason reason = read_config(&load, files.items[i],
						 i < n ? config_keys : user_keys);

		if (first == REASON_OK)
			first = reason;
	}
	read_markers(&load);
	load.file.config.warnings = notes->warnings;
	if (first == REASON_OK || notes->complete)
		*ret_config = load.file.config;
	return first;
}

enum reason config_load_noted(struct arena *arena, const struct places *places,
			      struct config_notes *notes, struct config *ret_config,
			      struct detail *ret_detail)
{
	return config_load_edited(arena, places, NULL, notes, ret_config, ret_detail);
}

enum reason config_load(struct arena *arena, const struct places *places,
			struct config *ret_config, struct detail *ret_detail)
{
	struct config_notes notes = {0};

	return config_load_noted(arena, places, &notes, ret_config, ret_detail);
}
