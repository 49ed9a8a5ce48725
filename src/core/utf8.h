/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CORE_UTF8_H
#define ANET_CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the UTF-8 sequence at `at` whose first byte is not ASCII, 0 when
 * it is none (RFC 3629 4: no overlong form, no surrogate, at most U+10FFFF). */
size_t utf8_sequence(const uint8_t *at, const uint8_t *end);

bool utf8_is_valid(const uint8_t *bytes, size_t length);

#endif
