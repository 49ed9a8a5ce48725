/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/home-path.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/limits.h"

static bool segment_is_usable(const char *segment, size_t length)
{
	if (length == 0 || length > 200) /* NAME_MAX, less what a temporary name has */
		return false;
	return strspn(segment, ".") < length || length > 2;
}

const char *home_path_check(const char *path)
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
