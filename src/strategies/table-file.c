/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table as a file: {"at": seconds, "identity": "…", "strategies": [{"strategy",
 * "offered", "available", "code", "reason", "boundary"}, …]}, in JSON, so that other
 * programs may read it.  `code` and `reason` are "" where it is available.
 */
#include "strategies/table.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/cleanup.h"
#include "os/session-dir.h"

/* Three rows of some hundred bytes each. */
#define FILE_BYTES (64 * 1024)

static void add_string(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_object_new_string(value));
}

static struct json_object *format_row(const struct strategy_row *row)
{
	struct json_object *object = json_object_new_object();

	add_string(object, "strategy", row->name);
	json_object_object_add(object, "offered",
			       json_object_new_boolean(row->offered));
	json_object_object_add(object, "available",
			       json_object_new_boolean(row->available));
	add_string(object, "code", row->available ? "" : reason_code(row->reason));
	add_string(object, "reason", row->detail);
	add_string(object, "boundary", row->boundary);
	return object;
}

int strategies_write(int directory, const char *name,
		     const struct strategies *strategies)
{
	struct json_object *root = json_object_new_object();
	struct json_object *rows = json_object_new_array();
	const char *text;
	int r;

	json_object_object_add(root, "at",
			       json_object_new_int64(strategies->probed_at));
	add_string(root, "identity", strategies->identity);
	json_object_object_add(root, "strategies", rows);
	for (size_t i = 0; i < STRATEGIES; i++)
		json_object_array_add(rows, format_row(&strategies->rows[i]));
	text = json_object_to_json_string_ext(
		root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	r = text ? session_record_replace(directory, name, 0644, text, strlen(text))
		 : -ENOMEM;
	json_object_put(root);
	return r;
}

/* The member of this type, or NULL. */
static struct json_object *member(struct json_object *object, const char *key,
				  enum json_type type)
{
	struct json_object *value = NULL;

	if (!json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, type))
		return NULL;
	return value;
}

/* A copy of a string without a NUL inside; NULL if there is none. */
static const char *string(struct arena *arena, struct json_object *object,
			  const char *key)
{
	struct json_object *value = member(object, key, json_type_string);
	const char *text = value ? json_object_get_string(value) : NULL;

	if (!text || strlen(text) != (size_t)json_object_get_string_len(value))
		return NULL;
	return arena_copy(arena, text);
}

static bool take_row(struct arena *arena, struct json_object *object,
		     struct strategy_row *row)
{
	struct json_object *offered, *available;
	const char *code;

	if (!json_object_is_type(object, json_type_object))
		return false;
	offered = member(object, "offered", json_type_boolean);
	available = member(object, "available", json_type_boolean);
	code = string(arena, object, "code");
	row->name = string(arena, object, "strategy");
	row->detail = string(arena, object, "reason");
	row->boundary = string(arena, object, "boundary");
	if (!offered || !available || !code || !row->name || !row->detail ||
	    !row->boundary)
		return false;
	row->offered = json_object_get_boolean(offered);
	row->available = json_object_get_boolean(available);
	row->reason = REASON_OK;
	if (row->available)
		return row->offered && !*code;
	return reason_find(code, &row->reason) && row->reason != REASON_OK;
}

static bool take_table(struct arena *arena, struct json_object *root,
		       struct strategies *table)
{
	struct json_object *at, *rows;

	if (!json_object_is_type(root, json_type_object))
		return false;
	at = member(root, "at", json_type_int);
	rows = member(root, "strategies", json_type_array);
	table->identity = string(arena, root, "identity");
	if (!at || !rows || !table->identity ||
	    json_object_array_length(rows) != STRATEGIES)
		return false;
	table->probed_at = json_object_get_int64(at);
	for (size_t i = 0; i < STRATEGIES; i++)
		/* Who selects goes by their order: SPEC S1.1. */
		if (!take_row(arena, json_object_array_get_idx(rows, i),
			      &table->rows[i]) ||
		    strcmp(table->rows[i].name, strategies_name(i)) != 0)
			return false;
	return true;
}

bool strategies_parse(struct arena *arena, const char *text, size_t length,
		      struct strategies *ret_strategies)
{
	struct json_tokener *tokener = json_tokener_new_ex(8);
	struct json_object *root = NULL;
	struct strategies table = {0};
	bool good = false;

	if (tokener && length <= FILE_BYTES) {
		json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
		root = json_tokener_parse_ex(tokener, text, (int)length);
		/* What ends early is refused by the tokener. */
		good = json_tokener_get_error(tokener) == json_tokener_success &&
		       take_table(arena, root, &table);
	}
	json_object_put(root);
	if (tokener)
		json_tokener_free(tokener);
	if (good)
		*ret_strategies = table;
	return good;
}

static enum reason unsafe(struct detail *ret_detail, const char *path, const char *why)
{
	return explain(ret_detail, REASON_RECORD_UNSAFE,
		       "the table of strategies %s %s; `systemctl restart anet-probe` "
		       "writes it anew",
		       SHOW(path), why);
}

static enum reason failed(struct detail *ret_detail, const char *path, int error)
{
	return explain(ret_detail, REASON_SYSTEM,
		       "cannot read the table of strategies %s: %s", SHOW(path),
		       strerror(error));
}

enum reason strategies_read(struct arena *arena, const char *path,
			    struct strategies *ret_strategies,
			    struct detail *ret_detail)
{
	/* O_NONBLOCK: a FIFO in its place must not hold anybody up. */
	auto_fd int fd =
		open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	auto_free char *text = NULL;
	struct stat status;
	ssize_t length;

	if (fd < 0 && errno == ENOENT)
		return explain(
			ret_detail, REASON_NO_STRATEGY,
			"no strategy was probed on this machine yet: there is no "
			"%s; `systemctl restart anet-probe` writes it",
			SHOW(path));
	if (fd < 0 && errno == ELOOP)
		return unsafe(ret_detail, path, "is a link");
	if (fd < 0 || fstat(fd, &status) < 0)
		return failed(ret_detail, path, errno);
	if (!S_ISREG(status.st_mode) || status.st_uid != 0 ||
	    (status.st_mode & (S_IWGRP | S_IWOTH)))
		return unsafe(ret_detail, path, "can be written by others than root");
	text = malloc(FILE_BYTES);
	if (!text)
		return failed(ret_detail, path, ENOMEM);
	length = read(fd, text, FILE_BYTES);
	if (length < 0)
		return failed(ret_detail, path, errno);
	if (length == FILE_BYTES ||
	    !strategies_parse(arena, text, (size_t)length, ret_strategies))
		return unsafe(ret_detail, path, "is not as anet writes it");
	return REASON_OK;
}
