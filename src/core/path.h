/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_PATH_H
#define ANET_CORE_PATH_H

#include <stdbool.h>

/* Whether a canonical path is `directory` or lies inside it. */
bool path_is_inside(const char *path, const char *directory);

#endif
