/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/home-files.h"

#include <string.h>

#include "core/limits.h"

static bool segment_is_usable(const char *segment, size_t length)
{
	if (length == 0 || length > 200) /* NAME_MAX, less what a temporary name has */
		return false;
	return strspn(segment, ".") < length || length > 2;
}

const char *home_file_check_path(const char *path)
{
	if (strlen(path) > LIMIT_HOME_FILE_PATH)
		return "a path of a file in the home has at most 255 bytes";
	for (const unsigned char *at = (const unsigned char *)path; *at; at++)
		if (*at < ' ' || *at == 0x7f)
			return "it has a control character";
	for (;;) {
		size_t length = strcspn(path, "/");

		if (!segment_is_usable(path, length))
			return "it is the path of a file below the home, without "
			       "empty parts, `.` and `..`";
		if (!path[length])
			return NULL;
		path += length + 1;
	}
}

enum reason home_files_make(struct arena *arena, const char *runtime_path,
			    const struct config_texts *files,
			    const struct template_values *values,
			    struct run_record *record, struct detail *ret_detail)
{
	size_t bytes = 0;

	if (files->n > LIMIT_HOME_FILES)
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "%s: `files` has %zu of them, and %d is the most",
			       SHOW(runtime_path), files->n, LIMIT_HOME_FILES);
	record->files = arena_get(arena, (files->n + 1) * sizeof(*record->files));
	record->n_files = 0;
	for (size_t i = 0; i < files->n; i++) {
		const struct config_text *file = &files->list[i];
		char *text =
			file->json ? template_fill_json(arena, values, file->text, true)
				   : template_fill(arena, values, file->text);

		if (!text)
			continue;
		bytes += strlen(file->name) + strlen(text) + 2;
		record->files[record->n_files++] = (struct run_file){file->name, text};
	}
	if (bytes > LIMIT_HOME_FILE_BYTES)
		return explain(ret_detail, REASON_CONFIG_INVALID,
			       "%s: `files` has %zu bytes in all, and %d is the most",
			       SHOW(runtime_path), bytes, LIMIT_HOME_FILE_BYTES);
	return REASON_OK;
}
