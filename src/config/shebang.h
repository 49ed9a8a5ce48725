/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_SHEBANG_H
#define ANET_CONFIG_SHEBANG_H

#include <stdbool.h>
#include <stddef.h>

#include "config/arena.h"

/* The kernel itself reads no more of a script's first line (BINPRM_BUF_SIZE). */
#define SHEBANG_BYTES 256

/* The parts of a script's first line (execve(2)), without "/usr/bin/env". */
struct shebang {
	char *interpreter; /* an absolute path, or a name to be looked up */
	char **arguments;  /* never NULL */
};

/* `bytes` are the first of a file.  False if it is no script that we can run. */
bool shebang_parse(struct arena *arena, const char *bytes, size_t length,
		   struct shebang *ret_shebang);

#endif
