/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_INIT_SETID_CHECK_H
#define ANET_INIT_SETID_CHECK_H

#include <stddef.h>
#include "core/reason.h"

/* Tries every system call that can set a setuid or setgid bit, on files in
 * the run's own /tmp.  A workspace may be mapped to another owner on disk,
 * root even: such a file would carry that owner's rights.  OK when each is
 * refused, else SETID_UNPROTECTED with the call's name in ret_detail. */
enum reason setid_check(char *ret_detail, size_t size);

#endif
