/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_NEAREST_H
#define ANET_CORE_NEAREST_H

/* The name in the NULL-terminated list that `name` most likely stands for: the
 * fewest insertions, deletions, replacements and swaps of neighbours away, `-`
 * and `_` and upper and lower case taken for the same.  NULL when none is near. */
const char *nearest_name(const char *name, const char *const *names);

#endif
