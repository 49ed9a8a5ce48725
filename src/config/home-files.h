/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_HOME_FILES_H
#define ANET_CONFIG_HOME_FILES_H

#include "config/arena.h"
#include "config/config-table.h"
#include "config/template.h"
#include "os/explain.h"
#include "os/run-record.h"

/* The files that a runtime's program finds in the home of its run: `files` of
 * anet-runtime(5). */

/* What they are in one session, for the run's record; in the arena.  REASON_OK, or
 * CONFIG_INVALID beyond LIMIT_HOME_FILES or LIMIT_HOME_FILE_BYTES. */
enum reason home_files_make(struct arena *arena, const char *runtime_path,
			    const struct config_texts *files,
			    const struct template_values *values,
			    struct run_record *record, struct detail *ret_detail);

#endif
