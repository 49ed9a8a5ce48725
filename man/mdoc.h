/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_MAN_MDOC_H
#define ANET_MAN_MDOC_H

#include <stddef.h>

/* Text for mdoc(7), to standard output; `words like these` are literal. */

/* With what roff would take for something else escaped. */
void mdoc_escaped(const char *text, size_t length);

/* The same as one argument of a macro, in quotation marks. */
void mdoc_argument(const char *text);

/* Lines of text. */
void mdoc_text(const char *text);

/* The same, its first letter made a capital, and a period behind it if it has none. */
void mdoc_sentence(const char *text);

#endif
