/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_INIT_HOME_FILES_H
#define ANET_INIT_HOME_FILES_H

#include <stddef.h>

#include "core/reason.h"

/*
 * Writes a file of the runtime into the run's home: `path` below `home`, mode 0600,
 * in the place of what has that name; directories are made.  An earlier run may have
 * left anything there: no link is followed, and no other mount is entered.  REASON_OK,
 * or HOME_FILES with the sentence.
 */
enum reason home_file_write(const char *home, const char *path, const char *text,
			    char *ret_detail, size_t size);

#endif
