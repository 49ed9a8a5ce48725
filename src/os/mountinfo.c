/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/mountinfo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int mountinfo_open(struct mountinfo *ret_mountinfo)
{
	*ret_mountinfo =
		(struct mountinfo){.file = fopen("/proc/self/mountinfo", "re")};
	return ret_mountinfo->file ? 0 : -errno;
}

/* Space, tab, newline and backslash are written as \ooo. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] && from[2] && from[3]) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
				     (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = 0;
}

bool mountinfo_next(struct mountinfo *mountinfo)
{
	while (getline(&mountinfo->line, &mountinfo->size, mountinfo->file) > 0) {
		char *place = mountinfo->line, *point = NULL, *type;

		/* ID, parent, device, root, then the mount point. */
		for (int i = 0; i < 5 && place; i++)
			point = strsep(&place, " ");
		/* Options and any number of fields, a hyphen, then the type. */
		type = place ? strstr(place, " - ") : NULL;
		if (!type)
			continue;
		type += 3;
		type[strcspn(type, " \n")] = 0;
		unescape(point);
		mountinfo->point = point;
		mountinfo->type = type;
		return true;
	}
	return false;
}

void mountinfo_close(struct mountinfo *mountinfo)
{
	if (mountinfo->file)
		fclose(mountinfo->file);
	free(mountinfo->line);
	*mountinfo = (struct mountinfo){0};
}
