/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_TESTS_FUZZ_H
#define ANET_TESTS_FUZZ_H

/* What fuzz targets share. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void demand(bool truth)
{
	if (!truth)
		abort();
}

/* Splits come from the bytes themselves: an input is one case for ever. */
static inline uint32_t seed_of(const uint8_t *data, size_t size)
{
	uint32_t seed = (uint32_t)size;

	for (size_t i = 0; i < size; i++)
		seed = seed * 31 + data[i];
	return seed;
}

/* 1 to `left`; 0 if nothing is left. */
static inline size_t next_part(uint32_t *seed, size_t left)
{
	*seed = *seed * 1664525u + 1013904223u;
	return left == 0 ? 0 : 1 + (*seed >> 16) % left;
}

/* In a block of its own, so that a sanitizer sees any look beyond it; to be freed. */
static inline uint8_t *copy_of(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	demand(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

#endif
