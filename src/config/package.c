/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/package.h"

#include <stdlib.h>
#include <string.h>

#include "config/json-file.h"

#define DIGITS "0123456789"

/* The text of a member; NULL if it is none. */
static const char *member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

/* A version, of digits and dots first; else NULL. */
static char *version_in(struct arena *arena, const char *text)
{
	size_t length;

	if (!text)
		return NULL;
	text += *text == 'v';
	length = strspn(text, DIGITS ".");
	if (length == 0 || length > 40 || !strchr(DIGITS, text[0]))
		return NULL;
	return arena_copy_bytes(arena, text, length);
}

static struct package package_at(struct arena *arena, const char *path)
{
	char *root = npm_package_root(arena, path);
	struct package package = {0};
	struct json_object *engines = NULL;
	struct json_file file = {0};
	struct detail unused;
	const char *node;

	if (!root ||
	    json_file_read(arena, arena_format(arena, "%s/package.json", root), &file,
			   &unused) != REASON_OK ||
	    !file.root)
		return package;
	package.version = version_in(arena, member(file.root, "version"));
	(void)json_object_object_get_ex(file.root, "engines", &engines);
	node = member(engines, "node");
	if (node && strncmp(node, ">=", 2) == 0) {
		node += 2 + strspn(node + 2, " ");
		/* "A || B", ranges: not looked at. */
		if (strspn(node, DIGITS ".") == strlen(node))
			package.node = version_in(arena, node);
	}
	json_file_free(&file);
	return package;
}

struct package package_of(struct arena *arena, const struct program *program)
{
	size_t last = 0;

	/* A script is the last of them, behind its interpreter. */
	while (program->argv[last + 1])
		last++;
	return package_at(arena, program->argv[last]);
}

const char *package_interpreter_version(struct arena *arena,
					const struct program *program)
{
	const char *path = program->argv[0], *at = path;
	struct package package;
	const char *name = strrchr(path, '/');

	if (!program->argv[1] || !name || strcmp(name, "/node") != 0)
		return NULL;
	package = package_at(arena, path);
	if (package.version)
		return package.version;
	/* Version managers: "…/node/v22.1.0/bin/node". */
	while ((at = strchr(at, '/'))) {
		const char *version = version_in(arena, ++at);

		if (version && strchr(version, '.'))
			return version;
	}
	return NULL;
}

bool version_is_lower(const char *version, const char *other)
{
	version += *version == 'v';
	other += *other == 'v';
	for (;;) {
		char *end, *other_end;
		unsigned long number = strtoul(version, &end, 10);
		unsigned long wanted = strtoul(other, &other_end, 10);

		if (number != wanted)
			return number < wanted;
		if (*other_end != '.' || *end != '.')
			return *other_end == '.' &&
			       strtoul(other_end + 1, NULL, 10) > 0;
		version = end + 1;
		other = other_end + 1;
	}
}
