/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_BUILD_FILTER_BUILD_H
#define ANET_BUILD_FILTER_BUILD_H

#include <linux/filter.h>
#include <stddef.h>

#include "build/filter-list.h"

/* The classic BPF of a list, for the architecture that this is built on; the
 * caller frees it.  0 or -errno. */
int filter_build(const struct filter_list *list, struct sock_filter **ret_code,
		 size_t *ret_length);

#endif
