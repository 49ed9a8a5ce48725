/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/config-keys.h"

#include <string.h>

#include "core/limits.h"

#define MIB (1024ull * 1024)
/* Above every machine, and far from where a product with MIB wraps. */
#define MAX_MIB (16ull * 1024 * 1024)
#define MAX_COUNT 1000000000ull
#define YEAR (366ull * 24 * 3600)
/* pid_max of a 64-bit kernel, proc_sys_kernel(5). */
#define MAX_TASKS 4194304

#define LIMIT(name_, field, type_, min_, max_, unit_)                                  \
	{                                                                              \
		.name = (name_), .type = (type_),                                      \
		.offset = offsetof(struct policy_limits, field), .min = (min_),        \
		.max = (max_), .unit = (unit_),                                        \
		.unset = (min_) == 0 ? "no limit" : NULL                               \
	}

/* Where 0 is allowed it means: no limit. */
const struct config_key limit_keys[] = {
	LIMIT("memory_mib", memory_bytes, CONFIG_UINT64, 16, MAX_MIB, MIB),
	LIMIT("tasks", tasks, CONFIG_UINT64, 8, MAX_TASKS, 1),
	LIMIT("wall_clock_seconds", wall_clock_seconds, CONFIG_UINT64, 0, YEAR, 1),
	LIMIT("growth_mib", growth_bytes, CONFIG_UINT64, 0, MAX_MIB, MIB),
	LIMIT("growth_entries", growth_entries, CONFIG_UINT64, 0, MAX_COUNT, 1),
	LIMIT("requests", requests, CONFIG_UINT64, 0, MAX_COUNT, 1),
	LIMIT("count_tokens", count_tokens, CONFIG_UINT64, 0, MAX_COUNT, 1),
	LIMIT("request_mib", request_bytes, CONFIG_UINT64, 0, MAX_MIB, MIB),
	LIMIT("connections", connections, CONFIG_UINT64, 0, MAX_COUNT, 1),
	LIMIT("connections_at_once", connections_at_once, CONFIG_UINT32, 1,
	      LIMIT_CONNECTIONS_AT_ONCE, 1),
	LIMIT("tunnels", tunnels, CONFIG_UINT64, 0, MAX_COUNT, 1),
	LIMIT("tunnels_at_once", tunnels_at_once, CONFIG_UINT32, 1,
	      LIMIT_CONNECTIONS_AT_ONCE, 1),
	LIMIT("tunnel_sent_mib", tunnel_sent_bytes, CONFIG_UINT64, 0, MAX_MIB, MIB),
	LIMIT("tunnel_received_mib", tunnel_received_bytes, CONFIG_UINT64, 0, MAX_MIB,
	      MIB),
	LIMIT("output_tokens", output_tokens, CONFIG_UINT32, 1, 1000000, 1),
	{0},
};

static const char *const mode_words[] = {
	[CONFIG_MOUNT_READONLY] = "readonly",
	[CONFIG_MOUNT_WRITABLE] = "writable",
	[CONFIG_MOUNT_OVERLAY] = "overlay",
	NULL,
};

const struct config_key mount_keys[] = {
	{"source", CONFIG_TEXT, offsetof(struct config_mount, source)},
	{"target", CONFIG_TEXT, offsetof(struct config_mount, target)},
	{"mode", CONFIG_WORD, offsetof(struct config_mount, mode), .words = mode_words},
	{"readOnly", CONFIG_REFUSED},
	{0},
};

static enum reason read_or_edit(struct arena *arena, const char *path,
				const struct config_edit *edit,
				struct json_file *ret_file, struct detail *ret_detail)
{
	if (!edit || strcmp(edit->path, path) != 0)
		return json_file_read(arena, path, ret_file, ret_detail);
	*ret_file = (struct json_file){.path = path};
	if (!edit->text)
		return REASON_OK;
	return json_file_parse(arena, path, edit->text, edit->length, ret_file,
			       ret_detail);
}

enum reason read_by_table(struct arena *arena, const char *path,
			  const struct config_key *keys, void *target,
			  const struct config_edit *edit, struct config_notes *notes,
			  bool *ret_found, struct detail *ret_detail)
{
	struct json_file file;
	enum reason reason = read_or_edit(arena, path, edit, &file, ret_detail);

	*ret_found = file.root != NULL;
	if (reason != REASON_OK && notes)
		notes_add_problem(arena, notes, reason, ret_detail->text);
	else if (file.root)
		reason = config_table_read(arena, &file, keys, target, notes,
					   ret_detail);
	json_file_free(&file);
	return reason;
}
