/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "os/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/nearest.h"
#include "os/report.h"

enum reason explain(struct detail *ret_detail, enum reason reason, const char *format,
		    ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(ret_detail->text, sizeof(ret_detail->text), format, arguments);
	va_end(arguments);
	return reason;
}

const char *show(struct shown *place, const char *text)
{
	escape_bytes(text, strlen(text), place->text, sizeof(place->text));
	return place->text;
}

const char *did_you_mean(struct shown *place, const char *name,
			 const char *const *names)
{
	const char *best = nearest_name(name, names);

	place->text[0] = 0;
	if (best)
		snprintf(place->text, sizeof(place->text), "; did you mean `%s`?",
			 best);
	return place->text;
}
