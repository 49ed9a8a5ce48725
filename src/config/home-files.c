/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/home-files.h"

#include <string.h>

#include "core/limits.h"

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
		char *text = template_fill_text(arena, values, file, true);

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
