/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/json-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/json-scan.h"
#include "core/limits.h"
#include "os/cleanup.h"

static enum reason unreadable(struct detail *ret_detail, const char *path,
			      const char *why)
{
	return explain(ret_detail, REASON_CONFIG_UNREADABLE, "cannot read %s: %s",
		       SHOW(path), why);
}

/* Root, the caller, and whoever owns this program, who can do all that it does:
 * where root is not mapped into a container, all belongs to the same nobody. */
static bool is_trusted(uid_t owner)
{
	struct stat status;

	return owner == 0 || owner == geteuid() ||
	       (stat("/proc/self/exe", &status) == 0 && status.st_uid == owner);
}

/* Opens a file that only root or the caller can write; *ret_fd is -1 if there
 * is none. */
static enum reason open_trusted(const char *path, int *ret_fd, size_t *ret_size,
				struct detail *ret_detail)
{
	/* Without O_NONBLOCK a FIFO would wait for its writer. */
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		*ret_fd = -1;
		/* Somebody has written one, and what it forbids must hold. */
		return lstat(path, &status) < 0
			       ? REASON_OK
			       : unreadable(ret_detail, path,
					    "it is a link that leads nowhere");
	}
	if (fd < 0 || fstat(fd, &status) < 0)
		return unreadable(ret_detail, path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return unreadable(ret_detail, path, "it is not a regular file");
	if (!is_trusted(status.st_uid))
		return unreadable(ret_detail, path,
				  "it belongs neither to you nor to root");
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return unreadable(ret_detail, path,
				  "others than its owner can write it");
	if (status.st_size > JSON_FILE_MAX)
		return unreadable(ret_detail, path, "it is longer than 1 MiB");
	*ret_size = (size_t)status.st_size;
	*ret_fd = take_fd(&fd);
	return REASON_OK;
}

/* *size is what was measured, then what was read. */
static enum reason read_text(struct arena *arena, const char *path, int fd,
			     size_t *size, char **ret_text, struct detail *ret_detail)
{
	char *text = arena_get(arena, *size + 1);
	size_t length = 0;

	/* A file that grows meanwhile is read as far as it was measured, and
	 * then most likely is no JSON. */
	while (length < *size) {
		ssize_t got = read(fd, text + length, *size - length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return unreadable(ret_detail, path, strerror(errno));
		if (got == 0)
			break;
		length += (size_t)got;
	}
	*size = length;
	*ret_text = text;
	return REASON_OK;
}

static unsigned int line_at(const char *text, size_t offset)
{
	unsigned int line = 1;

	for (size_t i = 0; i < offset && text[i]; i++)
		line += text[i] == '\n';
	return line;
}

size_t json_blank_comments(char *text, size_t length)
{
	bool in_string = false;
	size_t at = 0;

	while (at < length) {
		size_t start = at;

		if (in_string || text[at] != '/' || at + 1 == length ||
		    (text[at + 1] != '/' && text[at + 1] != '*')) {
			if (in_string && text[at] == '\\')
				at++;
			else if (text[at] == '"')
				in_string = !in_string;
			at++;
			continue;
		}
		if (text[at + 1] == '/') {
			const char *end = memchr(text + at, '\n', length - at);

			at = end ? (size_t)(end - text) : length;
		} else {
			const char *end =
				memmem(text + at + 2, length - at - 2, "*/", 2);

			if (!end)
				return start;
			at = (size_t)(end - text) + 2;
		}
		for (size_t i = start; i < at; i++)
			if (text[i] != '\n')
				text[i] = ' ';
	}
	return length;
}

static const char *scan_sentence(enum reason reason)
{
	static const struct {
		enum reason reason;
		const char *sentence;
	} rows[] = {
		{REASON_JSON_NOT_OBJECT, "the file is not one JSON object"},
		{REASON_JSON_UTF8, "the text is not UTF-8 without a byte order mark"},
		{REASON_JSON_DEPTH, "this nests too deeply"},
		{REASON_JSON_NODES, "there are too many values"},
		{REASON_JSON_NUMBER, "this number is not used by JSON, or too large"},
		{REASON_JSON_STRING,
		 "this text has half a character, or this key a NUL"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].reason == reason)
			return rows[i].sentence;
	return "this is not JSON";
}

/* The string, as it is written, that begins at `offset` or right before it. */
static const char *string_at(struct arena *arena, const struct json_file *file,
			     size_t offset)
{
	const char *begin = file->text + offset, *end;

	if (*begin == '"')
		begin++;
	for (end = begin; *end && *end != '"'; end++)
		if (*end == '\\' && end[1])
			end++;
	return arena_format(arena, "\"%.*s\"", (int)(end - begin), begin);
}

/* Syntax and what json-c would let pass: it keeps the last of two keys. */
static enum reason check_text(struct arena *arena, const struct json_file *file,
			      struct detail *ret_detail)
{
	/* The text is the operator's own: nobody chooses keys against it. */
	static const struct json_scan_seed seed = {{0, 0}};
	const uint8_t *text = (const uint8_t *)file->text;
	size_t offset = 0, n_slots = json_scan_slots(text, file->length);
	struct json_scan_slot *slots = arena_get(arena, n_slots * sizeof(*slots));
	enum reason reason =
		json_scan(text, file->length, &seed, slots, n_slots, &offset);

	if (reason == REASON_OK)
		return REASON_OK;
	if (reason == REASON_JSON_DUPLICATE_KEY)
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "%s, line %u: the object has the key %s twice",
			       SHOW(file->path), line_at(file->text, offset),
			       SHOW(string_at(arena, file, offset)));
	return explain(ret_detail, REASON_CONFIG_INVALID, "%s, line %u: %s",
		       SHOW(file->path), line_at(file->text, offset),
		       scan_sentence(reason));
}

enum reason json_file_parse(struct arena *arena, const char *path, const char *text,
			    size_t length, struct json_file *ret_file,
			    struct detail *ret_detail)
{
	struct json_file file = {.path = path, .length = length};
	char *blanked = arena_copy_bytes(arena, text, length);
	struct json_tokener *tokener;
	enum reason reason;
	size_t end;

	*ret_file = (struct json_file){.path = path};
	end = json_blank_comments(blanked, length);
	if (end < length)
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "%s, line %u: this comment has no end", SHOW(path),
			       line_at(blanked, end));
	file.text = blanked;
	reason = check_text(arena, &file, ret_detail);
	if (reason != REASON_OK)
		return reason;
	tokener = json_tokener_new_ex(LIMIT_JSON_DEPTH + 1);
	if (!tokener)
		return unreadable(ret_detail, path, strerror(ENOMEM));
	/* Not JSON_TOKENER_STRICT: as in the gateway's judge. */
	file.root = json_tokener_parse_ex(tokener, file.text, (int)file.length);
	json_tokener_free(tokener);
	if (!json_object_is_type(file.root, json_type_object)) {
		json_file_free(&file);
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "%s: the file is not one JSON object", SHOW(path));
	}
	*ret_file = file;
	return REASON_OK;
}

enum reason json_file_read(struct arena *arena, const char *path,
			   struct json_file *ret_file, struct detail *ret_detail)
{
	auto_fd int fd = -1;
	char *text = NULL;
	size_t size = 0;
	enum reason reason = open_trusted(path, &fd, &size, ret_detail);

	*ret_file = (struct json_file){.path = path};
	if (reason != REASON_OK || fd < 0)
		return reason;
	reason = read_text(arena, path, fd, &size, &text, ret_detail);
	if (reason != REASON_OK)
		return reason;
	return json_file_parse(arena, path, text, size, ret_file, ret_detail);
}

void json_file_free(struct json_file *file)
{
	json_object_put(file->root);
	file->root = NULL;
}

unsigned int json_file_line(const struct json_file *file,
			    const struct json_place *place)
{
	return json_place_line(file->text, file->length, place);
}
