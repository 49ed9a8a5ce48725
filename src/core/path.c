/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/path.h"

#include <string.h>

bool path_is_inside(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	if (length == 1)
		return true; /* the root */
	return strncmp(path, directory, length) == 0 &&
	       (path[length] == '/' || path[length] == 0);
}
