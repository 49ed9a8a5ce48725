/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/failure.h"

#include <stdarg.h>
#include <stdio.h>

enum reason failure_set(struct failure *failure, enum reason reason, const char *format,
			...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(failure->detail, sizeof(failure->detail), format, arguments);
	va_end(arguments);
	return reason;
}
