/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_HTTP1_LEXIS_H
#define ANET_CORE_HTTP1_LEXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The words of HTTP heads, for requests and answers alike (RFC 9110 5.6). */

bool http1_is_alphanumeric(uint8_t byte);

/* tchar, of which methods and field names are made. */
bool http1_is_token(uint8_t byte);

/* OWS: a space or a tab. */
bool http1_is_blank(uint8_t byte);

/* Of ASCII only, whatever the locale. */
uint8_t http1_lower(uint8_t byte);

/* Whether the bytes are `word`, which is in lower case, in any case. */
bool http1_same(const uint8_t *bytes, size_t length, const char *word);

/* Whether `word` is one of the elements of a comma separated list. */
bool http1_list_has(const uint8_t *value, size_t length, const char *word);

#endif
