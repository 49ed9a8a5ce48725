/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_HOME_PATH_H
#define ANET_CORE_HOME_PATH_H

/* What is wrong with the path of a file below the home of a run, for people; NULL if
 * nothing.  It leads nowhere else, and beside each of its names there is room for a
 * temporary one. */
const char *home_path_check(const char *path);

#endif
