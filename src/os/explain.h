/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_OS_EXPLAIN_H
#define ANET_OS_EXPLAIN_H

#include <stddef.h>
#include "core/reason.h"

/* The sentence that goes with a reason: what failed, on which object, why. */
struct detail {
	char text[1024];
};

/* Writes the sentence and returns `reason`. */
enum reason explain(struct detail *ret_detail, enum reason reason, const char *format,
		    ...) __attribute__((format(printf, 3, 4)));

/* Bytes from outside inside such a sentence: SHOW(path) lives as long as the
 * block that it stands in. */
struct shown {
	char text[512];
};

const char *show(struct shown *place, const char *text);
#define SHOW(text) show(&(struct shown){0}, text)

/* "; did you mean `x`?" or "". */
const char *did_you_mean(struct shown *place, const char *name,
			 const char *const *names);
#define DID_YOU_MEAN(name, names) did_you_mean(&(struct shown){0}, name, names)

#endif
